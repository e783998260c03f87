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
        let text = String(decoding: contents, as: UTF8.self)
        guard let file = try? JSONDecoder().decode(File.self, from: Data(contents)) else {
            throw Self.isKeyItself(text)
                ? CredentialFault(
                    "is a .p8 file itself: it must be a JSON object with issuer_id, key_id and private_key, which is the text of that file"
                )
                : Self.hasRealLineEnds(text)
                    ? Self.realLineEnds : CredentialFault("is not a JSON object with issuer_id, key_id and private_key")
        }
        guard let issuerID = file.issuerID.value, Self.isID(issuerID) else {
            throw CredentialFault("has no usable issuer_id, which is a text of letters, digits and hyphens")
        }
        guard let keyID = file.keyID.value, Self.isID(keyID) else {
            throw CredentialFault("has no usable key_id, which is a text of letters, digits and hyphens")
        }
        guard let signingKey = file.privateKey.value.flatMap(SigningKey.init(pem:)) else {
            if Self.hasRealLineEnds(text) { throw Self.realLineEnds }
            if let key = file.privateKey.value, key.contains("-----BEGIN"), !key.contains(where: \.isNewline) {
                throw CredentialFault("has a private_key without line ends: write each line end of the .p8 file as \\n")
            }
            throw CredentialFault("has no usable private_key, which is the text of a .p8 file: a P-256 key in PKCS#8")
        }
        self.issuerID = issuerID
        self.keyID = keyID
        self.signingKey = signingKey
    }

    private static let realLineEnds = CredentialFault(
        "has real line ends within private_key, which JSON doesn't allow: write each as \\n")

    private static func isKeyItself(_ text: String) -> Bool {
        text.drop { $0.isWhitespace }.hasPrefix("-----BEGIN")
    }

    /// A line of the file ends within the key's text.
    private static func hasRealLineEnds(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "-----BEGIN"), let end = text[start.upperBound...].firstRange(of: "-----END") else {
            return false
        }
        return text[start.upperBound..<end.lowerBound].contains(where: \.isNewline)
    }

    private static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}
