// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@testable import counterfoil_bench

/// What the judge of webhooks says of calls that aren't as the feed has them.
@Suite struct WebhookSiteTests {
    private typealias Call = (id: String, body: String)

    private static let setUp = """
        insert into counterfoil.apps (bundle_id) values ('com.example.game');
        insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
        select id, 'com.example.game', 'coins', 'ann' from unnest('{a,b}'::text[]) id;
        insert into counterfoil.payments (
            transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at, account_id,
            order_number, granted_at
        )
        select
            'paid-' || o.order_id, o.bundle_id, 'production', 'paid-' || o.order_id, 'coins', 'consumable', 1, '2026-03-01', 'ann',
            o.number, now()
        from counterfoil.orders o;
        update counterfoil.orders o
        set state = 'fulfilled', transaction_id = 'paid-' || o.order_id, environment = 'production', fulfilled_at = now();
        update counterfoil.orders o set state = 'refunded', reason = 'refunded' where o.order_id = 'a'
        """

    /// The judge's words of each way to be called.
    @Test func eachDifferenceHasAName() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { admin in
                try await admin.executeScript(Self.setUp)
                let calls: [Call] = try await admin.execute(
                    """
                    select c.id || '_' || c.kind, counterfoil.webhook_body(c.kind, c.at, to_jsonb(c))
                    from counterfoil.changes_since(counterfoil.changes_from('-infinity')) c
                    """
                ).map { (try $0.string(0), try $0.string(1)) }
                try #require(calls.count == 3)
                func faults(_ calls: [Call]) async throws -> Set<String> {
                    Set(try await WebhookSite.differences(calls) { try await admin.execute($0, $1) })
                }
                let refund = calls[2]
                let number = String(refund.id.prefix { $0 != "_" })

                #expect(try await faults(calls) == [])
                #expect(try await faults(calls + calls) == [])
                #expect(try await faults(Array(calls.dropLast())) == ["fault=not sent what=\(number)", "fault=goods what=a"])
                #expect(
                    try await faults(calls + [("other", refund.body)]) == ["fault=sent under several ids what=\(number)"])
                #expect(try await faults(calls.reversed()) == ["fault=out of order what=a", "fault=goods what=a"])
                #expect(
                    try await faults(calls.dropLast() + [(refund.id, refund.body.replacing("share\" : 100", with: "share\" : 10"))])
                        .contains("fault=sent otherwise what=\(refund.id) order_refunded data,refunded_share"))
                #expect(
                    try await faults(calls + [("unknown", refund.body.replacing(number, with: "1"))])
                        .contains("fault=sent, and not in the feed what=1"))
            }
        }
    }
}
