// SPDX-License-Identifier: Apache-2.0

/// The name of a function or table with its schema, fit to stand in a statement.
///
/// Plain names only: small letters, digits and underscores. So a name has one spelling, and none can end a statement.
package struct QualifiedName: Sendable, Hashable, CustomStringConvertible {
    package let schema: String
    package let name: String

    /// PostgreSQL cuts longer names.
    static let longest = 63

    /// - Parameter reserve: bytes that are added to the name.
    /// - Returns: nil for what isn't `schema.name` of plain names.
    package init?(_ text: String, reserve: Int = 0) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy(Self.isPlain), parts[1].utf8.count + reserve <= Self.longest else { return nil }
        self.init(schema: String(parts[0]), name: String(parts[1]))
    }

    private init(schema: String, name: String) {
        self.schema = schema
        self.name = name
    }

    package func with(suffix: String) -> QualifiedName {
        QualifiedName(schema: schema, name: name + suffix)
    }

    package var description: String { schema + "." + name }

    /// As it stands in a statement. A reserved word may be a name.
    var quoted: String { "\"\(schema)\".\"\(name)\"" }

    private static func isPlain(_ name: Substring) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= longest else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }
}

/// The tables in which a reader keeps its state, in the shop's own schema.
package struct StateTables: Sendable, Hashable {
    private static let (pagesSuffix, waitingSuffix) = ("_pages", "_waiting")

    package let state: QualifiedName
    var pages: QualifiedName { state.with(suffix: Self.pagesSuffix) }
    var waiting: QualifiedName { state.with(suffix: Self.waitingSuffix) }

    /// - Parameter text: `schema.name` of the first; the others have it as the beginning of theirs.
    package init?(_ text: String) {
        // An index's name is longer by this, and is cut without harm.
        guard let state = QualifiedName(text, reserve: Self.waitingSuffix.utf8.count) else { return nil }
        self.state = state
    }

    /// The columns of each, as `find_tables` shows them.
    var columns: [String: String] {
        [
            state.name: """
            one_row boolean, cursor text, safe_at timestamp with time zone, failures integer, delivered bigint
            """,
            pages.name: """
            read_at timestamp with time zone, next_xid xid8, last_at timestamp with time zone, ids bigint[]
            """,
            waiting.name: """
            id bigint, key text, change jsonb, tries integer, next_at timestamp with time zone, error text, \
            since timestamp with time zone, skipped_at timestamp with time zone, skipped_by text, skipped_why text
            """,
        ]
    }
}
