// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Schema
import Testing

@Suite struct SchemaFilesTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "sql")

    /// The SQL files of a folder, by name, with their text.
    private func files(_ name: String) throws -> [String: String] {
        let folder = Self.folder.appending(path: name)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { file in
                (String(file.dropLast(4)), try String(contentsOf: folder.appending(path: file), encoding: .utf8))
            }
        )
    }

    private func listed(_ files: [SQLFile]) -> [String: String] {
        Dictionary(files.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func everyMigrationIsListedInTheOrderOfItsNumber() throws {
        let listed = Migration.all.map(\.file)

        #expect(listed.map(\.name) == listed.map(\.name).sorted())
        #expect(self.listed(listed) == (try files("migrations")))
        #expect(Migration.all.map(\.id) == Array(1...Int32(Migration.all.count)))
        for migration in Migration.all {
            let number = String(migration.id)
            #expect(migration.file.name.hasPrefix(String(repeating: "0", count: 4 - number.count) + number + "_"))
        }
    }

    @Test func everyRoutineAndViewIsListedOnce() throws {
        let folders = try files("routines").merging(try files("views")) { first, _ in first }

        #expect(listed(SQLFile.routinesAndViews) == folders)
        #expect(SQLFile.routinesAndViews.count == folders.count)
    }

    @Test func everyQueryIsListedOnce() throws {
        let folder = try files("queries")

        #expect(listed(SQLFile.queries) == folder)
        #expect(SQLFile.queries.count == folder.count)
    }

    @Test func everyCheckIsListedOnce() throws {
        let folder = try files("checks")

        #expect(listed(SQLFile.checks) == folder)
        #expect(SQLFile.checks.count == folder.count)
    }

    @Test(arguments: SQLFile.queries)
    func aQueryIsOneStatementWhoseHeaderListsItsParameters(_ query: SQLFile) {
        let lines = query.text.split(separator: "\n")
        let header = lines.prefix { $0.hasPrefix("--") }.joined(separator: "\n")
        let statement = lines.filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")

        #expect(!header.isEmpty)
        #expect(!statement.contains(";"))
        #expect(Self.parameters(of: header) == Self.parameters(of: statement))
    }

    private static func parameters(of text: String) -> Set<Int> {
        Set(text.split(separator: "$").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) })
    }
}

extension SQLFile: CustomTestStringConvertible {
    package var testDescription: String { name }
}
