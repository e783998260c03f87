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

    // Can't.
    case cutInHalf
    case foreignCharacters

    package static let mendable: [ProofDamage] = [
        .lineBreaks, .surroundingSpace, .plusesTurnedIntoSpaces, .urlAlphabet, .missingPadding, .encodedTwice,
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
        case .cutInHalf:
            // Whole groups of four, so that it is base64 still.
            return String(text.prefix(text.count / 8 * 4))
        case .foreignCharacters:
            return text.prefix(40) + "!?*" + text.dropFirst(43)
        }
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
