// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Keeps `sql/schema.sql` true: a migration, routine or view is reviewed with what it makes of the schema.
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

    /// What `pg_dump` writes, without its comments and its settings, which name its own version. The partitions of months are
    /// left out, since those of today are not those of tomorrow.
    private static func dump(_ url: String) async throws -> String {
        let folder = ProcessInfo.processInfo.environment["COUNTERFOIL_POSTGRES_BIN"] ?? "/usr/lib/postgresql/\(version)/bin"
        let result = try await Subprocess.run(
            .path(FilePath(folder + "/pg_dump")),
            arguments: ["--schema-only", "--schema=counterfoil", "--exclude-table=counterfoil.attempts_[0-9]*", "--dbname=" + url],
            output: .string(limit: 1 << 22), error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")

        var lines = [
            "-- The schema of a migrated database, as pg_dump writes it. Generated: SchemaSnapshotTests says how, and keeps it true.",
            "",
        ]
        for line in result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false) {
            let isOfTheProgram = ["--", "SET ", "\\", "SELECT pg_catalog.set_config"].contains { line.hasPrefix($0) }
            if isOfTheProgram || line.isEmpty && lines.last == "" { continue }
            lines.append(String(line))
        }
        return lines.joined(separator: "\n")
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
