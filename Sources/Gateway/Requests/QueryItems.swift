// SPDX-License-Identifier: Apache-2.0

/// The parameters of a query, each once, and no others than a route knows.
package struct QueryItems: Hashable, Sendable {
    private let values: [String: String]

    /// - Throws: `malformed_request` for a parameter that comes twice, `unknown_member` for one that isn't known.
    package init(_ query: Substring, knowing known: Set<String>) throws(Problem) {
        var values: [String: String] = [:]
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try PercentDecoding.decode(parts[0])
            guard known.contains(name) else {
                throw Problem(.unknownMember, "this route has no parameter of this name", facts: ["member": .string(name)])
            }
            guard values[name] == nil else {
                throw Problem(.malformedRequest, "a parameter comes twice", facts: ["member": .string(name)])
            }
            values[name] = parts.count > 1 ? try PercentDecoding.decode(parts[1]) : ""
        }
        self.values = values
    }

    package subscript(_ name: String) -> String? { values[name] }

    /// - Throws: `malformed_request` where it is missing or empty.
    package func required(_ name: String) throws(Problem) -> String {
        guard let value = values[name], !value.isEmpty else {
            throw Problem(.malformedRequest, "this parameter is needed", facts: ["member": .string(name)])
        }
        return value
    }

    package func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = values[name] else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw Problem(
                .malformedRequest, "a number from \(range.lowerBound) to \(range.upperBound)", facts: ["member": .string(name)])
        }
        return number
    }

    package func bool(_ name: String) throws(Problem) -> Bool {
        switch values[name] {
        case nil, "false": false
        case "true": true
        default: throw Problem(.malformedRequest, "true or false", facts: ["member": .string(name)])
        }
    }

    /// Values separated by commas; nil where it isn't given.
    package func list(_ name: String) -> Set<String>? {
        values[name].map { Set($0.split(separator: ",").map(String.init)) }
    }
}
