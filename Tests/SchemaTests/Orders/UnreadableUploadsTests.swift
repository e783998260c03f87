// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// A client whose uploads can't be read stops asking its customer, after five within an hour.
@Suite struct UnreadableUploadsTests {
    /// The end of the order's last attempt, in the middle of a month: its partition is one of many.
    private static let end = "date_trunc('hour', now())"

    /// An order `a` that was rejected, with attempts so many minutes before its last one.
    private func open(
        minutes: [Double], reason: String = "malformed_proof", attempts: Int? = nil, _ body: @Sendable (Shop) async throws -> Void
    ) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for (number, minutes) in minutes.enumerated() {
                try await shop.attempt(
                    "a", job: number, reason: reason, finished: "\(Self.end) - interval '\(minutes) minutes'", number: number)
            }
            try await shop.run(
                """
                update counterfoil.orders
                set state = 'rejected', reason = 'malformed_proof', attempts = \(attempts ?? minutes.count), last_attempt_at = \(Self.end)
                """)
            try await body(shop)
        }
    }

    private func action(_ shop: Shop) async throws -> String {
        try await shop.backend.execute("select client_action from counterfoil.order_status where order_id = 'a'")[0].string(0)
    }

    @Test(
        arguments: [
            ([0, 10, 20, 30], "resend_proof"),
            ([0, 10, 20, 30, 40], "contact_support"),
            ([0, 10, 20, 30, 59.9], "contact_support"),
            ([0, 10, 20, 30, 60], "resend_proof"),
            ([0, 30, 59, 90, 120, 150, 180], "resend_proof"),
            ([0, 1, 2, 3, 4, 200, 300], "contact_support"),
        ] as [([Double], String)])
    func fiveWithinAnHourAreEnough(minutes: [Double], action: String) async throws {
        try await open(minutes: minutes) { shop in
            let found = try await self.action(shop)

            #expect(found == action)
        }
    }

    @Test(arguments: [
        ("proof_too_large", "contact_support"), ("not_a_purchase", "contact_support"),
        ("purchase_not_in_receipt", "resend_proof"), ("bad_signature", "resend_proof"),
    ])
    func onlyUnreadableUploadsCount(reason: String, action: String) async throws {
        try await open(minutes: [0, 1, 2, 3, 4], reason: reason) { shop in
            let found = try await self.action(shop)

            #expect(found == action)
        }
    }

    @Test func attemptsThatEndNothingDoNotCount() async throws {
        try await open(minutes: [0, 1, 2, 3], attempts: 5) { shop in
            try await shop.attempt("a", job: 9, "release", reason: "malformed_proof", finished: Self.end, number: 9)

            #expect(try await action(shop) == "resend_proof")
        }
    }

    /// Of an order with very many attempts nothing is read.
    @Test(arguments: [(200, "resend_proof"), (201, "contact_support")])
    func veryManyAttemptsAreEnough(attempts: Int, action: String) async throws {
        try await open(minutes: [0], attempts: attempts) { shop in
            let found = try await self.action(shop)

            #expect(found == action)
        }
    }

    @Test func uploadAfterwardsIsVerifiedAsAlways() async throws {
        try await open(minutes: [0, 1, 2, 3, 4]) { shop in
            try await shop.upload("a", "eyJ good")
            #expect(try await action(shop) == "wait")

            let job = try #require(try await shop.claim().first)
            #expect(job.id > 0)
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.run("delete from counterfoil.jobs")
            #expect(try await action(shop) == "finish")
        }
    }

    /// Another reason has its own action.
    @Test(arguments: [("rejected", "purchase_not_in_receipt", "resend_proof"), ("rejected", "already_granted", "finish")])
    func onlyAnUnreadableProofsOrderIsConcerned(state: String, reason: String, action: String) async throws {
        try await open(minutes: [0, 1, 2, 3, 4]) { shop in
            try await shop.run("update counterfoil.orders set state = '\(state)', reason = '\(reason)'")

            #expect(try await self.action(shop) == action)
        }
    }

    /// An operator had kept proofs judged again: the client has sent nothing.
    @Test func proofsThatAreJudgedAgainAreNoUploads() async throws {
        try await open(minutes: [0, 1, 2, 3, 4]) { shop in
            try await shop.run(
                """
                insert into counterfoil.order_events (order_id, kind, who, why, occurred_at)
                select order_id, 'judged_again', 'eve', 'mended', submitted_at from counterfoil.attempts where job_id = 0
                """)

            #expect(try await action(shop) == "resend_proof")
        }
    }

    /// Also without statistics, and among the attempts of many orders.
    @Test func attemptsAreFoundByTheirOrder() async throws {
        try await open(minutes: [0, 1, 2, 3, 4]) { shop in
            try await shop.run(
                """
                insert into counterfoil.other_attempts (
                    job_id, order_number, lease_token, attempt, disposition, reason, submitted_at, claimed_at, finished_at
                )
                select i, 1000 + i, 1, 1, 'complete', 'malformed_proof', now(), now(), \(Self.end)
                from generate_series(1, 50000) i;
                analyze counterfoil.other_attempts
                """)
            _ = try await action(shop)
            try await shop.run("select pg_stat_reset()")
            let before = try await read(shop)

            for _ in 0..<20 { _ = try await action(shop) }

            // 50,000 rows would be some 800 pages each time.
            #expect(try await read(shop) - before < 20 * 40)
        }
    }

    /// The pages of attempts that were read by anybody.
    private func read(_ shop: Shop) async throws -> Int {
        _ = try await shop.backend.execute("select pg_stat_force_next_flush()")
        _ = try await shop.backend.execute("select 1")
        return Int(
            try await shop.admin.execute(
                """
                select coalesce(sum(heap_blks_read + heap_blks_hit), 0)::bigint from pg_statio_all_tables
                where schemaname = 'counterfoil' and relname like 'attempts\\_%'
                """)[0].int64(0))
    }
}
