// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct ServerAPIKeyTests {
    private static let pem = P256.Signing.PrivateKey().pemRepresentation

    @Test(arguments: [
        pem, "\n  " + pem + "\n\n", pem.replacing("\n", with: "\r\n"), pem.replacing("\n", with: ""),
        pem.replacing("\n", with: " "),
    ])
    func keyIsReadHoweverItsLinesEnd(pem: String) throws {
        let key = try ServerAPIKey(contents: try Self.contents(pem))

        let signature = try #require(key.signingKey.signature(over: [1, 2, 3]))
        let publicKey = try P256.Signing.PrivateKey(pemRepresentation: Self.pem).publicKey
        #expect(key.keyID == "2X9R4HXF34" && key.issuerID == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(
            publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data([1, 2, 3])))
    }

    @Test(
        arguments: [
            ("no JSON", "issuer_id, key_id and private_key"), ("", "issuer_id, key_id and private_key"),
            ("[]", "issuer_id, key_id and private_key"), ("{}", "issuer_id"), (#"{"issuer_id": 1}"#, "issuer_id"),
            (#"{"issuer_id": "a b"}"#, "issuer_id"), (#"{"issuer_id": ""}"#, "issuer_id"),
            (#"{"issuer_id": "a"}"#, "key_id"), (#"{"issuer_id": "a", "key_id": "x\ny"}"#, "key_id"),
            (#"{"issuer_id": "a", "key_id": "b"}"#, "private_key"),
            (#"{"issuer_id": "a", "key_id": "b", "private_key": "secretsecret"}"#, "private_key"),
        ])
    func whatIsWrongWithAFileIsNamed(contents: String, field: String) throws {
        let fault = #expect(throws: CredentialFault.self) { try ServerAPIKey(contents: Array(contents.utf8)) }

        #expect(fault?.problem.contains(field) == true)
        #expect(fault?.problem.contains("secretsecret") == false)
    }

    @Test
    func keyOfAnotherKindIsRefused() throws {
        let body = Self.pem.split(separator: "\n").dropFirst().dropLast().joined()
        let others = [
            P384.Signing.PrivateKey().pemRepresentation,
            P256.Signing.PrivateKey().publicKey.pemRepresentation,
            Self.pem.replacing("PRIVATE KEY", with: "EC PRIVATE KEY"),
            "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----" + body.dropLast(8) + "-----END PRIVATE KEY-----", body,
        ]
        for pem in others {
            #expect(throws: CredentialFault.self) { try ServerAPIKey(contents: try Self.contents(pem)) }
        }
    }

    @Test
    func keyNeverShowsItself() throws {
        let key = try ServerAPIKey(contents: try Self.contents(Self.pem))
        var dumped = ""
        dump(key, to: &dumped)
        dump(key.signingKey, to: &dumped)
        let shown = [
            "\(key)", String(reflecting: key), "\(key.signingKey)", String(reflecting: [key.signingKey]), dumped,
        ]

        let scalar = try P256.Signing.PrivateKey(pemRepresentation: Self.pem).rawRepresentation.base64EncodedString()
        let lines = Self.pem.split(separator: "\n").dropFirst().dropLast() + [scalar[...]]
        #expect(shown.allSatisfy { text in lines.allSatisfy { !text.contains($0) } })
        #expect(dumped.contains("a signing key"))
    }

    private static func contents(_ pem: String) throws -> [UInt8] {
        let file = [
            "issuer_id": "57246542-96fe-1a63-e053-0824d011072a", "key_id": "2X9R4HXF34", "private_key": pem,
        ]
        return Array(try JSONEncoder().encode(file))
    }
}
