// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// How an id of the shop's stands in a path or a header: proxies decode, merge and refuse much of what an id may have.
///
/// | Id | Stands as |
/// |---|---|
/// | 1 to 200 letters, digits, `.`, `_`, `-`, and neither `.` nor `..` | itself |
/// | any other | `~` and the base64url of its UTF-8, without padding |
package enum PathID {
    private static let longestPlain = 200

    /// The id that a segment stands for.
    ///
    /// - Throws: `malformed_request` for a segment of neither form.
    package static func decode(_ segment: String) throws(Problem) -> String {
        if isPlain(segment) { return segment }
        if segment.first == "~", let id = decodeBase64URL(segment.dropFirst()), !id.isEmpty, !id.utf8.contains(0) { return id }
        throw Problem(.malformedRequest, "an id with other characters than A-Z a-z 0-9 . _ - stands as ~ and its base64url")
    }

    package static func encode(_ id: String) -> String {
        guard !isPlain(id) else { return id }
        return "~" + encodeBase64URL(Array(id.utf8))
    }

    private static func isPlain(_ text: String) -> Bool {
        guard (1...longestPlain).contains(text.utf8.count), text != ".", text != ".." else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    package static func encodeBase64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil for what `encodeBase64URL` would not have written: one id has one form.
    package static func decodeBase64URL(_ text: some StringProtocol) -> String? {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), encodeBase64URL(Array(data)) == text else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
