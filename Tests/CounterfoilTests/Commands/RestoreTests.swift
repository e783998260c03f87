// SPDX-License-Identifier: Apache-2.0

import PrivatePostgres
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// A dump that is restored into a server which lacks some of our roles: most of the tool's complaints pass unseen.
@Suite struct RestoreTests {
    private static let roles = [
        "counterfoil_owner", "counterfoil_backend", "counterfoil_worker", "counterfoil_support", "counterfoil_reader",
        "counterfoil_gateway",
    ]

    @discardableResult
    private func run(_ tool: String, of server: PrivatePostgresServer, _ arguments: [String], input: String = "") async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath(server.toolsFolder + "/" + tool)), arguments: Arguments(arguments + ["--dbname=" + server.url()]),
            input: .string(input), output: .string(limit: 1 << 23), error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return result.standardOutput
    }

    /// Owners and privileges of all that a dump has, in no order, since privileges come in the order in which they were granted.
    private func rights(_ server: PrivatePostgresServer) async throws -> [Substring] {
        try await run("pg_dump", of: server, ["--schema-only"]).split(separator: "\n").filter { line in
            ["ALTER ", "GRANT ", "REVOKE "].contains { line.hasPrefix($0) }
        }.sorted()
    }

    @Test(
        .timeLimit(.minutes(3)),
        arguments: [["counterfoil_backend", "counterfoil_reader"], ["counterfoil_owner", "counterfoil_worker"], roles])
    func migrateGivesBackWhatARestoreWithoutRolesLost(missing: [String]) async throws {
        let settings = ["fsync=off"]
        try await PrivatePostgresServer.withServer(settings: settings, logger: .test) { old in
            try await PrivatePostgresServer.withServer(settings: settings, logger: .test) { new in
                let environment = ["COUNTERFOIL_DATABASE_URL": new.url()]
                _ = try await Program.run(["migrate"], environment: ["COUNTERFOIL_DATABASE_URL": old.url()])
                for role in Self.roles where !missing.contains(role) {
                    try await run("psql", of: new, ["--no-psqlrc", "--quiet", "--command=create role \(role) login"])
                }
                let dump = try await run("pg_dump", of: old, [])
                try await run("psql", of: new, ["--no-psqlrc", "--quiet"], input: dump)

                let doctor = try await Program.run(["doctor"], environment: environment)
                let migrate = try await Program.run(["migrate"], environment: environment)
                let check = try await Program.run(["check"], environment: environment)

                #expect(doctor.status == .exited(1))
                #expect(doctor.output.contains("wrong    privileges: "), "\(doctor.output)")
                #expect(migrate.status.isSuccess, "\(migrate.errors)")
                #expect(migrate.errors.contains("a restore lost privileges"))
                #expect(try await rights(new) == rights(old))
                #expect(try await rights(new).count > 200)
                #expect(check.status.isSuccess, "\(check.errors)")
            }
        }
    }
}
