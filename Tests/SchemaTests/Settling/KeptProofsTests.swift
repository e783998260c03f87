// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Which proofs are kept when one more comes.
@Suite struct KeptProofsTests {
    /// A shop with the orders a and b of Ann and c of Bob, which were rejected.
    private func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b")
            try await shop.order("c", account: "bob")
            for order in ["a", "b", "c"] { try await shop.settleOrder(order, "rejected", "wrong_product") }
            try await body(shop)
        }
    }

    /// The statement knows a proof by its job; jobs come in order.
    private func keep(
        _ shop: Shop, _ job: Int64, _ proof: String, for reason: Reason = .badSignature, order: String = "a",
        within limits: KeptProofLimits = KeptProofLimits()
    ) async throws {
        _ = try await shop.worker.execute(
            SQLFile.keepProofs.statement,
            [
                .int8Array([job]), .textArray([order]), .textArray([nil]), .textArray([proof]), .textArray([reason.rawValue]),
                .int4(Int32(limits.latest)), .int8(Int64(limits.accountDayBytes)),
            ])
    }

    private func jobs(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select job_id from counterfoil.proofs order by job_id")
    }

    private func review(_ shop: Shop, _ reason: Reason, state: String = "review") async throws {
        try await shop.run(
            """
            update counterfoil.orders
            set state = '\(state)', reason = '\(reason.rawValue)', transaction_id = '1', environment = 'production'
            where order_id = 'a'
            """)
    }

    @Test func theDefaultsAreThoseOfTheDocument() {
        #expect(KeptProofLimits().latest == 3)
        #expect(KeptProofLimits().accountDayBytes == 32 << 20)
    }

    @Test func theLatestOfAnOrderAreKept() async throws {
        try await open { shop in
            for number in 1...5 {
                try await keep(shop, Int64(number), "proof \(number)")
                try await keep(shop, Int64(10 + number), "proof \(number)", order: "b")
            }

            #expect(try await jobs(shop) == ["(3)", "(4)", "(5)", "(13)", "(14)", "(15)"])
        }
    }

    @Test func theSameContentIsOneRowThatWasShownLately() async throws {
        try await open { shop in
            for number in 1...3 { try await keep(shop, Int64(number), "proof \(number)") }
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '80 days' + job_id * interval '1 minute'")

            try await keep(shop, 4, "proof 1", for: .untrustedRoot)
            try await keep(shop, 5, "proof 5")

            #expect(
                try await shop.rows(
                    "select job_id, reason, kept_at > now() - interval '1 minute' from counterfoil.proofs order by job_id")
                    == ["(1,untrusted_root,t)", "(3,bad_signature,f)", "(5,bad_signature,t)"])
        }
    }

    @Test func anAccountKeepsSoManyBytesADay() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            limits.accountDayBytes = 30_000
            func big(_ character: String) -> String { String(repeating: character, count: 10_000) }
            for number in 1...3 { try await keep(shop, Int64(number), big("\(number)"), within: limits) }

            // Beyond the limit: not kept, and nothing is dropped for it.
            try await keep(shop, 4, big("4"), within: limits)
            try await keep(shop, 5, big("5"), order: "b", within: limits)
            // What is kept already, and another account.
            try await keep(shop, 6, big("3"), for: .untrustedRoot, within: limits)
            try await keep(shop, 7, big("7"), order: "c", within: limits)
            // A day later.
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '25 hours' where job_id = 1")
            try await keep(shop, 8, big("8"), order: "b", within: limits)

            #expect(
                try await shop.rows("select job_id, reason from counterfoil.proofs order by job_id") == [
                    "(1,bad_signature)", "(2,bad_signature)", "(3,untrusted_root)", "(7,bad_signature)", "(8,bad_signature)",
                ])
        }
    }

    /// The proofs of one batch count together.
    @Test func theBytesOfABatchAreThoseOfItsAccount() async throws {
        try await open { shop in
            let proof = String(repeating: "x", count: 10_000)
            _ = try await shop.worker.execute(
                SQLFile.keepProofs.statement,
                [
                    .int8Array([1, 2, 3]), .textArray(["a", "b", "c"]), .textArray([nil, nil, nil]),
                    .textArray([proof, proof, proof]), .textArray(Array(repeating: "bad_signature", count: 3)), .int4(3),
                    .int8(15_000),
                ])

            #expect(try await jobs(shop) == ["(1)", "(3)"])
        }
    }

    /// Small ones can't be so many that adding them up takes long.
    @Test func aSmallProofCountsForFourKibibytes() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            limits.accountDayBytes = 3 * 4096
            for (number, order) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] {
                try await keep(shop, Int64(number), "\(number)", order: order, within: limits)
            }

            #expect(try await jobs(shop) == ["(1)", "(2)", "(3)"])
        }
    }

    @Test(arguments: ["review", "refunded"])
    func theProofThatDecidesItsOrderIsNotDropped(state: String) async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.latest, limits.accountDayBytes) = (1, 20_000)
            let long = String(repeating: "x", count: 1 << 20)
            try await review(shop, .ownerMismatch, state: state)
            try await keep(shop, 1, long, for: .ownerMismatch, within: limits)
            // It has the same reason, and decides nothing.
            try await keep(shop, 2, long + "2", for: .ownerMismatch, within: limits)
            limits.accountDayBytes = 1 << 24
            for number in 3...5 { try await keep(shop, Int64(number), "proof \(number)", within: limits) }
            try await keep(shop, 6, long, within: limits)
            for number in 7...9 { try await keep(shop, Int64(number), "proof \(number)", within: limits) }

            #expect(
                try await shop.rows("select job_id, reason, decides_order from counterfoil.proofs order by job_id")
                    == ["(1,owner_mismatch,t)", "(9,bad_signature,f)"])
            try await shop.run("update counterfoil.orders set state = 'rejected' where order_id = 'a'")
            try await keep(shop, 10, "proof 10", within: limits)
            #expect(try await jobs(shop) == ["(10)"])
        }
    }

    /// An operator has to decide, however long it takes.
    @Test func theProofOfAReviewIsKeptAsLongAsTheReview() async throws {
        try await open { shop in
            try await review(shop, .unknownAnswer)
            try await keep(shop, 1, "deciding", for: .unknownAnswer)
            try await keep(shop, 2, "another")
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '10 years'")
            func prune() async throws -> [String] {
                _ = try await shop.worker.execute(SQLFile.pruneProofs.statement, [.double(90 * 86_400), .int4(500)])
                return try await jobs(shop)
            }

            #expect(try await prune() == ["(1)"])
            try await shop.run("update counterfoil.orders set state = 'rejected' where order_id = 'a'")
            #expect(try await prune() == [])
        }
    }

    /// Nobody has seen yet what such a proof shows.
    @Test(arguments: [
        Reason.appStoreUnavailable, .credentialRefused, .crashedRepeatedly, .settlementRefused, .unstorable, .discardedByOperator,
    ])
    func aProofWithoutAVerdictIsNotDropped(reason: Reason) async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.latest, limits.accountDayBytes) = (1, 1)
            for number in 1...3 { try await keep(shop, Int64(number), "proof \(number)", for: reason, within: limits) }
            limits.accountDayBytes = 1 << 20
            for number in 4...6 { try await keep(shop, Int64(number), "proof \(number)", within: limits) }
            #expect(try await jobs(shop) == ["(1)", "(2)", "(3)", "(6)"])

            // Its verdict came.
            try await keep(shop, 7, "proof 2", within: limits)
            try await keep(shop, 8, "proof 8", within: limits)

            #expect(try await jobs(shop) == ["(1)", "(3)", "(8)"])
        }
    }

    @Test func anOperatorsCancelledProofIsNotDropped() async throws {
        try await open { shop in
            try await keep(shop, 1, "proof")
            let id = try await shop.upload("a", "proof")

            _ = try await shop.worker.execute(SQLFile.cancelJob.statement, [.int8(id), .text("me"), .text("why")])

            #expect(
                try await shop.rows("select job_id, reason, is_judged from counterfoil.proofs")
                    == ["(1,discarded_by_operator,f)"])
        }
    }
}
