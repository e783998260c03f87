// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The fields of a signed transaction's payload that stand there twice with different values.
///
/// A decoder keeps one of the two in silence, and which one is its own affair. Apple signs no such object, so that nobody knows
/// which of the values it means.
///
/// One pass over the bytes, without recursion. Values are compared as they are written: `1` and `1.0` differ.
struct RepeatedFields {
    /// Of an object inside a field, the field counts.
    private(set) var names: Set<String> = []

    /// Those of them that decide about money, in order of the alphabet.
    var decidingMoney: [String] {
        names.filter { SignedTransactionField(rawValue: $0)?.decidesMoney ?? false }.sorted()
    }

    /// The fields so far of one object or array that is still open.
    private struct Level {
        let isObject: Bool
        var name: String?
        var valueStart = 0
        var values: [String: ArraySlice<UInt8>] = [:]
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    init() {}

    /// - Parameter json: UTF-8 that a decoder took for an object; of other bytes the result means nothing.
    init(in json: [UInt8]) {
        var levels: [Level] = []
        var position = 0
        while position < json.count {
            switch json[position] {
            case Self.quote:
                let end = Self.endOfText(in: json, from: position)
                if let level = levels.indices.last, levels[level].isObject, levels[level].name == nil {
                    levels[level].name = Self.text(json[position..<end])
                    levels[level].valueStart = end
                }
                position = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                levels.append(Level(isObject: json[position] == UInt8(ascii: "{")))
            case UInt8(ascii: ","):
                endField(of: &levels, at: position, in: json)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                endField(of: &levels, at: position, in: json)
                _ = levels.popLast()
            default:
                break
            }
            position += 1
        }
    }

    private mutating func endField(of levels: inout [Level], at end: Int, in json: [UInt8]) {
        guard let level = levels.indices.last, let name = levels[level].name else { return }
        let value = json[levels[level].valueStart..<end].drop { $0.isWhitespace || $0 == UInt8(ascii: ":") }.trimmingWhitespace()
        levels[level].name = nil
        guard let other = levels[level].values.updateValue(value, forKey: name), !other.elementsEqual(value) else { return }
        names.insert(levels[0].name ?? name)
    }

    /// The position behind the quote that closes a text.
    private static func endOfText(in json: [UInt8], from start: Int) -> Int {
        var position = start + 1
        while position < json.count, json[position] != quote {
            position += json[position] == backslash ? 2 : 1
        }
        return min(position + 1, json.count)
    }

    /// The name in quotes, with its escapes resolved: two spellings of one name are the same field.
    private static func text(_ quoted: ArraySlice<UInt8>) -> String {
        if quoted.contains(backslash), let text = try? JSONDecoder().decode(String.self, from: Data(quoted)) { return text }
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
}
