// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// A wrapped proof is worth what the proof inside is worth: genuine or forged.
@Suite
struct WrappedProofTests {
    private let reader = ProofReader()

    private func reason(of text: String) -> Reason? {
        do {
            _ = try reader.read(text)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: Wrapping.all)
    func wrappedTransactionIsReadAndTheForgedOneIsRefused(wrapping: Wrapping) async throws {
        let fixture = try SigningFixture()
        let verifier = try fixture.verifier()
        let genuine = try fixture.transaction().signedTransaction(by: fixture.authority)
        let forged = try fixture.transaction().signedTransaction(by: fixture.authority, forged: .payloadSwapped)

        let found = try reader.read(wrapping.wrap(genuine))
        let foundForged = try reader.read(wrapping.wrap(forged))

        #expect(found == ReadProof(.signedTransaction(genuine), repairs: wrapping.repairs))
        #expect(foundForged == ReadProof(.signedTransaction(forged), repairs: wrapping.repairs))
        #expect((try? await SigningFixture.verdict(of: verifier, on: genuine).get()) != nil)
        #expect(await SigningFixture.verdict(of: verifier, on: forged) == .failure(.badSignature))
    }

    @Test(arguments: Wrapping.all)
    func wrappedReceiptIsReadAndTheForgedOneIsRefused(wrapping: Wrapping) async throws {
        let fixture = try ReceiptFixture()
        let verifier = try fixture.verifier()
        let genuine = try ReceiptFixture.receipt().signed(by: fixture.authority)
        let forged = try ReceiptFixture.receipt().signed(by: fixture.authority, forged: .contentReplaced)

        let found = try reader.read(wrapping.wrap(genuine))
        let foundForged = try reader.read(wrapping.wrap(forged))

        #expect(found == ReadProof(.appReceipt(genuine), repairs: wrapping.repairs))
        #expect(foundForged == ReadProof(.appReceipt(forged), repairs: wrapping.repairs))
        #expect((try? await ReceiptFixture.verdict(of: verifier, on: genuine).get()) != nil)
        #expect(await ReceiptFixture.verdict(of: verifier, on: forged) == .failure(.badSignature))
    }

    // MARK: Ids

    @Test(arguments: [
        (#""2000000123456789""#, [ProofRepair.jsonString]), (#"{"transactionId":"2000000123456789"}"#, [.jsonObject]),
        (#"{"transactionId":2000000123456789,"quantity":1,"price":4990}"#, [.jsonObject]),
        (#"{"purchase":{"transaction_id":"2000000123456789","productId":"coins"}}"#, [.jsonObject]),
        ("[2000000123456789]", [.jsonArray]), ("\u{FEFF}2000000123456789", [.byteOrderMark]),
        ("MjAwMDAwMDEyMzQ1Njc4OQ==", [.base64]), ("2000000123456789", []),
    ])
    func wrappedIDIsAnID(text: String, repairs: [ProofRepair]) throws {
        let id = Proof.transactionID(TransactionID(rawValue: "2000000123456789"))

        #expect(try reader.read(text) == ReadProof(id, repairs: repairs))
    }

    /// Prices, dates and quantities are digits, too.
    @Test(arguments: [
        #"{"price":4990}"#, #"{"originalTransactionId":"1"}"#, #"{"quantity":"2"}"#, #"{"transactionId":-2}"#,
        #"{"transactionId":"2.0"}"#,
    ])
    func digitsUnderAnotherNameAreNoID(text: String) {
        #expect(reason(of: text) == .malformedProof)
    }

    // MARK: Nothing is guessed

    @Test
    func oneOfTwoProofsIsNotChosen() throws {
        let fixture = try SigningFixture()
        let (one, other) = (
            try fixture.transaction().signedTransaction(by: fixture.authority),
            try fixture.transaction { $0.quantity = 2 }.signedTransaction(by: fixture.authority)
        )
        let texts = [
            #"{"a":"\#(one)","b":"\#(other)"}"#, #"["\#(one)","\#(other)"]"#, #"{"a":"\#(one)","a":"\#(other)"}"#,
            #"{"a":"\#(one)","b":{"c":"\#(other)"}}"#, #"{"transactionId":"1","b":{"transactionId":"2"}}"#, "[1, 2]",
            one + other, "\(one)\n\(other)", "a=\(one)&b=\(other)", "{a: \(one), b: \(other)}", "P(a: \(one), b: [\(other)])",
        ]

        for text in texts {
            #expect(reason(of: text) == .malformedProof, "\(text.prefix(20))")
        }
    }

    /// A space may be a `+` of the standard alphabet, or nothing.
    @Test
    func spaceInsideALineOfATransactionIsNotGuessed() throws {
        #expect(reason(of: "eyJhbGciOiJFUzI1NiJ9.e3 0.e30") == .malformedProof)
        #expect(throws: Never.self) { try reader.read("eyJhbGciOiJFUzI1NiJ9.e3\n 0.e30") }
    }

    @Test(arguments: [
        "eyJhbGciOiJFUzI1NiJ9.e30==.e30", "eyJhbGciOiJFUzI1NiJ9.e=30.e30", "eyJhbGciOiJFUzI1NiJ9.e30%2.e30",
        #""eyJhbGciOiJFUzI1NiJ9.e30.e30"#,
        #""eyJhbGciOiJFUzI1NiJ9.e30.e30" and more"#, #"{"a":"eyJhbGciOiJFUzI1NiJ9.e30.e30"} {}"#,
        #"{"a":"eyJhbGciOiJFUzI1NiJ9.e30.e30""#,
        #"eyJhbGciOiJFUzI1NiJ9.e30.e30\q"#, "eyJhbGciOiJFUzI1NiJ9.e30.e30&bogus;", #"\x65794"#, #""\ud800""#,
        "eyJhbGciOiJFUzI1NiJ9.é.e30", "data:eyJhbGciOiJFUzI1NiJ9.e30.e30", "data:text/ plain,eyJhbGciOiJFUzI1NiJ9.e30.e30",
        "Bearer", "a b=eyJhbGciOiJFUzI1NiJ9.e30.e30", "a=1&eyJhbGciOiJFUzI1NiJ9.e30.e30", "a=eyJhbGciOiJFUzI1NiJ9.e30.e30%2",
        "{a: eyJhbGciOiJFUzI1NiJ9.e30.e30", "{a: eyJhbGciOiJFUzI1NiJ9.e30.e30} {}", "a word {a: eyJhbGciOiJFUzI1NiJ9.e30.e30}",
        "{a: 1}, b: eyJhbGciOiJFUzI1NiJ9.e30.e30}",
    ])
    func halfAWrappingIsNone(text: String) {
        #expect(reason(of: text) == .malformedProof)
    }

    // MARK: Limits

    @Test
    func fourLayersAreTooMany() throws {
        let jws = "eyJhbGciOiJFUzI1NiJ9.e30.e30"
        var text = jws
        for layer in 1...4 {
            text = Data(text.utf8).base64EncodedString()
            #expect((try? reader.read(text).proof) == (layer < 4 ? .signedTransaction(jws) : nil), "\(layer)")
        }
    }

    @Test
    func decodedSizeCountsAgainstTheLimit() throws {
        var limits = ProofLimits()
        (limits.signedTransactionBytes, limits.proofBytes) = (100, 1000)
        let reader = ProofReader(limits: limits)
        let head = "eyJhbGciOiJFUzI1NiJ9."
        let (short, long) = (head + String(repeating: "A", count: 77) + ".A", head + String(repeating: "A", count: 78) + ".A")

        // The wrapping itself doesn't count.
        #expect(throws: Never.self) { try reader.read(#"{"proof":"\#(short)"}"#) }
        #expect(throws: UnreadableProof(.proofTooLarge)) { try reader.read(#"{"proof":"\#(long)"}"#) }
        // Encoded, it is longer than what came.
        #expect(throws: UnreadableProof(.proofTooLarge)) { try reader.read("0%82" + String(repeating: "x", count: 800)) }
    }

    @Test
    func objectOfVeryManyFieldsIsNotLookedInto() {
        let fields = (0..<300).map { #""f\#($0)":0"# }.joined(separator: ",")

        #expect(reason(of: #"{\#(fields),"proof":"eyJhbGciOiJFUzI1NiJ9.e30.e30"}"#) == .malformedProof)
    }

    // MARK: Base64

    @Test(arguments: [
        ("padding", "eyJhbGciOiJFUzI1NiJ9.e30=.e30=", [ProofRepair.padding]),
        ("the standard alphabet", "eyJhbGciOiJFUzI1NiJ9.e3+/.e30", [.standardAlphabet]),
    ])
    func transactionInAnotherEncodingIsMended(name: String, text: String, repairs: [ProofRepair]) throws {
        let mended = text.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")

        #expect(try reader.read(text) == ReadProof(.signedTransaction(mended), repairs: repairs))
    }

    /// Of the readings of a space beside a line's end, that one counts that fits the length in the receipt.
    @Test
    func spaceBesideALineEndIsWhateverFitsTheReceipt() throws {
        let folded = Data([0x30, 0x82, 0x00, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 9]).base64EncodedString()
        let withPlus = Data([0x30, 0x82, 0x00, 0x0A, 0, 0, 0xFB, 0xEF, 0xBE, 1, 2, 3, 4, 5]).base64EncodedString()
        #expect(withPlus == "MIIACgAA++++AQIDBAU=")

        let fold = "\(folded.prefix(8))\n \(folded.dropFirst(8))".replacing("=", with: "")
        #expect(try reader.read(fold) == ReadProof(.appReceipt(folded), repairs: [.foldedLines, .padding]))
        #expect(
            try reader.read("MIIACgAA\n +++AQIDBAU") == ReadProof(.appReceipt(withPlus), repairs: [.spacesForPlus, .padding]))
    }

    @Test
    func receiptWithoutBase64IsEncoded() throws {
        let receipt = try ReceiptFixture.receipt().signed(by: try ReceiptFixture().authority)
        let bytes = try #require(Data(base64Encoded: receipt))

        let hex = #"\x"# + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(try reader.read(hex) == ReadProof(.appReceipt(receipt), repairs: [.hex, .unencodedReceipt]))
    }

    @Test
    func mendedBase64IsNamed() throws {
        let receipt = Data([0x30, 0x82, 0x00, 0x09, 0, 0, 0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF, 1]).base64EncodedString()
        let damaged: [(String, [ProofRepair])] = [
            (receipt.replacing("+", with: " "), [.spacesForPlus]),
            (receipt.replacing("+", with: "-").replacing("/", with: "_"), [.urlAlphabet]),
            (receipt.replacing("=", with: ""), [.padding]),
            ("\(receipt.prefix(8))\r\n\(receipt.dropFirst(8))", []),
        ]

        #expect(receipt.contains("+") && receipt.contains("/") && receipt.hasSuffix("=="))
        for (text, repairs) in damaged {
            #expect(try reader.read(text) == ReadProof(.appReceipt(receipt), repairs: repairs), "\(text)")
        }
    }
}
