// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

@Suite struct QueryPreparationTests {
    /// What a worker sends; the rest is sent by people who administer the database.
    private static let ofWorkers: Set<String> = [
        "append_attempts", "beat_worker", "bring_times_back", "call_drop_old_attempts", "call_drop_old_changes",
        "call_make_partitions", "call_prune_roll_ups", "call_roll_up", "call_tell_subscriptions", "claim_jobs", "close_gate",
        "fail_probe", "find_lane_heads",
        "find_migrations", "grant_first_payments", "insert_finish_jobs", "insert_grants", "insert_payments", "insert_words",
        "keep_proofs", "list_gates", "lock_originals", "lock_payments", "lock_settling_jobs", "mark_jobs_beside_others",
        "measure_queue",
        "open_gate", "prune_proofs", "read_leased_job", "read_migrations", "read_payments", "record_period_ends",
        "record_subscriptions", "register_worker", "remove_worker", "rescue_expired_jobs", "settle_staying_jobs", "settle_orders",
        "settle_consumption_answer", "settle_payments", "signal_changes", "take_consumption_answer", "tell_brought_payments",
        "tell_kept_payments", "take_probes",
    ]

    /// Plans a statement without running it, as the server does first when it runs: names, types and rights must be there.
    private func plan(_ file: SQLFile, _ connection: PostgresConnection) async throws {
        _ = try await connection.execute("prepare planned as \(file.text)")
        let count = try await connection.execute(
            "select cardinality(parameter_types) from pg_prepared_statements where name = 'planned'"
        )[0].int32(0)
        let nulls = count == 0 ? "" : "(" + Array(repeating: "null", count: Int(count)).joined(separator: ", ") + ")"
        _ = try await connection.execute("explain execute planned\(nulls)")
        _ = try await connection.execute("deallocate planned")
    }

    @Test func aWorkerMayDoAllThatItDoes() async throws {
        let queries = SQLFile.queries.filter { Self.ofWorkers.contains($0.name) }
        try #require(queries.count == Self.ofWorkers.count)

        try await Shop.open { shop in
            for query in queries {
                await #expect(throws: Never.self, "\(query.name)") { try await plan(query, shop.worker) }
            }
        }
    }

    /// Commands of an operator's send the others of the folder.
    @Test func aGatewayMayDoAllThatItDoes() async throws {
        let ofOperators: Set<String> = ["expire_keys", "insert_key", "list_keys", "read_valid_key", "revoke_keys"]
        let queries = SQLFile.gateway.filter { !ofOperators.contains($0.name) } + [.callChangesSince, .callChangesFrom, .findMigrations]
        try #require(queries.count == SQLFile.gateway.count - ofOperators.count + 3)

        try await Shop.open { shop in
            try await shop.database.withConnection(as: "counterfoil_gateway") { gateway in
                for query in queries {
                    await #expect(throws: Never.self, "\(query.name)") { try await plan(query, gateway) }
                }
            }
        }
    }

    @Test func aWorkerMayRunTheChecks() async throws {
        try await Shop.open { shop in
            for check in SQLFile.checks {
                await #expect(throws: Never.self, "\(check.name)") { try await plan(check, shop.worker) }
            }
        }
    }

    @Test func theOwnerMayDoEverything() async throws {
        try await Shop.open { shop in
            _ = try await shop.admin.execute("set role counterfoil_owner")

            for query in SQLFile.queries + SQLFile.checks {
                await #expect(throws: Never.self, "\(query.name)") { try await plan(query, shop.admin) }
            }
        }
    }
}
