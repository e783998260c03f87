// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// What a hot standby answers, and what it refuses, by which rule: the table in deploy/FAILOVER.md.
@Suite struct StandbyTests {
    /// An order that was rejected, and one whose upload waits.
    /// - Returns: the id of the job.
    private static func seed(_ servers: ReplicatedServers) async throws -> Int64 {
        let job = try await PostgresConnection.withConnection(to: servers.primary.url()) { connection in
            try await connection.executeScript(
                """
                insert into counterfoil.apps (bundle_id) values ('\(Shop.bundle)');
                insert into counterfoil.products (bundle_id, product_id, kind) values ('\(Shop.bundle)', 'coins', 'consumable');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('a', '\(Shop.bundle)', 'coins', 'ann'), ('b', '\(Shop.bundle)', 'coins', 'ann');
                insert into counterfoil.jobs (order_id, proof) values ('a', 'eyJ');
                update counterfoil.orders set state = 'rejected', reason = 'malformed_proof', version = 1 where order_id = 'b'
                """)
            return try await connection.execute("select id from counterfoil.jobs")[0].int64(0)
        }
        try await servers.catchUp()
        return job
    }

    private static func rows(_ sql: String, _ servers: ReplicatedServers, as role: String) async throws -> [String] {
        try await PostgresConnection.withConnection(to: servers.standby.url(user: role)) { connection in
            try await connection.execute("select listed::text from (\(sql)) listed").map { try $0.string(0) }
        }
    }

    private static let refused: [(role: String, sql: String, refusal: Refusal, message: String)] = [
        (
            "counterfoil_backend", "select counterfoil.changes_from('infinity')",
            Refusal("25006", "changes_are_read_from_the_primary"), "changes are read from the primary [changes_are_read_from_the_primary]"
        ),
        (
            "counterfoil_reader", "select * from counterfoil.changes_since('x')",
            Refusal("25006", "changes_are_read_from_the_primary"), "changes are read from the primary [changes_are_read_from_the_primary]"
        ),
        (
            "counterfoil_backend", "select * from counterfoil.submit('c', '\(Shop.bundle)', 'coins', 'ann', 'eyJ')",
            Refusal("25006"), "cannot execute INSERT in a read-only transaction"
        ),
        (
            "counterfoil_backend", "select * from counterfoil.cancel_order('a', 'gone')", Refusal("25006"),
            "cannot execute SELECT FOR NO KEY UPDATE in a read-only transaction"
        ),
        (
            "counterfoil_backend",
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            values ('c', '\(Shop.bundle)', 'coins', 'ann')
            """,
            Refusal("25006"), "cannot execute INSERT in a read-only transaction"
        ),
        ("counterfoil_backend", "listen counterfoil_changes", Refusal("25006"), "cannot execute LISTEN during recovery"),
    ]

    @Test(.timeLimit(.minutes(3)))
    func viewsAndPollsAreAnsweredAndWritesRefused() async throws {
        try await ReplicatedServers.with { servers in
            let job = try await Self.seed(servers)
            let document = try Repository.text("deploy/FAILOVER.md")
            let reader = "counterfoil_reader"
            let views = try await Self.rows(
                """
                select c.relname from pg_class c
                where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v' and has_table_privilege(c.oid, 'select')
                """, servers, as: reader)
            #expect(views.count > 20)
            for view in views {
                let name = view.filter { $0.isLetter || $0 == "_" }
                await #expect(throws: Never.self, "\(name)") {
                    _ = try await Self.rows("select * from counterfoil.\(name)", servers, as: reader)
                }
            }

            let backend = "counterfoil_backend"
            for (sql, answer) in [
                ("select state, client_action from counterfoil.order_status where order_id = 'a'", ["(open,wait)"]),
                ("select state, client_action from counterfoil.order_status where order_id = 'b'", ["(rejected,resend_proof)"]),
                ("select status from counterfoil.transaction_status where bundle_id = 'x' and transaction_id = '1'", []),
                ("select order_id from counterfoil.open_orders('ann', 'coins')", ["(a)", "(b)"]),
                ("select order_id, state from counterfoil.upload_status(\(job), 'ann')", ["(a,pending)"]),
                ("select * from counterfoil.subscription_status where original_transaction_id = '1'", []),
                ("select * from counterfoil.subscription_status_of('x', null, '1', 'ann')", []),
            ] {
                #expect(try await Self.rows(sql, servers, as: backend) == answer, "\(sql)")
            }

            for case (let role, let sql, let refusal, let message) in Self.refused {
                var told = ""
                let found = try await Refusal.of {
                    try await PostgresConnection.withConnection(to: servers.standby.url(user: role)) { connection in
                        do {
                            _ = try await connection.execute(sql)
                        } catch let error as PostgresError {
                            told = error.message
                            throw error
                        }
                    }
                }
                #expect(found == refusal, "\(sql)")
                #expect(told == message, "\(sql)")
                #expect(document.contains(message), "\(message)")
            }
        }
    }

    /// Its sessions are read-only on a primary too, which `read-write` takes for no primary.
    @Test(.timeLimit(.minutes(3)))
    func theReaderFindsThePrimaryByItsURL() async throws {
        try await ReplicatedServers.with { servers in
            try await servers.catchUp()
            let ports = [servers.primary.port, servers.standby.port]
            for hosts in [ports, ports.reversed()] {
                let list = hosts.map { "127.0.0.1:\($0)" }.joined(separator: ",")
                func url(_ role: String, _ attributes: String) -> String {
                    "postgresql://\(role)@\(list)/postgres?target_session_attrs=\(attributes)"
                }
                func port(_ url: String) async throws -> Int {
                    try await PostgresConnection.withConnection(to: url) { connection in
                        Int(try await connection.execute("select inet_server_port()")[0].int32(0))
                    }
                }

                #expect(try await port(url("counterfoil_reader", "primary")) == servers.primary.port)
                #expect(try await port(url("counterfoil_reader", "standby")) == servers.standby.port)
                #expect(try await port(url("counterfoil_worker", "read-write")) == servers.primary.port)
                #expect(try await port(url("counterfoil_backend", "read-write")) == servers.primary.port)
                let error = await #expect(throws: PostgresError.self) { try await port(url("counterfoil_reader", "read-write")) }
                #expect(error?.message.contains("read-only") == true)
            }
        }
    }
}
