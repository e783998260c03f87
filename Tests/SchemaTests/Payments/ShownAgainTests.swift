// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Which reason a payment is kept by that is shown twice: the table of `insert_payments.sql`.
@Suite struct ShownAgainTests {
    /// Ann's orders are `a`, `b` and, cancelled, `over`; Bob's is `bob's`. Nil: only Apple told of it.
    struct Showing: Sendable, CustomTestStringConvertible {
        let kept: String
        let keptFor: String?
        let shown: String
        let shownFor: String?
        let reason: String
        /// The account and the order after both.
        let whose: String

        init(
            _ kept: String, for keptFor: String? = "a", _ shown: String, then shownFor: String? = "b", _ reason: String,
            of whose: String = "ann a"
        ) {
            self.kept = kept
            self.keptFor = keptFor
            self.shown = shown
            self.shownFor = shownFor
            self.reason = reason
            self.whose = whose
        }

        var testDescription: String {
            "\(kept) for \(keptFor ?? "nobody"), then \(shown) for \(shownFor ?? "nobody")"
        }
    }

    static let strangers = [
        // Whose it is was asked for each showing.
        Showing("owner_mismatch", for: "bob's", "no_order", "no_order", of: "ann b"),
        Showing("owner_mismatch", for: "bob's", "order_already_paid", "order_already_paid", of: "ann b"),
        Showing("owner_mismatch", for: "bob's", "seats_added", "seats_added", of: "ann b"),
        Showing("owner_mismatch", for: "bob's", "subscription_unconfirmed", "subscription_unconfirmed", of: "ann b"),
        Showing("owner_mismatch", for: "bob's", "before_ledger", "before_ledger", of: "ann b"),
        Showing("owner_mismatch", for: "bob's", "owner_mismatch", "owner_mismatch", of: "bob bob's"),
        Showing("owner_mismatch", for: "bob's", "restored", "owner_mismatch", of: "bob bob's"),
        Showing("owner_mismatch", for: "bob's", "refunded", "owner_mismatch", of: "bob bob's"),
        // Nobody judged it.
        Showing("owner_mismatch", for: "bob's", "settlement_refused", "owner_mismatch", of: "bob bob's"),
        Showing("owner_mismatch", for: "a", "order_already_paid", "owner_mismatch"),
        Showing("order_cancelled", "owner_mismatch", then: "bob's", "order_cancelled"),
        Showing("subscription_unconfirmed", "owner_mismatch", then: "bob's", "subscription_unconfirmed"),
        Showing("no_order", for: nil, "owner_mismatch", then: "bob's", "owner_mismatch", of: "bob bob's"),
        // He is no owner of it: it isn't kept with his refusal.
        Showing("subscription_unconfirmed", for: nil, "owner_mismatch", then: "bob's", "subscription_unconfirmed", of: ""),
        Showing("unsupported_yet", for: nil, "owner_mismatch", then: "bob's", "unsupported_yet", of: ""),
        Showing("before_ledger", for: nil, "owner_mismatch", then: "bob's", "before_ledger", of: ""),
    ]

    static let facts = [
        Showing("no_order", "partly_refunded", "partly_refunded"), Showing("order_cancelled", "refund_reversed", "refund_reversed"),
        Showing("order_already_paid", "bought_again_after_revocation", "bought_again_after_revocation"),
        Showing("token_missing", "unsupported_yet", "unsupported_yet"),
        Showing("product_kind_mismatch", "partly_refunded", "partly_refunded"),
        Showing("partly_refunded", "order_already_paid", "order_already_paid"),
        Showing("refund_reversed", "order_cancelled", "order_cancelled"), Showing("partly_refunded", "renewal", "renewal"),
        Showing("bought_again_after_revocation", "unknown_product", "unknown_product"),
        Showing("unsupported_yet", "no_order", "unsupported_yet"), Showing("seats_added", "no_order", "seats_added"),
    ]

    static let doubts = [
        Showing("subscription_unconfirmed", "order_already_paid", "order_already_paid"),
        Showing("unknown_product", "quantity_short", "quantity_short"), Showing("product_kind_mismatch", "no_order", "no_order"),
        Showing("order_already_paid", "subscription_unconfirmed", "order_already_paid"),
        Showing("no_order", "unknown_product", "no_order"),
        // An operator is to decide about it.
        Showing("subscription_unconfirmed", "renewal", "subscription_unconfirmed"),
        // A reason that no list names.
        Showing("a_new_reason", "no_order", "no_order"), Showing("renewal", "a_new_reason", "a_new_reason"),
    ]

