// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// The statements of sql/docs/backend.md, as a backend sends them.
@Suite struct DocumentedStatementTests {
    /// Values that the page names, such as `$order`, are given by a backend.
    private static func statements() throws -> [String] {
        let blocks = try Repository.text("sql/docs/backend.md").split(separator: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sql\n") }.map { $0.element.dropFirst(4) }
        return blocks.joined(separator: "\n").replacing(/--[^\n]*/, with: "").split(separator: ";")
            .map { String($0.replacing(/\$[a-z]+/, with: "null")) }
            .filter { $0.contains { !$0.isWhitespace } && !$0.contains("notify ") }
    }

    @Test func aBackendCanPrepareEachStatementOfItsPage() async throws {
        let statements = try Self.statements()
        try #require(statements.count >= 9)

        try await Shop.open { shop in
            for statement in statements {
                await #expect(throws: Never.self, "\(statement)") {
                    try await shop.backend.executeScript("prepare documented as \(statement); deallocate documented")
                }
            }
        }
    }
}
