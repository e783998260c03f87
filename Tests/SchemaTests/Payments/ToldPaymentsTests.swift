// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Payments that Apple told of: which of them are brought to an order, and which notifications are judged again.
@Suite struct ToldPaymentsTests {
    private static let token = UUID()

    private static func period(_ id: String, token: UUID? = nil) -> Payment {
        Payment(
            id: id, original: "1", webOrderLineItem: "item " + id, product: "plus", kind: "auto_renewable", purchasedAt: 10,
            token: token)
    }

    /// A notification of a payment, which had its effect; its id.
    private func notify(_ shop: Shop, _ id: String) async throws -> Int64 {
        try await shop.admin.execute(
            """
            insert into counterfoil.notifications (
                notification_uuid, bundle_id, environment, type, signed_at, source, payload, payload_hash, is_of_an_app, outcome,
                processed_at, transaction_id, original_transaction_id
            )
            values (
                gen_random_uuid(), '\(Shop.bundle)', 'production', 'DID_RENEW', now(), 'push', 'eyJ', sha256($1::text::bytea), true,
                'recorded', now(), $1::text, '1'
            )
            returning id
            """, [.text(id)])[0].int64(0)
    }

    /// Whether the payment is brought to the order that its token names.
    @Test(arguments: [
        ("no_order", nil, true), ("subscription_unconfirmed", nil, true), ("renewal", nil, true),
        // A stranger's showing takes nothing away.
        ("owner_mismatch", "bob's", true),
        ("partly_refunded", nil, true), ("before_ledger", nil, false), ("product_kind_mismatch", nil, false),
    ] as [(String, String?, Bool)])
    func whatMayBeAnOrdersIsBroughtToIt(_ reason: String, _ shownFor: String?, _ isBrought: Bool) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus", token: Self.token)
            try await shop.order("bob's", account: "bob")
            try await shop.run("update counterfoil.orders set created_at = '2020-01-01Z'")
            let payment = Self.period("2", token: Self.token)
            if let shownFor {
                try await shop.insertUnclaimed([(shownFor, payment)], reason: reason)
            } else {
                try await shop.insertTold(payment, reason: reason)
            }
            let notification = try await notify(shop, "2")

            _ = try await shop.worker.execute(
                SQLFile.uploadFoundPayments.statement,
                [
                    .int8Array([notification]), .textArray([Shop.bundle]), .textArray(["production"]), .textArray(["2"]),
                    .textArray(["eyJ"]),
                ])

            let brought = try await shop.rows("select order_id, transaction_id from counterfoil.jobs where kind = 'verify'")
            #expect(brought == (isBrought ? ["(a,2)"] : []))
        }
    }

    /// A period was granted now: what was told of later ones may renew it.
    @Test(arguments: [
        ("no_order", nil, true), ("before_ledger", nil, true), ("unknown_product", nil, true), ("product_kind_mismatch", nil, true),
        ("subscription_unconfirmed", nil, true), ("owner_mismatch", "bob's", true),
        ("renewal", nil, false), ("unsupported_yet", nil, false), ("no_order", "bob's", false),
    ] as [(String, String?, Bool)])
    func whatMayBeARenewalIsJudgedAgain(_ reason: String, _ shownFor: String?, _ isJudgedAgain: Bool) async throws {
        try await Shop.open { shop in
            try await shop.order("bob's", account: "bob")
            if let shownFor {
                try await shop.insertUnclaimed([(shownFor, Self.period("2"))], reason: reason)
            } else {
                try await shop.insertTold(Self.period("2"), reason: reason)
            }
            let notification = try await notify(shop, "2")

            _ = try await shop.worker.execute(
                SQLFile.requeueRenewals.statement, [.textArray(["1"]), .textArray([Shop.bundle]), .textArray(["production"])])

            let judged = try await shop.rows("select notification_id from counterfoil.jobs where kind = 'notification'")
            #expect(judged == (isJudgedAgain ? ["(\(notification))"] : []))
        }
    }
}
