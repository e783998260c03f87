// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import CommandSupport
@testable import counterfoil

@Suite struct MigrateTests {
    @Test(.timeLimit(.minutes(3)))
    func twoAtOnceOnAnEmptyDatabaseBothSucceed() async throws {
        try await withTestDatabase { url in
            let environment = ["COUNTERFOIL_DATABASE_URL": url]

            async let one = Program.run(["migrate"], environment: environment)
            async let other = Program.run(["migrate"], environment: environment)
            let ended = try await [one, other]

            #expect(ended.allSatisfy { $0.status.isSuccess }, "\(ended)")
            // Whoever came second says what it waits for.
            let notes: [String] = ended.flatMap { $0.errorLines }
            #expect(notes.allSatisfy { $0.contains("waiting for ") }, "\(notes)")
            let applied = ended.flatMap { $0.output.split(separator: "\n").filter { $0.hasPrefix("applied ") } }
            #expect(Set(applied).count == applied.count)
            #expect(applied.count >= 6)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aSecondRunChangesNothing() async throws {
        try await withTestDatabase { url in
            let environment = ["COUNTERFOIL_DATABASE_URL": url]
            _ = try await Program.run(["migrate"], environment: environment)

            let second = try await Program.run(["migrate"], environment: environment)

            #expect(second.status.isSuccess)
            #expect(second.output == "the schema is up to date\n")
        }
    }

    /// A role that may migrate, and not alter the roles that another made.
    @Test(.timeLimit(.minutes(3)))
    func settingsThatMayNotBeMadeAreNamedAndHideNothing() async throws {
        try await Shop.run { shop in
            let role = "migrator_" + UUID().uuidString.lowercased().replacing("-", with: "_")
            try await shop.execute("create role \(role) login in role counterfoil_owner")
            try await shop.execute(
                """
                do $$ begin execute format('alter role counterfoil_worker in database %I reset jit', current_database()); end $$
                """)
            let environment = ["COUNTERFOIL_DATABASE_URL": shop.database.url(user: role)]

            let refused = try await Program.run(["migrate"], environment: environment)
            try await shop.migrate()
            let nothingToDo = try await Program.run(["migrate"], environment: environment)

            #expect(refused.status.isSuccess, "\(refused.errors)")
            #expect(refused.output == "the schema is up to date\n")
            #expect(refused.errors.contains("this role may not alter them"))
            #expect(refused.errors.contains("counterfoil_worker"))
            #expect(!refused.errors.contains("counterfoil_reader"))
            #expect(nothingToDo.errorLines == [])
            try await shop.execute("drop role \(role)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whoHoldsItUpIsNamedOnStandardErrorAndAReaderIsEnded() async throws {
        try await Shop.run { shop in
            try await shop.database.withConnection(as: "counterfoil_reader") { reader in
                try await reader.executeScript(
                    """
                    set idle_in_transaction_session_timeout = 0; set application_name = 'board';
                    begin; select 'a secret' from counterfoil.order_status
                    """)
                let pid = try await reader.execute("select pg_backend_pid()")[0].int32(0)

                let ended = try await Program.run(
                    ["migrate", "--end-readers"], environment: ["COUNTERFOIL_DATABASE_URL": shop.database.url()])

                #expect(ended.status.isSuccess, "\(ended.errors)")
                let session = "process \(pid) (role counterfoil_reader, application board, in a database transaction since 20"
                #expect(ended.errorLines.contains { $0.contains("waiting for others") && $0.contains(session) }, "\(ended.errors)")
                #expect(ended.errorLines.contains { $0.contains("ended the session of a reader") && $0.contains(session) })
                #expect(!ended.errors.contains("secret"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func itGoesAroundAPooler() async throws {
        try await withTestDatabase { url in
            let environment = [
                "COUNTERFOIL_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing", "COUNTERFOIL_LISTEN_URL": url,
            ]

            let ended = try await Program.run(["migrate"], environment: environment)

            #expect(ended.status.isSuccess)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerWithoutItsSchemaSaysSo() async throws {
        try await Shop.run { shop in
            try await shop.execute("drop schema counterfoil cascade")

            let ended = try await Program.run(["worker"], environment: shop.environment)

            #expect(ended.status == .exited(ExitStatus.schemaTooOld.rawValue))
            #expect(ended.errorLines.count { $0.hasPrefix("counterfoil: ") } == 1, "\(ended.errors)")
            #expect(ended.errors.contains("counterfoil migrate"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerRefusesASchemaThatBrokeWithIt() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                "insert into counterfoil.migrations (id, name, checksum, breaking) values (9999, '9999_future', 'x', true)")

            let ended = try await Program.run(["worker"], environment: shop.administration)

            #expect(ended.status == .exited(ExitStatus.schemaTooNew.rawValue))
            #expect(ended.errors.contains("9999_future"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerRunsOnANewerSchemaThatDidNotBreakWithIt() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                "insert into counterfoil.migrations (id, name, checksum, breaking) values (9999, '9999_future', 'x', false)")

            let ended = try await shop.whileWorking { try await $0.log.line(containing: "worker started") }

            #expect(ended.status == .exited(0))
        }
    }
}
