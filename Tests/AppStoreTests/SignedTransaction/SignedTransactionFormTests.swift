// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// Broken forms beyond those that the simulator forges: made out of a genuine signed transaction, part by part.
@Suite
struct SignedTransactionFormTests {
    /// What is changed in the header's text.
    struct HeaderCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let genuine: String
        let broken: String

        init(_ name: String, _ genuine: String, _ broken: String) {
            testDescription = name
            self.genuine = genuine
            self.broken = broken
        }
    }

    /// The certificates in `x5c`, by their place in the genuine chain of transactions, or (from 10) of receipts.
    struct ChainCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let certificates: [Int]
        let reason: Reason
    }

    private let fixture: SigningFixture
    private let parts: [[UInt8]]

    init() throws {
        fixture = try SigningFixture()
        parts = try fixture.transaction().signedTransaction(by: fixture.authority).split(separator: ".")
            .compactMap { Base64.decode(unpadded: Array($0.utf8)[...], as: .url) }
    }

    private func verdict(on parts: [[UInt8]]) async throws -> Result<Transaction, Reason> {
        await SigningFixture.verdict(
            of: try fixture.verifier(), on: parts.map(Self.base64URL).joined(separator: "."))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test
    func unchangedPartsVerify() async throws {
        #expect(parts.count == 3)
        #expect(try await verdict(on: parts).get().bundleID == SigningFixture.bundleID)
    }

    @Test(arguments: [
        HeaderCase("algorithm in lower case", #""ES256""#, #""es256""#),
        HeaderCase("algorithm of a longer hash", #""ES256""#, #""ES384""#),
        HeaderCase("algorithm of another curve", #""ES256""#, #""ES256K""#),
        HeaderCase("algorithm with white space", #""ES256""#, #""ES256 ""#),
        HeaderCase("algorithm without a name", #""ES256""#, #""""#),
        HeaderCase("algorithm null", #""ES256""#, "null"),
        HeaderCase("algorithm in a list", #""ES256""#, #"["ES256"]"#),
        HeaderCase("algorithm a number", #""ES256""#, "256"),
        HeaderCase("field of the algorithm in capitals", #""alg""#, #""ALG""#),
        HeaderCase("certificates under another name", #""x5c""#, #""x5u""#),
        HeaderCase("certificates a text", #""x5c":["#, #""x5c":"MII","more":["#),
        HeaderCase("certificates null", #""x5c":["#, #""x5c":null,"more":["#),
        HeaderCase("certificate null before the others", #""x5c":["#, #""x5c":[null,"#),
        HeaderCase("certificate in a line of its own", #""x5c":["M"#, #""x5c":["\nM"#),
        HeaderCase("certificate behind white space", #""x5c":["M"#, #""x5c":[" M"#),
        HeaderCase("certificate with padding in front", #""x5c":["M"#, #""x5c":["=M"#),
        HeaderCase("extension that must be understood", "{", #"{"crit":["exp"],"exp":0,"#),
        HeaderCase("header in a list", "{", "[{"),
        HeaderCase("something before the header", "{", "0{"),
    ])
    func brokenHeaderIsMalformed(row: HeaderCase) async throws {
        let header = String(decoding: parts[0], as: UTF8.self)
        let range = try #require(header.firstRange(of: row.genuine))

        let broken = header[..<range.lowerBound] + row.broken + header[range.upperBound...]

        #expect(try await verdict(on: [Array(broken.utf8), parts[1], parts[2]]) == .failure(.malformedProof))
    }

    @Test(arguments: [
        ChainCase(testDescription: "leaf in each place", certificates: [0, 0, 0], reason: .untrustedRoot),
        ChainCase(testDescription: "root in each place", certificates: [2, 2, 2], reason: .badCertificate),
        ChainCase(testDescription: "leaf as its own authority", certificates: [0, 0, 2], reason: .badCertificate),
        ChainCase(testDescription: "root as the intermediate", certificates: [0, 2, 2], reason: .badCertificate),
        ChainCase(testDescription: "intermediate as the leaf", certificates: [1, 1, 2], reason: .badCertificate),
        ChainCase(testDescription: "intermediate as the root", certificates: [0, 1, 1], reason: .untrustedRoot),
        ChainCase(testDescription: "leaf and intermediate exchanged", certificates: [1, 0, 2], reason: .badCertificate),
        ChainCase(testDescription: "leaf of receipts", certificates: [10, 1, 2], reason: .badCertificate),
        ChainCase(testDescription: "intermediate of receipts", certificates: [0, 11, 2], reason: .badCertificate),
        ChainCase(testDescription: "chain of receipts", certificates: [10, 11, 12], reason: .badCertificate),
    ])
    func certificatesInOtherPlacesAreRefused(row: ChainCase) async throws {
        let ours = try fixture.authority.chain.map { Data(try $0.derBytes).base64EncodedString() }
        let receipts = try fixture.authority.receiptChain.map { Data(try $0.derBytes).base64EncodedString() }
        let x5c = row.certificates.map { "\"" + ($0 < 10 ? ours[$0] : receipts[$0 - 10]) + "\"" }

        let header = Array((#"{"alg":"ES256","x5c":["# + x5c.joined(separator: ",") + "]}").utf8)

        #expect(try await verdict(on: [header, parts[1], parts[2]]) == .failure(row.reason))
    }

    /// Among them the zeros that verifiers without a check of ranges have taken for a signature by anyone.
    @Test(arguments: [
        [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), order + order,
        [UInt8](repeating: 0, count: 63) + [1], [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 32),
    ])
    func signatureOutsideOfTheCurveIsBad(signature: [UInt8]) async throws {
        #expect(try await verdict(on: [parts[0], parts[1], signature]) == .failure(.badSignature))
    }

    /// One byte short, one too many, and none.
    @Test(arguments: [0, 63, 65, 128])
    func signatureOfAnotherLengthIsMalformed(length: Int) async throws {
        let signature = (parts[2] + parts[2]).prefix(length)

        #expect(try await verdict(on: [parts[0], parts[1], Array(signature)]) == .failure(.malformedProof))
    }

    @Test(arguments: ["=", " ", "\n", "."])
    func partIsFollowedByNothing(text: String) async throws {
        let jws = parts.map(Self.base64URL).joined(separator: ".")
        let second = try #require(jws.lastIndex(of: "."))
        let broken = [jws + text, jws[..<second] + text + jws[second...]]

        for broken in broken.map({ String($0) }) {
            let verdict = await SigningFixture.verdict(of: try fixture.verifier(), on: broken)
            #expect(verdict == .failure(.malformedProof))
        }
    }

    /// The bits behind the last byte of a part belong to no byte, so that another letter would be the same signature.
    @Test
    func partIsWrittenInOneWayOnly() async throws {
        let jws = parts.map(Self.base64URL).joined(separator: ".")
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(jws.last.flatMap(letters.firstIndex))

        let broken = jws.dropLast() + String(letters[last | 1])

        #expect(last % 16 == 0)
        #expect(
            await SigningFixture.verdict(of: try fixture.verifier(), on: String(broken)) == .failure(.malformedProof))
    }

    /// The order of P-256's base point (FIPS 186-4, D.1.2.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
