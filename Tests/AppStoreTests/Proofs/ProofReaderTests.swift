// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@Suite
struct ProofReaderTests {
    /// The proof in a text; throws the reason where there is none.
    private func read(_ text: String, within limits: ProofLimits = ProofLimits()) throws -> Proof {
        do {
            return try ProofReader(limits: limits).read(text).proof
        } catch {
            throw error.reason
        }
    }

    @Test
    func signedTransactionIsRecognised() throws {
        let fixture = try SigningFixture()
        let jws = try fixture.transaction().signedTransaction(by: fixture.authority)

        #expect(try read(jws) == .signedTransaction(jws))
        #expect(try read("\r\n \t" + jws + " \n") == .signedTransaction(jws))
        #expect(try read(Self.wrapped(jws, at: 76)) == .signedTransaction(jws))
    }

    @Test(arguments: [1, 120, 70_000])
    func appReceiptIsRecognisedByItsLength(purchases: Int) throws {
        let receipt = Self.receipt(bytes: purchases * 5)

        #expect(try read(receipt) == .appReceipt(receipt))
    }

    @Test(arguments: ["1", "430000000000001", "2000000123456789", "12345678901234567890"])
    func digitsAreATransactionID(text: String) throws {
        #expect(try read(" " + text + "\n") == .transactionID(TransactionID(rawValue: text)))
    }

    /// Whose it is, ``OddReceiptTests`` has.
    @Test(arguments: ["MIA", "MIAG"])
    func receiptOfIndefiniteLengthIsInNoKnownEncoding(prefix: String) throws {
        var bytes: [UInt8] = [0x30, 0x80, 0x06, 0x09]
        bytes += [UInt8](repeating: 7, count: 100)
        let text = Data(bytes).base64EncodedString()

        #expect(text.hasPrefix(prefix))
        #expect(throws: Reason.unsupportedEncoding) { try read(text) }
        #expect(throws: Reason.unsupportedEncoding) { try read(Data(text.utf8).base64EncodedString()) }
    }

    @Test(arguments: [
        ("nothing", ""),
        ("white space", " \r\n\t "),
        ("a UUID in capitals", "DE305D54-75B4-431B-ADB2-EB6B9E546014"),
        ("a UUID in small letters", "de305d54-75b4-431b-adb2-eb6b9e546014"),
        ("too many digits", "123456789012345678901"),
        ("digits of another script", "١٢٣٤٥"),
        ("a negative number", "-12"),
        ("words", "please give me coins"),
        ("one letter", "M"),
        ("three letters", "MII"),
        ("base64 of something else", "SGVsbG8gd29ybGQh"),
        ("a short DER sequence", "MAUCAQE="),
        ("a JWS header alone", "eyJhbGciOiJFUzI1NiJ9"),
        ("a JWS of two parts", "eyJhbGciOiJFUzI1NiJ9.e30"),
        ("a JWS of four parts", "eyJhbGciOiJFUzI1NiJ9.e30.e30.e30"),
        ("a JWS with an empty part", "eyJhbGciOiJFUzI1NiJ9..e30"),
        ("a JWS whose header is no object", "WzFd.e30.e30"),
        ("a JWS with a space inside", "eyJhbGciOiJFUzI1NiJ9.e3 0.e30"),
        ("an old property list without a purchase", "ewoJImZvbyIgPSAiYmFyIjsKfQ=="),
        ("a NUL inside", "MIIT\u{0}AAA"),
        ("padding inside", "MII=TAAA"),
        ("too much padding", "MIITAAAA="),
        ("a length that base64 never has", "MIITA"),
    ])
    func whatIsNoProofIsMalformed(name: String, text: String) {
        #expect(throws: Reason.malformedProof) { try read(text) }
    }

    @Test
    func damageOnTheWayIsMended() throws {
        let receipt = Self.receiptWithAllLetters()
        let damaged: [(String, String)] = [
            ("white space around", "\n  " + receipt + "\t\r\n"),
            ("lines of 76 letters", Self.wrapped(receipt, at: 76)),
            ("pluses turned to spaces", receipt.replacing("+", with: " ")),
            ("the URL alphabet", receipt.replacing("+", with: "-").replacing("/", with: "_")),
            ("padding lost", receipt.replacing("=", with: "")),
            ("one of two paddings lost", String(receipt.dropLast())),
            ("all of it", Self.wrapped(receipt.replacing("+", with: " ").replacing("=", with: ""), at: 64) + "\n"),
        ]

        #expect(receipt.hasSuffix("==") && receipt.contains("+") && receipt.contains("/"))
        for (name, text) in damaged {
            #expect(try read(text) == .appReceipt(receipt), "\(name)")
        }
    }

