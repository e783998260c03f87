// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Delivering

@Suite struct ChangeKindTests {
    @Test func theKindsAreThoseThatAreDocumented() throws {
        let page = try Repository.text("sql/docs/feed.md")
        let table = try #require(page.split(separator: "| `kind` | What happened |").dropFirst().first)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix { $0.hasPrefix("|") }
        let names = rows.flatMap { row in row.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.1) } }

        #expect(Set(names) == Set(ChangeKind.allCases.map(\.rawValue)))
    }
}
