// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A fact that the product found in a text, in the form in which its owner may name it.
enum GenuineFact: Hashable, Sendable {
    case absent
    case flag(Bool)
    case number(Int64)
    /// Compared without regard to the case of letters only where it is a UUID.
    case text(String)
    /// Named by Apple's milliseconds, or as `2025-12-26T18:39:47Z`.
    case date(Date)
    /// Purchases, each by its `transactionId`.
    case list([[String: GenuineFact]])
    case object([String: GenuineFact])

    init(text: String?) { self = text.map(GenuineFact.text) ?? .absent }
    init(date: Date?) { self = date.map(GenuineFact.date) ?? .absent }
    init(number: Int64?) { self = number.map(GenuineFact.number) ?? .absent }
    init(flag: Bool?) { self = flag.map(GenuineFact.flag) ?? .absent }

    /// What differs from an owner's facts, a line each. Only what the owner names is compared.
    func differences(from expected: ExpectedFact, at path: String) -> [String] {
        switch (self, expected) {
        case (.object(let facts), .object(let expected)):
            return Self.differences(of: facts, from: expected, at: path)
        case (.list(let entries), .list(let expected)):
            return expected.flatMap { Self.differences(of: entries, from: $0, at: path) }
        default:
            return isEqual(to: expected) ? [] : ["\(path) is \(self), and \(expected) was expected"]
        }
    }

    /// A name that no fact has is a difference, so that a slip of the pen compares nothing in silence.
    static func differences(
        of facts: [String: GenuineFact], from expected: [String: ExpectedFact], at path: String = ""
    ) -> [String] {
        expected.sorted { $0.key < $1.key }.flatMap { name, value in
            let path = path.isEmpty ? name : path + "." + name
            return facts[name]?.differences(from: value, at: path) ?? ["\(path) is no fact that is compared"]
        }
    }

    private static func differences(
        of entries: [[String: GenuineFact]], from expected: ExpectedFact, at path: String
    ) -> [String] {
        guard case .object(let fields) = expected, case .text(let id)? = fields["transactionId"] else {
            return ["\(path) holds an entry without a transactionId"]
        }
        guard let entry = entries.first(where: { $0["transactionId"] == .text(id) }) else { return ["\(path) lacks \(id)"] }
        return differences(of: entry, from: fields, at: "\(path) \(id)")
    }

    private func isEqual(to expected: ExpectedFact) -> Bool {
        switch (self, expected) {
        case (.absent, .null): true
        case (.flag(let found), .flag(let expected)): found == expected
        case (.number(let found), .number(let expected)): found == expected
        case (.text(let found), .text(let expected)):
            found == expected || UUID(uuidString: found).map { $0 == UUID(uuidString: expected) } ?? false
        case (.date(let found), .number(let expected)):
            Int64((found.timeIntervalSince1970 * 1000).rounded()) == expected
        case (.date(let found), .text(let expected)): (try? Date(expected, strategy: .iso8601)) == found
        default: false
        }
    }
}

extension GenuineFact: CustomStringConvertible {
    var description: String {
        switch self {
        case .absent: "absent"
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .date(let date): date.formatted(.iso8601)
        case .list(let entries): "a list of \(entries.count)"
        case .object: "an object"
        }
    }
}

/// A fact as a JSON file names it.
enum ExpectedFact: Decodable, Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)
    case list([ExpectedFact])
    case object([String: ExpectedFact])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([ExpectedFact].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: ExpectedFact].self))
        }
    }
}

extension ExpectedFact: CustomStringConvertible {
    /// How many facts it names.
    var count: Int {
        switch self {
        case .list(let list): list.map(\.count).reduce(0, +)
        case .object(let fields): fields.values.map(\.count).reduce(0, +)
        default: 1
        }
    }

    var description: String {
        switch self {
        case .null: "none"
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .list: "a list"
        case .object: "an object"
        }
    }
}
