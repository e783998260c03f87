// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct DeliverRefundsByTests {
    private static let payment = Payment(id: "1")

    /// A granted payment, and a function of the shop's that notes what it is given.
    private func withGrant(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                create schema shop;
                grant usage on schema shop to counterfoil_delivery;
                create table shop.refunds (
                    id integer generated always as identity, order_id text, kind text, share numeric, is_refunded boolean,
                    refunded_share numeric
                );
                create function shop.take_back(r counterfoil.refund) returns void
                language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
                begin
                    insert into shop.refunds (order_id, kind, share, is_refunded, refunded_share)
                    values (r.order_id, r.kind, r.share, r.is_refunded, r.refunded_share);
                end
                $$;
                select counterfoil.deliver_refunds_by('shop.take_back')
                """)
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Self.payment))
            try await body(shop)
        }
    }

    private func refunds(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select order_id, kind, share, is_refunded, refunded_share from shop.refunds order by id")
    }

    @Test func theWholeIsHandedOverOnceAndItsReversalToo() async throws {
        try await withGrant { shop in
            try await shop.insertRevocation(Self.payment, at: 10)
            #expect(try await refunds(shop) == ["(a,revocation,100,t,100)"])
            // Said again.
            try await shop.insertRevocation(Self.payment, at: 10)
            #expect(try await refunds(shop).count == 1)

            try await shop.insertReversal(Self.payment, at: 20)
            try await shop.settlePayments(Self.payment)

            #expect(try await refunds(shop) == ["(a,revocation,100,t,100)", "(a,reversal,,f,)"])
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'a'") == "fulfilled")
        }
    }

    @Test func aPartIsHandedOverAlthoughTheOrderStays() async throws {
        try await withGrant { shop in
            try await shop.insertRevocation(Self.payment, at: 10, share: 25_000)
            try await shop.insertRevocation(Self.payment, at: 20, share: nil)
            try await shop.insertRevocation(Self.payment, at: 30, share: 60_500)

            #expect(
                try await refunds(shop) == [
                    "(a,revocation,25,f,25)", "(a,revocation,,f,25)", "(a,revocation,60.5,f,60.5)",
                ])
        }
    }

    /// A restore's refund takes the payment back that it is a name of.
    @Test func aRefundUnderAnotherNameIsHandedOverWithItsGrant() async throws {
        try await withGrant { shop in
            let bought = Payment(id: "5", product: "pro", kind: "non_consumable")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("b", bought))

            try await shop.insertRevocation(
                Payment(id: "6", original: "5", product: "pro", kind: "non_consumable", purchasedAt: 5), at: 10)

            #expect(try await refunds(shop) == ["(b,revocation,100,t,100)"])
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "refunded")
        }
    }

    /// The whole, recorded before the order could be moved.
    @Test func anOrderThatMovesLaterIsHandedOverThen() async throws {
        try await withGrant { shop in
            try await shop.run(
                """
                insert into counterfoil.revocations (
                    bundle_id, environment, transaction_id, original_transaction_id, kind, share, occurred_at, as_of
                )
                values ('\(Shop.bundle)', 'production', '1', '1', 'revocation', 100000, '2024-01-01Z', '2024-01-01Z')
                """)
            #expect(try await refunds(shop) == [])

            try await shop.settlePayments(Self.payment)

            #expect(try await refunds(shop) == ["(a,revocation,100,t,100)"])
        }
    }

    @Test func whatWasNotGrantedAndWhatIsImportedIsNotHandedOver() async throws {
        try await withGrant { shop in
            try await shop.insertRevocation(Payment(id: "2"), at: 10)
            let entry = """
                [{"order_id": "o", "account_id": "ann", "product_id": "coins", "product_kind": "consumable",
                  "transaction_id": "2", "purchased_at": "2023-11-14T22:13:20Z"}]
                """
            try await shop.run("select counterfoil.import_grants('\(Shop.bundle)', 'production', '\(entry)')")

            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'o'") == "refunded")
            #expect(try await refunds(shop) == [])
        }
    }

    @Test func nullTakesItAway() async throws {
        try await withGrant { shop in
            try await shop.run("select counterfoil.deliver_refunds_by(null)")

            try await shop.insertRevocation(Self.payment, at: 10)

            #expect(try await refunds(shop) == [])
        }
    }

    @Test func aFunctionForGrantsIsRefused() async throws {
        try await withGrant { shop in
            try await shop.run("create function shop.deliver(counterfoil.delivery) returns void language sql as ''")

            let error = await #expect(throws: PostgresError.self) {
                _ = try await shop.admin.execute("select counterfoil.deliver_refunds_by('shop.deliver')")
            }

            #expect(error?.message == "there is no function shop.deliver(counterfoil.refund) that returns void")
        }
    }
}
