// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// What becomes of payments that fulfil no order: unclaimed, taken back; and of their orders.
@Suite struct RefusedPaymentsTests {
    private func unclaimed(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "select transaction_id, reason, order_id, account_id, product_kind from counterfoil.unclaimed_transactions order by 1"
        )
    }

    /// `state reason transaction` of order `a`.
    private func order(_ shop: Shop) async throws -> String? {
        try await shop.value(
            "select concat_ws(' ', state, reason, transaction_id) from counterfoil.orders where order_id = 'a'")
    }

    // MARK: Unclaimed

    @Test func theFirstToShowAPaymentIsRemembered() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")

            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "order_cancelled")
            try await shop.insertUnclaimed([("b", Payment(id: "1"))], reason: "no_order")

            #expect(try await unclaimed(shop) == ["(1,order_cancelled,a,ann,consumable)"])
        }
    }

    @Test func whatTheLedgerHoldsIsNotUnclaimed() async throws {
        try await Shop.open { shop in
            for name in ["a", "b"] {
                try await shop.order(name, product: "pro")
            }
            let pro = Payment(id: "1", product: "pro", kind: "non_consumable")
            try #require(try await shop.insertGrant("a", pro))
            var restored = pro
            restored.id = "2"
            restored.original = "1"
            try await shop.insertRevocation(Payment(id: "3"), at: 10)

            try await shop.insertUnclaimed([("b", pro), ("b", restored), ("b", Payment(id: "3"))])

            #expect(try await unclaimed(shop) == [])
        }
    }

    @Test func whatIsBoughtAgainAfterARefundIsUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            let pro = Payment(id: "1", product: "pro", kind: "non_consumable")
            try #require(try await shop.insertGrant("a", pro))
            try await shop.insertRevocation(pro, at: 10)

            try await shop.insertUnclaimed(
                [("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20))])

            #expect(try await unclaimed(shop) == ["(2,no_order,a,ann,non_consumable)"])
        }
    }

    // MARK: Taken back

    @Test(arguments: ["fulfilled", "open"])
    func aRefundMakesTheOrderThatItPaidForRefunded(state: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            if state == "fulfilled" {
                try #require(try await shop.insertGrant("a", Payment(id: "1")))
            }

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == (state == "fulfilled" ? "refunded refunded 1" : "open"))
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundOfTheOriginalTakesBackWhatWasGrantedUnderARestoredID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(
                try await shop.insertGrant("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")))

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "refunded refunded 2")
            #expect(try await shop.rows("select status from counterfoil.transaction_status where transaction_id = '2'") == ["(revoked)"])
        }
    }

    @Test func anOldRefundTakesNothingBackThatWasBoughtLater() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.run(
                """
                insert into counterfoil.grants (
                    order_id, bundle_id, environment, grant_key, transaction_id, original_transaction_id, product_id,
                    product_kind, quantity, purchased_at, account_id
                )
                values ('a', '\(Shop.bundle)', 'production', 'original:1', '2', '1', 'pro', 'non_consumable', 1, now(), 'ann');
                insert into counterfoil.transaction_ids values ('\(Shop.bundle)', 'production', '2', 1);
                update counterfoil.orders
                set state = 'fulfilled', transaction_id = '2', environment = 'production', fulfilled_at = now()
                """
            )

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "fulfilled 2")
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundThatIsShownAgainChangesNothing() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            // The reversal as an operator enters it.
            try await shop.insertReversal(Payment(id: "1"), at: 20)
            try await shop.run("update counterfoil.orders set state = 'fulfilled', reason = null")

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "fulfilled 1")
            #expect(try await shop.count("counterfoil.revocations") == 2)
        }
    }

    @Test func aRefundedPaymentIsNoLongerUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))])

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await unclaimed(shop) == [])
        }
    }

    /// A product that is bought for good, and a subscription, whose periods are payments of their own.
    @Test(arguments: [("non_consumable", 0), ("auto_renewable", 1)])
    func aRefundUnderAnotherIDTakesTheSamePayment(kind: String, left: Int) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertUnclaimed([("a", Payment(id: "1", product: "pro", kind: kind))])

            try await shop.insertRevocation(Payment(id: "2", original: "1"), at: 10)

            #expect(try await unclaimed(shop).count == left)
        }
    }

    @Test func whatIsBoughtAfterARefundStaysUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertUnclaimed(
                [("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20))])

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await unclaimed(shop).count == 1)
        }
    }

    // MARK: Orders

    /// An order's state, the outcome of an attempt, and the state after it.
    static let moves: [(from: String, to: String?, becomes: String)] = [
        ("open", nil, "open"), ("open", "rejected", "rejected"), ("open", "review", "review"), ("open", "refunded", "refunded"),
        ("rejected", nil, "rejected"), ("rejected", "review", "review"), ("rejected", "refunded", "refunded"),
        ("review", nil, "review"), ("review", "rejected", "review"), ("review", "refunded", "refunded"),
        ("fulfilled", "rejected", "fulfilled"), ("fulfilled", "review", "fulfilled"), ("fulfilled", "refunded", "fulfilled"),
        ("refunded", "rejected", "refunded"), ("refunded", "review", "refunded"),
        ("cancelled", "rejected", "cancelled"), ("cancelled", "review", "cancelled"), ("cancelled", "refunded", "cancelled"),
    ]

    @Test(arguments: moves)
    func anOutcomeMovesOnlyTheOrdersThatItMay(_ move: (from: String, to: String?, becomes: String)) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run(
                """
                update counterfoil.orders
                set state = '\(move.from)', reason = 'before', transaction_id = '1', environment = 'production', fulfilled_at = now()
                """
            )

            try await shop.settleOrder("a", move.to, "after", transaction: "2", environment: "sandbox")

            let moved = move.to == move.becomes && move.from != move.becomes
            #expect(try await order(shop) == "\(move.becomes) \(moved ? "after 2" : "before 1")")
            #expect(try await shop.value("select attempts from counterfoil.orders") == "1")
        }
    }

    @Test(arguments: [("coins", "open"), ("pro", "refunded refunded 1")])
    func aRefundLeavesAnOrderOpenThatAnotherPaymentMayStillFulfil(product: String, expected: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "2", product: product))])

            try await shop.settleOrder("a", "refunded", "refunded", transaction: "1", environment: "production")

            #expect(try await order(shop) == expected)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func proofsOfRefusedOrdersAreKeptAndPruned() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for _ in 0..<2 {
                _ = try await shop.worker.execute(
                    SQLFile.keepProofs.statement,
                    [
                        .int8Array([1, 2]), .textArray(["a", "a"]), .textArray([nil, "7"]), .textArray(["eyJ 1", "eyJ 2"]),
                        .textArray(["bad_signature", "owner_mismatch"]),
                    ]
                )
            }
            #expect(try await shop.count("counterfoil.proofs") == 2)
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '91 days' where job_id = 1")

            let pruned = try await shop.worker.execute(SQLFile.pruneProofs.statement, [.double(90 * 86_400), .int4(500)])

            #expect(pruned.affectedRows == 1)
            #expect(try await shop.rows("select job_id, transaction_id, proof from counterfoil.proofs") == ["(2,7,\"eyJ 2\")"])
        }
    }
}
