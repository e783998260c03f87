// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A key of the App Store Server API: whose it is, which, and the private half.
///
/// One serves all apps of an account, in both environments. A class, so that a token can be told to be of this very
/// key: reading a credential again makes another one.
final class ServerAPIKey: Sendable {
    /// The contents of a credential's file.
    private struct File: Decodable {
        let issuerID: LenientField<String>
        let keyID: LenientField<String>
        let privateKey: LenientField<String>

        private enum CodingKeys: String, CodingKey {
            case issuerID = "issuer_id"
            case keyID = "key_id"
            case privateKey = "private_key"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            issuerID = LenientField(fields, .issuerID)
            keyID = LenientField(fields, .keyID)
            privateKey = LenientField(fields, .privateKey)
        }
    }

    /// Longest id taken; Apple's have 36 and 10 characters.
    private static let longestID = 64

    /// The account's id, from App Store Connect.
    let issuerID: String

    /// The key's id, from App Store Connect.
    let keyID: String

    let signingKey: SigningKey

    /// Reads `{"issuer_id": "…", "key_id": "…", "private_key": "-----BEGIN PRIVATE KEY-----…"}`.
    ///
    /// - Throws: which field is wrong, and nothing of what is in it.
    init(contents: [UInt8]) throws(CredentialFault) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(contents)) else {
            throw CredentialFault("is not a JSON object with issuer_id, key_id and private_key")
        }
        guard let issuerID = file.issuerID.value, Self.isID(issuerID) else {
            throw CredentialFault("has no usable issuer_id, which is a text of letters, digits and hyphens")
        }
        guard let keyID = file.keyID.value, Self.isID(keyID) else {
            throw CredentialFault("has no usable key_id, which is a text of letters, digits and hyphens")
        }
        guard let signingKey = file.privateKey.value.flatMap(SigningKey.init(pem:)) else {
            throw CredentialFault("has no usable private_key, which is the text of a .p8 file: a P-256 key in PKCS#8")
        }
        self.issuerID = issuerID
        self.keyID = keyID
        self.signingKey = signingKey
    }

    private static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}
