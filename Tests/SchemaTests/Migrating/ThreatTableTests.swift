// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// The table "Who can do what" of sql/docs/security.md.
@Suite struct ThreatTableTests {
    /// The names in the last column of its rows: tests, suites, and scenarios of chaos.
    private static func names() throws -> Set<String> {
        let text = try Repository.text("sql/docs/security.md")
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Who can do what") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        return Set(
            rows.flatMap { row in
                let cells = row.split(separator: "|", omittingEmptySubsequences: false)
                return cells.dropLast().last?.matches(of: /`([A-Za-z\-]+)`/).map { String($0.1) } ?? []
            })
    }

    private static func sources(in folder: String) throws -> String {
        let root = Repository.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }.joined()
    }

    @Test func eachTestThatItNamesIsThere() throws {
        let names = try Self.names()
        try #require(names.count > 15)
        let tests = try Self.sources(in: "Tests") + Self.sources(in: "Sources/counterfoil-bench")

        for name in names {
            let isThere =
                tests.contains("func \(name)(") || tests.contains("struct \(name) ") || tests.contains("\"\(name)\"")
            #expect(isThere, "\(name)")
        }
    }
}
