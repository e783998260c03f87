// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What a payment means to a client: one answer, whichever view is asked.
@Suite struct PaymentAnswersTests {
    private static let first = Payment(id: "1", product: "pro", kind: "non_consumable")
    private static let restored = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")

    /// The payment was granted under another name than the one that the order in review shows.
    @Test func anOrderInReviewEndsWithTheGrantOfItsPaymentUnderAnotherName() async throws {
        try await Shop.open { shop in
            try await shop.order("old")
            try await shop.insertUnclaimed([("old", Self.restored)], reason: "wrong_product")
            try await shop.settleOrder("old", "review", "wrong_product", transaction: "2")
            #expect(try await shop.count("counterfoil.open_reviews") == 1)

            try await shop.order("again", product: "pro")
            try #require(try await shop.insertGrant("again", Self.first))

            #expect(try await shop.value("(select client_action from counterfoil.order_status where order_id = 'old')") == "finish")
            #expect(
                try await shop.value("(select client_action from counterfoil.transaction_status where transaction_id = '2')")
                    == "finish")
            #expect(try await shop.count("counterfoil.open_reviews") == 0)
        }
    }

    /// Another account's grant is nothing that this one may finish.
    @Test func anOrderInReviewStaysThereWhereAnotherAccountHasThePayment() async throws {
        try await Shop.open { shop in
            try await shop.order("old")
            try await shop.insertUnclaimed([("old", Self.restored)], reason: "wrong_product")
            try await shop.settleOrder("old", "review", "wrong_product", transaction: "2")
            try await shop.order("bob's", product: "pro", account: "bob")
            try #require(try await shop.insertGrants([("bob's", Self.first)], isOperatorDecision: true) == ["bob's"])

            #expect(
                try await shop.value("(select client_action from counterfoil.order_status where order_id = 'old')")
                    == "contact_support")
            #expect(try await shop.count("counterfoil.open_reviews") == 1)
        }
    }

    /// Only Apple told of it. An id without a proof showed it since, which keeps no payment.
    @Test func aPaymentWithoutAnAccountIsAskedForWhoeverAsks() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run(
                """
                insert into counterfoil.payments (
                    transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity,
                    purchased_at, reason
                )
                values ('1', '\(Shop.bundle)', 'production', '1', 'coins', 'consumable', 1, now(), 'no_order')
                """)
            try await shop.attempt("a", job: 9, reason: "token_missing", transaction: "1", finished: "now()")

            #expect(
                try await shop.rows("select status, client_action from counterfoil.upload_status(9, 'ann')")
                    == ["(unclaimed,upload_proof)"])
            #expect(
                try await shop.rows("select status, client_action from counterfoil.transaction_status where transaction_id = '1'")
                    == ["(unclaimed,upload_proof)"])
        }
    }

    /// A payment of a cancelled order that its settlement found to fit, under the first policy.
    private func action(_ shop: Shop, _ payment: Payment, fitsUnder number: Int32? = 1) async throws -> String? {
        try await shop.order("a")
        try await shop.run(
            "update counterfoil.orders set created_at = '2020-01-01Z', state = 'cancelled', reason = 'order_cancelled'")
        var payment = payment
        payment.fitsUnder = number
        try await shop.insertUnclaimed([("a", payment)], reason: "order_cancelled")
        return try await shop.value("(select client_action from counterfoil.payment_answers)")
    }

    @Test(arguments: [(nil, "contact_support"), (1, "order_again"), (2, "contact_support")] as [(Int32?, String)])
    func whatFitsUnderThePolicyIsOrderedAgain(_ number: Int32?, _ action: String) async throws {
        try await Shop.open { shop async throws in
            #expect(try await self.action(shop, Payment(id: "1"), fitsUnder: number) == action)
        }
    }

    /// What was judged by another policy is judged anew, by an upload or an operator.
    @Test func aChangeOfThePolicySilencesWhatWasJudgedBefore() async throws {
        try await Shop.open { shop in
            try #require(try await self.action(shop, Payment(id: "1")) == "order_again")

            try await shop.run("update counterfoil.apps set ledger_starts_at = '2020-01-01Z'")

            #expect(try await shop.value("(select client_action from counterfoil.payment_answers)") == "contact_support")
        }
    }

    /// The order would be rejected.
    @Test func theSandboxIsOrderedAgainWhileItIsTaken() async throws {
        try await Shop.open { shop in
            try await shop.run(
                "update counterfoil.apps set sandbox_policy = 'deny', sandbox_open_until = now() + interval '1 hour'")
            #expect(try await self.action(shop, Payment(id: "1", environment: "sandbox"), fitsUnder: 2) == "order_again")

            try await shop.run("update counterfoil.apps set sandbox_open_until = now()")

            #expect(try await shop.value("(select client_action from counterfoil.payment_answers)") == "contact_support")
        }
    }

    @Test func advancedCommerceIsNotOrderedAgain() async throws {
        try await Shop.open { shop async throws in
            var payment = Payment(id: "1")
            payment.isAdvancedCommerce = true

            #expect(try await self.action(shop, payment) == "contact_support")
        }
    }
}
