// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite struct AttemptPartitionTests {
    /// The partitions of this month and the next two, oldest first.
    private static let expected = """
        select 'other_attempts_' || to_char(date_trunc('month', now() at time zone 'UTC') + i * interval '1 month', 'YYYY_MM')
        from generate_series(0, 2) i
        """

    private func partitions(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select inhrelid::regclass::text from pg_inherits
            where inhparent = 'counterfoil.other_attempts'::regclass and inhrelid <> 'counterfoil.other_attempts_default'::regclass
            order by 1
            """
        ).map { $0.replacing("counterfoil.", with: "") }
    }

    private func write(_ shop: Shop, job: Int, finishedAt: String) async throws {
        try await shop.run(
            """
            insert into counterfoil.other_attempts (
                job_id, order_number, lease_token, attempt, disposition, submitted_at, claimed_at, finished_at
            )
            values (\(job), 1, 1, 1, 'complete', now(), now(), \(finishedAt))
            """
        )
    }

    /// Takes the partition of the month after next away, with its rows.
    private func dropLast(_ shop: Shop) async throws {
        let last = try #require(try await partitions(shop).last)
        try await shop.run("drop table counterfoil.\(last.filter { $0 != "(" && $0 != ")" })")
    }

    private let monthAfterNext = "date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '2 months'"

    @Test func migratingMakesThisMonthAndTheNextTwo() async throws {
        try await Shop.open { shop in
            let partitions = try await partitions(shop)

            #expect(partitions == (try await shop.rows(Self.expected)))
        }
    }

    @Test func aWorkerMakesWhatIsMissing() async throws {
        try await Shop.open { shop in
            try await dropLast(shop)

            #expect(try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker) == ["(1)"])
            #expect(try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker) == ["(0)"])

            #expect(try await partitions(shop) == (try await shop.rows(Self.expected)))
        }
    }

    @Test func rowsOfAMissingMonthGoToTheDefaultPartitionAndMoveOverLater() async throws {
        try await Shop.open { shop in
            try await dropLast(shop)
            try await write(shop, job: 1, finishedAt: monthAfterNext)
            try await write(shop, job: 2, finishedAt: monthAfterNext + " - interval '1 us'")
            try await write(shop, job: 3, finishedAt: monthAfterNext + " + interval '1 month'")
            #expect(try await shop.rows("select job_id from counterfoil.other_attempts_default order by 1") == ["(1)", "(3)"])

            _ = try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker)

            // Also a month that nobody else asks for: it may be over before a worker comes by.
            #expect(try await shop.count("counterfoil.other_attempts_default") == 0)
            #expect(try await shop.rows("select job_id from counterfoil.attempts order by 1") == ["(1)", "(2)", "(3)"])
        }
    }

    /// A backup reads the default partition for hours. Nobody waits for it, and what is written meanwhile is moved afterwards.
    @Test func aReaderInTheWayIsNotWaitedFor() async throws {
        try await Shop.open { shop in
            try await dropLast(shop)
            try await shop.run("begin; lock table counterfoil.other_attempts_default in access share mode")
            try await shop.worker.executeScript("set statement_timeout = '3s'")

            #expect(try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker) == ["(0)"])

            try await shop.run("commit")
            #expect(try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker) == ["(1)"])
        }
    }

    /// The default partition stands in for this month's, and a worker makes that while others settle.
    @Test func whoeverWritesWhileAPartitionIsMadeIsNotRefused() async throws {
        try await Shop.open { shop in
            let first = try #require(try await partitions(shop).first)
            try await shop.run("drop table counterfoil.\(first.filter { $0 != "(" && $0 != ")" })")
            try await write(shop, job: 1, finishedAt: "now()")

            try await shop.worker.executeScript("begin; select counterfoil.make_attempt_partitions()")
            async let written: Void = write(shop, job: 2, finishedAt: "now()")
            try await shop.backend.waitUntilALockIsWaitedFor("relation")
            try await shop.worker.executeScript("commit")
            try await written

            #expect(try await shop.count("counterfoil.other_attempts_default") == 0)
            #expect(try await shop.count("counterfoil.attempts") == 2)
        }
    }

    @Test(arguments: ["Asia/Kolkata", "Pacific/Kiritimati", "America/New_York"])
    func monthsAreUTCsWhateverTheSessionSays(zone: String) async throws {
        try await Shop.open { shop in
            try await dropLast(shop)
            let bounds = """
                select pg_get_expr(relpartbound, oid) from pg_class
                where relispartition and relnamespace = 'counterfoil'::regnamespace and relkind = 'r' order by relname
                """
            try await shop.run("set timezone = 'UTC'")
            let before = try await shop.rows(bounds).count
            try await shop.worker.executeScript("set timezone = '\(zone)'; set datestyle = 'SQL, DMY'")

            _ = try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker)

            let after = try await shop.rows(bounds)
            #expect(after.count == before + 1)
            for bound in after where !bound.contains("DEFAULT") {
                #expect(bound.split(separator: "-01 00:00:00+00").count == 3, "\(bound)")
            }
        }
    }

    @Test func severalWorkersAtOnceMakeEachOnce() async throws {
        try await Shop.open { shop in
            try await dropLast(shop)
            try await dropLast(shop)

            let made = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                            try await connection.execute("select counterfoil.make_attempt_partitions()")[0].int32(0)
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 }
            }

            #expect(made == 2)
            #expect(try await partitions(shop) == (try await shop.rows(Self.expected)))
        }
    }
}
