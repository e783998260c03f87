// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Payments from before the ledger began are kept, and nobody has to look at them unless an order is meant for one.
@Suite struct OldPaymentsTests {
    private static func period(_ id: String, at seconds: Int64) -> Payment {
        Payment(
            id: id, original: "1", webOrderLineItem: "item " + id, product: "plus", kind: "auto_renewable", purchasedAt: seconds)
    }

    private func reason(_ shop: Shop, _ id: String = "2") async throws -> String? {
        try await shop.value("select reason from counterfoil.unclaimed_transactions where transaction_id = '\(id)'")
    }

    @Test func oldPaymentsAreNotListedAsUndelivered() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "before_ledger")

            #expect(try await shop.rows("select * from counterfoil.paid_not_delivered") == [])
            #expect(try await shop.value("select paid_not_delivered from counterfoil.overview") == "0")
            #expect(try await reason(shop) == "before_ledger")
            #expect(
                try await shop.rows("select status, client_action from counterfoil.transaction_status")
                    == ["(unclaimed,contact_support)"])
        }
    }

    /// What is known of a payment, what the next proof says of it, and what then counts.
    @Test(arguments: [
        // Each receipt shows it again.
        ("renewal", "before_ledger", "renewal"),
        ("no_order", "before_ledger", "no_order"),
        // Only a stranger had shown it.
        ("owner_mismatch", "before_ledger", "before_ledger"),
        // The ledger begins earlier than it did.
        ("before_ledger", "no_order", "no_order"),
        ("before_ledger", "renewal", "renewal"),
        // The account that showed it first would lose it to whoever comes next.
        ("before_ledger", "owner_mismatch", "before_ledger"),
        ("before_ledger", "order_already_paid", "order_already_paid"),
        // Whatever outweighs it leaves open whether it is old.
        ("before_ledger", "partly_refunded", "before_ledger"),
    ])
    func aLaterProofChangesWhatIsSaidOfAnOldPayment(known: String, next: String, expected: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")
            try await shop.insertUnclaimed([("a", Self.period("2", at: 10))], reason: known)

            try await shop.insertUnclaimed([("b", Self.period("2", at: 10))], reason: next)

            #expect(try await reason(shop) == expected)
        }
    }

    /// How an order stands to an old payment of its product which its proof showed.
    struct Meaning: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isRecovery = false
        var isInReview = false
        /// Seconds since the order.
        var paid = -3600
        let isMeant: Bool
    }

    @Test(arguments: [
        Meaning(testDescription: "its receipt happened to show it", isMeant: false),
        Meaning(testDescription: "it was made for an old payment", isRecovery: true, isMeant: true),
        Meaning(testDescription: "an operator is to decide", isInReview: true, isMeant: true),
        Meaning(testDescription: "paid since the order, and before the ledger", paid: 60, isMeant: true),
    ])
    func anOrderMayBeMeantForAnOldPayment(_ example: Meaning) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "before_ledger")
            try await shop.run(
                """
                update counterfoil.orders set recovery = \(example.isRecovery), attempts = 1, last_attempt_at = now(), created_at = (
                    select p.purchased_at - make_interval(secs => \(example.paid)) from counterfoil.payments p
                )
                """)
            if example.isInReview { try await shop.settleOrder("a", "review", "before_ledger", transaction: "2", environment: "production") }

            let found = try await shop.rows("select transaction_id from counterfoil.unclaimed_for_order('a')")

            #expect(found == (example.isMeant ? ["(2)"] : []))
            #expect(try await shop.faults() == (example.isMeant ? [] : ["orders_left_behind"]))
            // Another payment was refunded: the order is over, unless it may still be paid.
            try await shop.settleOrder("a", "refunded", "refunded", transaction: "3", environment: "production")
            let state = try await shop.value("select state from counterfoil.orders")
            #expect(state == (example.isMeant ? (example.isInReview ? "review" : "open") : "refunded"))
        }
    }
}
