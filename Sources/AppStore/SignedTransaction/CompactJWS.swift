// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The three parts of a compact JWS (RFC 7515). All of them are claims.
struct CompactJWS: Sendable {
    static let separator = UInt8(ascii: ".")

    /// ASCII `header.payload`, which the signature is over.
    let signingInput: ArraySlice<UInt8>

    /// The header in base64url.
    let encodedHeader: ArraySlice<UInt8>

    let payload: [UInt8]

    /// Raw r and s of ES256, 64 bytes.
    let signature: [UInt8]

    /// Nil unless the text is three parts, the last two of them unpadded base64url, and the last one of 64 bytes.
    ///
    /// The parts are found from the end, where the short ones are: the header is most of the text. A further separator
    /// would be in the header, whose reader refuses it.
    init?(_ text: String) {
        let bytes = Array(text.utf8)[...]
        guard let second = bytes.lastIndex(of: Self.separator),
            let first = bytes[..<second].lastIndex(of: Self.separator),
            let payload = Base64.decode(unpadded: bytes[(first + 1)..<second], as: .url), !payload.isEmpty,
            let signature = Base64.decode(unpadded: bytes[(second + 1)...], as: .url), signature.count == 64
        else { return nil }
        self.signingInput = bytes[..<second]
        self.encodedHeader = bytes[..<first]
        self.payload = payload
        self.signature = signature
    }

    /// DER of leaf, intermediate and root, as the header claims them.
    ///
    /// - Throws: `Reason/malformedProof` unless the header names ES256, three certificates and no extension, and each of its
    ///   members once (RFC 7515, section 4).
    func certificates() throws(Reason) -> [[UInt8]] {
        guard let json = Base64.decode(unpadded: encodedHeader, as: .url),
            let members = JSONFields.object(json[...]), members.names.count == members.all.count,
            let header = try? JSONDecoder().decode(Header.self, from: Data(json)),
            header.alg == "ES256", header.x5c.count == 3, header.crit == nil
        else { throw .malformedProof }
        // Unlike the parts of the JWS, these are standard base64 with padding (RFC 7515, 4.1.6).
        let certificates = header.x5c.compactMap { Base64.decode(padded: Array($0.utf8)[...], as: .standard) }
        guard certificates.count == 3 else { throw .malformedProof }
        return certificates
    }

    private struct Header: Decodable {
        let alg: String
        let x5c: [String]

        /// Extensions that a reader must understand (RFC 7515, 4.1.11). Apple uses none, so we understand none.
        let crit: [String]?
    }

    /// Whether a text is three non-empty parts of base64url's letters.
    static func hasShape(_ text: ArraySlice<UInt8>) -> Bool {
        var separators = 0
        var isInPart = false
        for byte in text {
            if byte == separator {
                guard isInPart else { return false }
                separators += 1
                isInPart = false
            } else {
                guard byte.isBase64URLSymbol else { return false }
                isInPart = true
            }
        }
        return separators == 2 && isInPart
    }
}
