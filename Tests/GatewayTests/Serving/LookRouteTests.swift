// SPDX-License-Identifier: Apache-2.0

import Gateway
import TestSupport
import Testing

/// What an account has, and what Apple asks.
@Suite struct LookRouteTests {
    private func rows(_ reply: GatewayHost.Reply, _ name: String) throws -> [JSONValue] {
        guard case .array(let rows)? = reply.json[name] else { throw Problem(.internalError, reply.text) }
        return rows
    }

    /// A running period, of an order of the account.
    private func subscribe(_ host: GatewayHost, _ account: String, _ id: String, bundle: String = GatewayHost.bundle) async throws {
        try await host.run(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            values ('order \(id)', '\(bundle)', 'plus', '\(account)');
            set session_replication_role = replica;
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                expires_at, web_order_line_item_id, order_number, granted_at, account_id
            )
            select
                '\(id)', '\(bundle)', 'production', '\(id)', 'plus', 'auto_renewable', 1, now() - interval '1 minute',
                now() + interval '1 hour', 'w\(id)', o.number, now(), '\(account)'
            from counterfoil.orders o where o.order_id = 'order \(id)';
            reset session_replication_role
            """)
    }

    @Test(.timeLimit(.minutes(2)))
    func anAccountsSubscriptionsAreListed() async throws {
        try await GatewayHost.with { host in
            try await subscribe(host, "ann", "1")
            try await subscribe(host, "ann", "2")
            try await subscribe(host, "ann", "3", bundle: "com.example.other")
            try await subscribe(host, "bob", "4")
            let target = "/v1/subscriptions?bundle_id=\(GatewayHost.bundle)"

            let all = try rows(try await host.call("GET", target), "subscriptions")
            let one = try rows(try await host.call("GET", target + "&original_transaction_id=2"), "subscriptions")
            let others = try rows(try await host.call("GET", target + "&original_transaction_id=4"), "subscriptions")

            #expect(all.compactMap { $0["original_transaction_id"]?.text }.sorted() == ["1", "2"])
            #expect(all.allSatisfy { $0["status"] == .string("active") })
            #expect(one.compactMap { $0["original_transaction_id"]?.text } == ["2"])
            #expect(others == [])
            #expect(try rows(try await host.call("GET", target, account: "eve"), "subscriptions") == [])
            #expect(try await host.call("GET", "/v1/subscriptions").problem == "malformed_request")
            let key = try await GatewayHost.addKey(host.database, bundles: ["com.example.other"])
            #expect(try await host.call("GET", target, key: key).problem == "bundle_not_of_key")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func openQuestionsAboutRefundsAreListed() async throws {
        try await GatewayHost.with { host in
            try await subscribe(host, "ann", "1")
            try await host.run(
                """
                insert into counterfoil.notifications (
                    notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app
                )
                select
                    gen_random_uuid(), case i when 4 then 'com.example.other' else '\(GatewayHost.bundle)' end, 'production',
                    'CONSUMPTION_REQUEST', 'push', 'x', sha256(i::text::bytea), true
                from generate_series(1, 5) i;
                insert into counterfoil.consumption_requests (
                    notification_id, bundle_id, environment, transaction_id, reason, requested_at, deadline, closed_at
                )
                select
                    n.id, n.bundle_id, 'production', row_number() over (order by n.id), 'UNINTENDED_PURCHASE', now(),
                    now() + case row_number() over (order by n.id) when 2 then interval '-1 s' when 5 then interval '1 hour' else interval '9 hours' end,
                    case row_number() over (order by n.id) when 3 then now() end
                from counterfoil.notifications n
                """)
            let transactions = { (reply: GatewayHost.Reply) in
                try rows(reply, "consumption_requests").compactMap { $0["transaction_id"]?.text }
            }

            let all = try await host.call("GET", "/v1/consumption-requests", account: nil)
            let first = try await host.call("GET", "/v1/consumption-requests?state=open&limit=1", account: nil)
            let one = try await host.call("GET", "/v1/consumption-requests?bundle_id=com.example.other", account: nil)

            #expect(try transactions(all) == ["5", "1", "4"] || transactions(all) == ["5", "4", "1"])
            #expect(try transactions(first) == ["5"])
            #expect(try transactions(one) == ["4"])
            let known = try #require(try rows(all, "consumption_requests").first { $0["transaction_id"] == .string("1") })
            #expect(known["account_id"] == .string("ann"))
            #expect(known["order_id"] == .string("order 1"))
            let key = try await GatewayHost.addKey(host.database, bundles: ["com.example.other"])
            #expect(try transactions(try await host.call("GET", "/v1/consumption-requests", account: nil, key: key)) == ["4"])
            let refused = try await host.call(
                "GET", "/v1/consumption-requests?bundle_id=\(GatewayHost.bundle)", account: nil, key: key)
            #expect(refused.problem == "bundle_not_of_key")
            // Somebody decided.
            try await host.run(
                """
                insert into counterfoil.consumption_answers (notification_id, state, who, why, ended_at)
                select c.notification_id, 'declined', 'eve', 'x', now() from counterfoil.consumption_requests c
                where c.transaction_id = '5'
                """)
            let undecided = try await host.call("GET", "/v1/consumption-requests", account: nil)
            #expect(try Set(transactions(undecided)) == ["1", "4"])
            #expect(
                try await host.call("GET", "/v1/consumption-requests?state=closed", account: nil).problem == "malformed_request")
        }
    }
}
