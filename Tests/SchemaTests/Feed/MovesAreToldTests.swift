// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Each statement that moves an order tells the feed of it, and a check finds what wasn't told.
@Suite struct MovesAreToldTests {
    /// A statement that moves order `a`, and what comes before.
    struct Move: Sendable, CustomTestStringConvertible {
        /// The file that has it.
        let testDescription: String
        var isTold = true
        var arrange: @Sendable (Shop) async throws -> Void = { _ in }
        let run: @Sendable (Shop) async throws -> Void
    }

    static let moves = [
        Move(testDescription: "grant_first_payments", arrange: { try await $0.upload("a") }) { shop in
            let job = try #require(try await shop.claim().first)
            let time = Payment(id: "1").timestamp
            let number = try await shop.admin.execute("select \(orderNumber("a"))")[0].int64(0)
            let rows = try await shop.worker.execute(
                SQLFile.grantFirstPayments.statement,
                [
                    .int8Array([number]), .int8Array([job.id]), .textArray([Shop.bundle]), .textArray(["production"]),
                    .textArray(["1"]), .textArray(["1"]), .textArray([nil]), .textArray(["coins"]), .textArray(["consumable"]),
                    .int4Array([1]), .timestampArray([time]), .timestampArray([nil]), .uuidArray([nil]), .textArray([nil]),
                    .textArray(["ann"]), .uuidArray([nil]), .int8Array([nil]), .textArray([nil]), .textArray([nil]),
                    .textArray([nil]), .int8Array([job.token]), .int4Array([1]), .textArray(["signed_transaction"]),
                    .timestampArray([time]), .timestampArray([time]), .textArray([nil]), .int8(7),
                ])
            try #require(rows.count == 1)
        },
        Move(testDescription: "insert_grants") { shop in
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
        },
        Move(testDescription: "settle_orders") { try await $0.settleOrder("a", "rejected", "wrong_app") },
        Move(
            testDescription: "settle_payments", arrange: { _ = try await $0.insertGrant("a", Payment(id: "1")) },
            run: { try await $0.insertRevocation(Payment(id: "1"), at: 10) }),
        Move(
            testDescription: "tell_refund", arrange: { _ = try await $0.insertGrant("a", Payment(id: "1")) },
            run: { try await $0.insertRevocation(Payment(id: "1"), at: 10, share: 30_000) }),
        Move(
            testDescription: "restore_order",
            arrange: { try await $0.settleOrder("a", "refunded", "refunded", transaction: "1", environment: "production") },
            run: { _ = try await $0.admin.execute(SQLFile.restoreOrder.statement, [.text("a")]) }),
        Move(
            testDescription: "review_awaited_renewals",
            arrange: { try await $0.run("insert into counterfoil.awaited_renewals values ('a', now() - interval '1 day')") },
            run: { _ = try await $0.worker.execute(SQLFile.reviewAwaitedRenewals.statement, [.int4(10)]) }),
        Move(testDescription: "cancel_order") { shop in
            _ = try await shop.backend.execute("select counterfoil.cancel_order('a', 'gone')")
        },
        Move(testDescription: "tell_found") { shop in
            try await shop.run("insert into counterfoil.order_events (order_id, kind, who, why) values ('a', 'found', 'b', 'c')")
        },
        // Who knows nothing of the feed.
        Move(testDescription: "tell_order") { shop in
            _ = try await shop.worker.execute("update counterfoil.orders set state = 'rejected', reason = 'wrong_app'")
        },
        Move(testDescription: "import_grants", isTold: false) { shop in
            try await shop.run(
                """
                select * from counterfoil.import_grants('\(Shop.bundle)', 'production', '[{
                    "order_id": "a", "account_id": "ann", "product_id": "coins", "product_kind": "consumable",
                    "transaction_id": "1", "purchased_at": "2026-01-01T00:00:00Z"
                }]')
                """)
        },
    ]

    /// It notes that an order is one for a payment that came first; and whose an order is: `MovesTests`, `ErasureTests`.
    private static let moveNothing = ["keep_order", "transfer_order", "forget_account"]

    /// What the checks of the feed find.
    private func untold(_ shop: Shop) async throws -> Set<String> {
        Set(try await shop.faults()).intersection(["orders_untold", "refunds_untold"])
    }

    @Test func everyStatementThatUpdatesOrdersIsHere() {
        let files = (SQLFile.queries + SQLFile.routinesAndViews).filter { $0.text.contains("update counterfoil.orders") }

        #expect(Set(files.map(\.name)) == Set(Self.moves.map(\.testDescription) + Self.moveNothing))
    }

    @Test(arguments: moves)
    func aMoveIsToldOnce(_ move: Move) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await move.arrange(shop)
            var reader = try await ChangeReader(shop.backend)

            try await move.run(shop)

            #expect(try await reader.read("order_id") == (move.isTold ? ["(a)"] : []))
            #expect(try await untold(shop) == [])
        }
    }

    /// Past its statement and its trigger: the change doesn't come to be.
    @Test(arguments: moves.filter(\.isTold))
    func aMoveThatIsNotToldIsFound(_ move: Move) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await move.arrange(shop)
            try await shop.run(
                """
                create function public.swallow() returns trigger language plpgsql as 'begin return null; end';
                create trigger swallow before insert on counterfoil.changes for each row execute function public.swallow()
                """)

            try await move.run(shop)

            #expect(try await untold(shop).contains("orders_untold"))
        }
    }
}
