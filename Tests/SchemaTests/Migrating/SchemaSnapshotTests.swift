// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Keeps `sql/schema.sql` true: a migration is reviewed with what it makes of the schema, a routine or view with its signature,
/// options, comment and privileges.
@Suite struct SchemaSnapshotTests {
    /// Other versions write the same schema in other words.
    private static let version = 15
    private static let file = "sql/schema.sql"
    private static let variable = "COUNTERFOIL_WRITE_SCHEMA"

    @Test(.enabled("the file is of PostgreSQL 15") { try await serverVersion() == version })
    func theFileIsTheSchemaOfAMigratedDatabase() async throws {
        let schema = try await withMigratedDatabase { try await Self.dump($0.url()) }
        if ProcessInfo.processInfo.environment[Self.variable] == "1" {
            try Data(schema.utf8).write(to: Repository.root.appending(path: Self.file))
        }

        let difference = Self.firstDifference(of: try Repository.text(Self.file), and: schema)

        #expect(
            difference == nil,
            """
            \(Self.file) isn't the schema that the migrations make. This writes it: \
            \(Self.variable)=1 swift test --filter SchemaSnapshotTests
            """)
    }

    private static func serverVersion() async throws -> Int {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                Int(try await connection.execute("select current_setting('server_version_num')::integer / 10000")[0].int32(0))
            }
        }
    }

    /// What `pg_dump` writes, without its comments and its settings, which name its own version. Partitions are left out: those of
    /// today's months are not those of tomorrow's, and the default ones are made as their tables are.
    private static func dump(_ url: String) async throws -> String {
        let folder = ProcessInfo.processInfo.environment["COUNTERFOIL_POSTGRES_BIN"] ?? "/usr/lib/postgresql/\(version)/bin"
        let partitions = ["other_attempts_[0-9]*", "other_attempts_default", "changes_[0-9]*", "changes_default"]
        let result = try await Subprocess.run(
            .path(FilePath(folder + "/pg_dump")),
            arguments: Arguments(
                ["--schema-only", "--schema=counterfoil", "--dbname=" + url]
                    + partitions.map { "--exclude-table=counterfoil." + $0 }),
            output: .string(limit: 1 << 22), error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")

        var lines = [
            "-- The schema of a migrated database, as pg_dump writes it, without the bodies of routines and views, which",
            "-- stand in their own files. Generated: SchemaSnapshotTests says how, and keeps it true.",
        ]
        for line in withoutBodies(result.standardOutput) {
            let isOfTheProgram = ["--", "SET ", "\\", "SELECT pg_catalog.set_config"].contains { line.hasPrefix($0) }
            if isOfTheProgram || line.isEmpty { continue }
            if line.hasPrefix("CREATE ") { lines.append("") }
            lines.append(line)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The lines of a dump, with `…` in place of what a routine does and a view selects.
    private static func withoutBodies(_ dump: String) -> [String] {
        var lines: [String] = []
        /// How the body ends that a line is in.
        var end: String?
        for line in dump.split(separator: "\n", omittingEmptySubsequences: false) {
            if let last = end {
                if line.hasSuffix(last) { end = nil }
            } else if let head = line.wholeMatch(of: /(CREATE (?:OR REPLACE )?VIEW .* AS)/) {
                lines.append("\(head.1) …;")
                end = ";"
            } else if let head = line.wholeMatch(of: /( +AS) (\$\w*\$)(.*)/) {
                lines.append("\(head.1) …;")
                end = head.3.hasSuffix("\(head.2);") ? nil : "\(head.2);"
            } else if line == "    BEGIN ATOMIC" {
                lines.append("    BEGIN ATOMIC …;")
                end = "END;"
            } else {
                lines.append(String(line))
            }
        }
        return lines
    }

    private static func firstDifference(of kept: String, and schema: String) -> String? {
        let kept = kept.split(separator: "\n", omittingEmptySubsequences: false)
        let schema = schema.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, (old, new)) in zip(kept, schema).enumerated() where old != new {
            return "line \(number + 1) is \"\(old)\", and should be \"\(new)\""
        }
        return kept.count == schema.count ? nil : "it has \(kept.count) lines, and should have \(schema.count)"
    }
}
