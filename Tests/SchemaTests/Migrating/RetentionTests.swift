// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// History and counts leave when they are past their retention, a little at a time, and not before they were counted.
@Suite struct RetentionTests {
    private func makePartition(_ shop: Shop, _ month: String) async throws {
        try await shop.run(
            """
            create table counterfoil.other_attempts_\(month.replacing("-", with: "_")) partition of counterfoil.other_attempts
            for values from ('\(month)-01Z') to ('\(month)-01Z'::timestamptz at time zone 'UTC' + interval '1 month')
            """)
    }

    private func drop(_ shop: Shop, retention: String = "400 days") async throws -> Int32 {
        try await shop.worker.execute("select counterfoil.drop_old_attempts(interval '\(retention)')")[0].int32(0)
    }

    private func partitions(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'counterfoil.other_attempts'::regclass and c.relname < 'other_attempts_2025' order by 1
            """)
    }

    @Test func partitionsGoOneByOne() async throws {
        try await Shop.open { shop in
            try await makePartition(shop, "2020-01")
            try await makePartition(shop, "2020-02")

            #expect(try await drop(shop) == 1)
            #expect(try await partitions(shop) == ["(other_attempts_2020_02)"])
            #expect(try await drop(shop) == 1)
            #expect(try await drop(shop) == 0)
            #expect(try await partitions(shop) == [])
        }
    }

    @Test func whatIsNotPastItsRetentionStays() async throws {
        try await Shop.open { shop in
            try await makePartition(shop, "2020-01")

            #expect(try await drop(shop, retention: "100 years") == 0)
            #expect(try await partitions(shop) == ["(other_attempts_2020_01)"])
        }
    }

    @Test func whatIsNotCountedStays() async throws {
        try await Shop.open { shop in
            try await makePartition(shop, "2020-01")
            try await shop.mark(final: "'2020-01-31 23:59Z'", counted: "'2020-01-31 23:59Z'")

            #expect(try await drop(shop) == 0)
            #expect(try await partitions(shop) == ["(other_attempts_2020_01)"])
        }
    }

    @Test func aPartitionThatIsInUseIsLeftForTheNextTime() async throws {
        try await Shop.open { shop in
            try await makePartition(shop, "2020-01")
            try await shop.admin.withTransaction { admin in
                _ = try await admin.execute("select count(*) from counterfoil.attempts")

                #expect(try await drop(shop) == 0)
            }

            #expect(try await drop(shop) == 1)
        }
    }

    @Test func oldRowsWithoutAPartitionGoToo() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", finished: "'2020-03-05Z'::timestamptz")
            try await shop.attempt("a", job: 2, finished: "now()")

            #expect(try await drop(shop) == 1)
            #expect(try await drop(shop) == 0)
            #expect(try await shop.rows("select job_id from counterfoil.attempts") == ["(2)"])
        }
    }

    @Test func countsGoInBatches() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.attempt_minutes
                select now() - i * interval '10 days', 'b', 'fulfilled', '', '', '', 1 from generate_series(1, 5) i;
                insert into counterfoil.product_hours
                select now() - i * interval '10 days', 'b', 'p', 1, 1, 1, 1, 1, 1 from generate_series(1, 5) i
                """)
            let prune = "select counterfoil.prune_roll_ups(interval '25 days', interval '45 days', 2)"

            let batches = try await [
                shop.worker.execute(prune)[0].int32(0), shop.worker.execute(prune)[0].int32(0),
                shop.worker.execute(prune)[0].int32(0),
            ]

            #expect(batches == [2, 1, 0])
            #expect(try await shop.count("counterfoil.attempt_minutes") == 2)
            #expect(try await shop.count("counterfoil.product_hours") == 4)
        }
    }
}
