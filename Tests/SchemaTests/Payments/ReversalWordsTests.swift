// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// How a reversal is dated: the two ways of `insert_words.sql`.
@Suite struct ReversalWordsTests {
    private static let payment = Payment(id: "1")

    private func reverse(_ shop: Shop, at seconds: Int64, comesLast: Bool) async throws {
        var given = Self.payment
        given.purchasedAt = seconds
        _ = try await shop.worker.execute(
            SQLFile.insertWords.statement,
            [
                .textArray([Shop.bundle]), .textArray([given.environment]), .textArray([given.id]), .textArray([given.id]),
                .textArray(["reversal"]), .timestampArray([given.timestamp]), .timestampArray([given.timestamp]),
                .boolArray([comesLast]), .textArray([nil]), .timestampArray([nil]), .int4Array([nil]), .int4Array([0]),
                .textArray([nil]), .int4Array([nil]), .boolArray([false]),
            ])
    }

    /// The seconds of each word since the purchase, the latest first.
    private func words(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select r.kind, extract(epoch from r.as_of - p.purchased_at)::integer
            from counterfoil.revocations r
            join counterfoil.payments p on p.transaction_id = r.transaction_id
            order by r.as_of desc, r.id desc
            """)
    }

    @Test func whatIsToldStandsAsOfItsTime() async throws {
        try await Shop.open { shop in
            try await shop.insertRevocation(Self.payment, at: 10, asOf: 20)

            try await reverse(shop, at: 15, comesLast: false)

            #expect(try await words(shop) == ["(revocation,20)", "(reversal,15)"])
        }
    }

    /// A refund that was signed before it may come later.
    @Test func whatIsToldIsWrittenBeforeItsRefund() async throws {
        try await Shop.open { shop in
            try await shop.insertTold(Self.payment, reason: "no_order")

            try await reverse(shop, at: 15, comesLast: false)

            #expect(try await words(shop) == ["(reversal,15)"])
        }
    }

    @Test func whatComesLastIsDatedAfterWhatItReverses() async throws {
        try await Shop.open { shop in
            try await shop.insertRevocation(Self.payment, at: 10, asOf: 20)

            try await reverse(shop, at: 15, comesLast: true)

            #expect(try await words(shop) == ["(reversal,20)", "(revocation,20)"])
        }
    }

    @Test func whatWasNeverTakenBackIsNotGivenBack() async throws {
        try await Shop.open { shop in
            try await shop.insertTold(Self.payment, reason: "no_order")

            try await reverse(shop, at: 15, comesLast: true)

            #expect(try await words(shop) == [])
        }
    }
}
