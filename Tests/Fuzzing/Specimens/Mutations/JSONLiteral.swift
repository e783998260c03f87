// SPDX-License-Identifier: Apache-2.0

import Fuzzing

/// A value of a field, as it stands in JSON.
enum JSONLiteral: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    /// An array or an object, written out.
    case composite(String)

    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): "\"" + text.unicodeScalars.map(Self.escaped).joined() + "\""
        case .composite(let json): json
        }
    }

    /// The whole number that is written in digits alone.
    var integer: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }

    private static func escaped(_ character: Unicode.Scalar) -> String {
        switch character {
        case "\0": #"\u0000"#
        case "\"", #"\"#: #"\"# + String(character)
        default: String(character)
        }
    }

    /// Values of every type and size, each with the change that it stands for.
    static func changes(of original: JSONLiteral?) -> [(MutatedProof.Mutation, JSONLiteral)] {
        var changes: [(MutatedProof.Mutation, JSONLiteral)] = [
            (.null, .null), (.wrongType, .bool(true)), (.wrongType, .number("7")), (.wrongType, .text("seven")),
            (.wrongType, .composite("[7]")), (.wrongType, .composite(#"{"seven":7}"#)), (.empty, .text("")),
            (.empty, .composite("[]")), (.empty, .composite("{}")), (.empty, .number("0")),
            (.huge, .text(String(repeating: "7", count: 5000))), (.huge, .text(String(repeating: "x", count: 200))),
            (.huge, .number("1e300")), (.huge, .number("99999999999999999999")), (.negative, .number("-1")),
            (.negative, .number("-1e300")), (.negative, .text("-1")), (.nul, .text("\0")),
            (.unknownValue, .text("SOMETHING_NEW")), (.unknownValue, .number("123456789")), (.fraction, .number("1.5")),
            (.fraction, .text("1.5")),
        ]
        switch original {
        case .text(let text)?: changes.append((.nul, .text(text + "\0")))
        case .number(let digits)?: changes.append((.fraction, .number(digits + ".25")))
        case .null?, .bool?, .composite?, nil: break
        }
        return changes
    }
}