    static let renewals = [
        Showing("renewal", "subscription_unconfirmed", "subscription_unconfirmed"),
        Showing("renewal", "subscription_unconfirmed", then: "over", "renewal"),
        Showing("renewal", "product_kind_mismatch", then: nil, "renewal"),
        Showing("renewal", "partly_refunded", then: "over", "partly_refunded"),
        Showing("renewal", "token_missing", "token_missing"), Showing("renewal", "settlement_refused", "settlement_refused"),
        Showing("renewal", "order_already_paid", "renewal"), Showing("renewal", "owner_mismatch", then: "bob's", "renewal"),
    ]

    static let told = [
        Showing("no_order", for: nil, "subscription_unconfirmed", "subscription_unconfirmed", of: "ann b"),
        Showing("no_order", for: nil, "before_ledger", "no_order", of: "ann b"),
        Showing("subscription_unconfirmed", for: nil, "unknown_product", "unknown_product", of: "ann b"),
        Showing("subscription_unconfirmed", for: nil, "renewal", "renewal", of: "ann b"),
        Showing("refunded", for: nil, "order_already_paid", "order_already_paid", of: "ann b"),
        // Judged again, once more is known.
        Showing("subscription_unconfirmed", for: nil, "renewal", then: nil, "renewal", of: ""),
        Showing("product_kind_mismatch", for: nil, "no_order", then: nil, "no_order", of: ""),
        Showing("no_order", for: nil, "before_ledger", then: nil, "before_ledger", of: ""),
        Showing("no_order", for: nil, "partly_refunded", then: nil, "partly_refunded", of: ""),
        Showing("renewal", for: nil, "no_order", then: nil, "renewal", of: ""),
        Showing("subscription_unconfirmed", for: nil, "refunded", then: nil, "subscription_unconfirmed", of: ""),
    ]

    static let all: [Showing] = strangers + facts + doubts + renewals + told

    @Test(arguments: all)
    func oneReasonStands(_ showing: Showing) async throws {
        try await Shop.open { shop in
            // Of another product: none of them counts on it.
            for order in ["a", "b", "over"] { try await shop.order(order, product: "pro") }
            try await shop.order("bob's", product: "pro", account: "bob")
            try await shop.run("select * from counterfoil.cancel_order('over', 'gone')")

            for (order, reason) in [(showing.keptFor, showing.kept), (showing.shownFor, showing.shown)] {
                if let order {
                    try await shop.insertUnclaimed([(order, Payment(id: "1"))], reason: reason)
                } else {
                    try await shop.insertTold(Payment(id: "1"), reason: reason)
                }
            }

            #expect(try await shop.value("select reason from counterfoil.payments") == showing.reason)
            #expect(try await shop.value("select concat_ws(' ', account_id, shown_by) from counterfoil.ledger") == showing.whose)
        }
    }

    /// Of several showings in one settlement a stranger's counts least.
    @Test func aStrangerInTheSameBatchTakesNothing() async throws {
        try await Shop.open { shop in
            try await shop.order("z")
            try await shop.order("a", account: "bob")
            let payment = Payment(id: "1")
            _ = try await shop.worker.execute(
                SQLFile.insertPayments.statement,
                [
                    .textArray(["a", "z"]), .textArray([Shop.bundle, Shop.bundle]), .textArray(["production", "production"]),
                    .textArray(["1", "1"]), .textArray(["1", "1"]), .textArray([nil, nil]), .textArray(["coins", "coins"]),
                    .textArray(["consumable", "consumable"]), .int4Array([1, 1]),
                    .timestampArray([payment.timestamp, payment.timestamp]), .timestampArray([nil, nil]), .uuidArray([nil, nil]),
                    .textArray(["owner_mismatch", "order_cancelled"]), .textArray([nil, nil]), .int8Array([nil, nil]),
                    .textArray([nil, nil]), .textArray([nil, nil]), .textArray([nil, nil]), .int4Array([nil, nil]),
                    .timestampArray([nil, nil]), .boolArray([nil, nil]), .textArray([nil, nil]),
                ])

            #expect(try await shop.rows("select reason, account_id from counterfoil.payments") == ["(order_cancelled,ann)"])
        }
    }
}
