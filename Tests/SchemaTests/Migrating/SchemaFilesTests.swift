// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Schema
import TestSupport
import Testing

@Suite struct SchemaFilesTests {
    /// The folders whose files are of one kind. The others hold queries, routines and views by the part of the job's path.
    private static let migrations = "migrations"
    private static let checks = "checks"
    /// Pages for people.
    private static let documents = "docs"

    /// The SQL files of one folder, by name, with their text.
    private func files(of folder: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "sql/\(folder)").path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (String(name.dropLast(4)), try Repository.text("sql/\(folder)/\(name)"))
            }
        )
    }

    /// The queries, or the routines and views, of all parts of the job's path.
    private func files(areQueries: Bool) throws -> [String: String] {
        let parts = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "sql").path)
            .filter { !$0.contains(".") && $0 != Self.migrations && $0 != Self.checks && $0 != Self.documents }
        var files: [String: String] = [:]
        for part in parts {
            try files.merge(self.files(of: part)) { first, _ in
                Issue.record("two files of one name in \(part) and another folder")
                return first
            }
        }
        return files.filter { Self.isQuery($0.value) == areQueries }
    }

    /// Whether a file is a statement that the program sends, and makes no routine or view.
    private static func isQuery(_ text: String) -> Bool {
        let code = text.split(separator: "\n").first { !$0.hasPrefix("--") }
        return code?.hasPrefix("create ") == false && code?.hasPrefix("drop ") == false
    }

    private func listed(_ files: [SQLFile]) -> [String: String] {
        Dictionary(files.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func everyMigrationIsListedInTheOrderOfItsNumber() throws {
        let listed = Migration.all.map(\.file)

        #expect(listed.map(\.name) == listed.map(\.name).sorted())
        #expect(self.listed(listed) == (try files(of: Self.migrations)))
        #expect(Migration.all.map(\.id) == Array(1...Int32(Migration.all.count)))
        for migration in Migration.all {
            let number = String(migration.id)
            #expect(migration.file.name.hasPrefix(String(repeating: "0", count: 4 - number.count) + number + "_"))
        }
    }

    @Test func everyRoutineAndViewIsListedOnce() throws {
        let folders = try files(areQueries: false)

        #expect(listed(SQLFile.routinesAndViews) == folders)
        #expect(SQLFile.routinesAndViews.count == folders.count)
    }

    @Test(arguments: SQLFile.routinesAndViews)
    func aFunctionOrViewIsMadeByTheFileOfItsName(_ file: SQLFile) {
        let made = file.text.matches(of: /create or replace (?:function|view) counterfoil\.([a-z_]+)/).map { String($0.1) }

        #expect(made == [file.name])
    }

    @Test func everyQueryIsListedOnce() throws {
        let folder = try files(areQueries: true)

        #expect(listed(SQLFile.queries) == folder)
        #expect(SQLFile.queries.count == folder.count)
    }

    @Test func everyCheckIsListedOnce() throws {
        let folder = try files(of: Self.checks)

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
