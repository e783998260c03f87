// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a proof may suffer on its way from the device to the shop.
package enum ProofDamage: String, CaseIterable, Sendable {
    // Can be mended without guessing.
    case lineBreaks
    case surroundingSpace
    case plusesTurnedIntoSpaces
    case urlAlphabet
    case missingPadding
    case encodedTwice

    // Wrapped: can be unwrapped, several of them too.
    case jsonString
    case escapedSlashes
    case jsonObject
    case percentCodes
    case characterReferences
    case hexadecimal
    case byteOrderMark
    case zeroWidthSpaces
    case foldedLines

    // Can't.
    case cutInHalf
    case foreignCharacters

    package static let mendable: [ProofDamage] = [
        .lineBreaks, .surroundingSpace, .plusesTurnedIntoSpaces, .urlAlphabet, .missingPadding, .encodedTwice,
    ]

    package static let wrappings: [ProofDamage] = [
        .jsonString, .escapedSlashes, .jsonObject, .percentCodes, .characterReferences, .hexadecimal, .byteOrderMark,
        .zeroWidthSpaces, .foldedLines,
    ]

    /// Those that a signed transaction's text survives: it has neither padding nor pluses.
    package static let mendableInSignedTransactions: [ProofDamage] = [.lineBreaks, .surroundingSpace, .encodedTwice]

    package func applied(to text: String) -> String {
        switch self {
        case .lineBreaks:
            return Self.lines(of: text).joined(separator: "\r\n")
        case .surroundingSpace:
            return "\n  " + text + " \t\n"
        case .plusesTurnedIntoSpaces:
            return text.replacing("+", with: " ")
        case .urlAlphabet:
            return text.replacing("+", with: "-").replacing("/", with: "_")
        case .missingPadding:
            return String(text.prefix { $0 != "=" })
        case .encodedTwice:
            return Data(text.utf8).base64EncodedString()
        case .jsonString: return Self.quoted(text)
        case .escapedSlashes: return Self.quoted(text).replacing("/", with: #"\/"#)
        case .jsonObject: return #"{"proof":\#(Self.quoted(text)),"platform":"ios"}"#
        case .percentCodes:
            let codes = ["%": "%25", "+": "%2B", "/": "%2F", "=": "%3D", ".": "%2E", "\"": "%22"]
            return text.map { codes[String($0)] ?? String($0) }.joined()
        case .characterReferences:
            let codes = ["&": "&amp;", "+": "&#43;", "/": "&#x2F;", "=": "&#61;", ".": "&#46;", "\"": "&quot;"]
            return text.map { codes[String($0)] ?? String($0) }.joined()
        case .hexadecimal:
            let digits = Array("0123456789abcdef")
            return #"\x"# + text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        case .byteOrderMark: return "\u{FEFF}" + text
        case .zeroWidthSpaces: return Self.lines(of: text).joined(separator: "\u{200B}")
        case .foldedLines: return Self.lines(of: text).joined(separator: "\r\n\t")
        case .cutInHalf:
            // Whole groups of four, so that it is base64 still.
            return String(text.prefix(text.count / 8 * 4))
        case .foreignCharacters:
            return text.prefix(40) + "!?*" + text.dropFirst(43)
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#) + "\""
    }

    private static func lines(of text: String) -> [Substring] {
        var rest = Substring(text)
        var lines: [Substring] = []
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return lines
    }
}