    @Test(
        arguments: [("AAA+", [0x00, 0x00, 0x3E]), ("AA++", [0x00, 0x0F, 0xBE]), ("A+++", [0x03, 0xEF, 0xBE])]
            as [(String, [UInt8])])
    func plusesAtTheEndSurviveAForm(end: String, bytes: [UInt8]) throws {
        let receipt = Self.base64(endingIn: bytes)
        let damaged = receipt.replacing("+", with: " ")

        #expect(receipt.hasSuffix(end))
        #expect(try read(damaged) == .appReceipt(receipt))
        #expect(try read(damaged + "\r\n") == .appReceipt(receipt))
    }

    @Test
    func spaceAfterALostPaddingIsNoPlus() throws {
        let receipt = Data([0x30, 0x82, 0x13, 0x01, 0x02]).base64EncodedString()

        #expect(try read(receipt.replacing("=", with: "") + " ") == .appReceipt(receipt))
    }

    @Test
    func receiptEncodedAgainIsUnwrapped() throws {
        let receipt = Self.receiptWithAllLetters()
        let twice = Data(receipt.utf8).base64EncodedString()
        let thrice = Data(twice.utf8).base64EncodedString()

        #expect(twice.hasPrefix("TUlJ"))
        #expect(try read(twice) == .appReceipt(receipt))
        #expect(try read(thrice) == .appReceipt(receipt))
    }

    @Test
    func signedTransactionEncodedOnceMoreIsUnwrapped() throws {
        let jws = "eyJhbGciOiJFUzI1NiJ9.e30.e30"

        #expect(try read(Data(jws.utf8).base64EncodedString()) == .signedTransaction(jws))
    }

    @Test
    func policyMayRefuseWhatIsWrapped() {
        var limits = ProofLimits()
        limits.layers = 0
        let twice = Data(Self.receipt(bytes: 300).utf8).base64EncodedString()

        #expect(throws: Reason.malformedProof) { try read(twice, within: limits) }
    }

    @Test
    func lengthsAreCapped() throws {
        var limits = ProofLimits()
        limits.proofBytes = 4000
        limits.signedTransactionBytes = 100
        let header = "eyJhbGciOiJFUzI1NiJ9."

        #expect(throws: Reason.proofTooLarge) { try read(String(repeating: " ", count: 4001), within: limits) }
        #expect(throws: Reason.proofTooLarge) { try read(header + String(repeating: "A", count: 80) + ".A", within: limits) }
        #expect(throws: Never.self) { try read(header + String(repeating: "A", count: 77) + ".A", within: limits) }
        #expect(throws: Never.self) { try read(Self.receipt(bytes: 2900), within: limits) }
    }

    @Test
    func limitsOutOfTheBoxAllowForYearsOfRenewals() {
        let limits = ProofLimits()

        #expect(limits.proofBytes == 4 * 1024 * 1024)
        #expect(limits.signedTransactionBytes == 64 * 1024)
        #expect(limits.layers == 3)
        #expect(throws: Never.self) { try read(Self.receipt(bytes: 3_000_000)) }
        #expect(throws: Reason.proofTooLarge) { try read(Self.receipt(bytes: 3_200_000)) }
    }

    /// Base64 that begins as an app receipt's does: a DER sequence with a length of two or three bytes.
    private static func receipt(bytes count: Int) -> String {
        var bytes: [UInt8] = count < 0x10000 ? [0x30, 0x82] : [0x30, 0x83]
        bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        return Data(bytes).base64EncodedString()
    }

    /// As ``receipt(bytes:)``, with every letter of the alphabet in it and two signs of padding.
    private static func receiptWithAllLetters() -> String {
        base64(endingIn: (0..<255).map { UInt8($0) } + [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF, 0x01])
    }

    private static func base64(endingIn bytes: [UInt8]) -> String {
        Data([0x30, 0x82, 0x13, 0xFB, 0xEF, 0xBE] + bytes).base64EncodedString()
    }

    private static func wrapped(_ text: String, at width: Int) -> String {
        var lines = ""
        for (position, character) in text.enumerated() {
            if position > 0, position % width == 0 { lines += "\r\n" }
            lines.append(character)
        }
        return lines
    }
}
