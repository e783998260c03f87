// SPDX-License-Identifier: Apache-2.0

/// The three parts of a compact JWS (RFC 7515); nothing in them is believed yet.
struct CompactJWS {
    static let separator = UInt8(ascii: ".")

    /// ASCII `header.payload`, which the signature is over.
    let signingInput: ArraySlice<UInt8>

    /// The header in base64url.
    let encodedHeader: ArraySlice<UInt8>

    let payload: [UInt8]

    /// Raw r and s of ES256, 64 bytes.
    let signature: [UInt8]

    /// Nil when the text isn't three parts, the last two of them unpadded base64url, and the last one of 64 bytes.
    ///
    /// They are found from the end, where the short ones are: the header is most of the text. A further separator would be in
    /// the header, whose reader refuses it.
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
