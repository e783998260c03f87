// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

extension Shop {
    /// Fills the queue with due jobs by the shortest way, past triggers and foreign keys, and takes statistics.
    ///
    /// - Parameters:
    ///   - orders: over how many orders the jobs are spread, round and round.
    ///   - lanes: over how many lanes, counted from 1; their gates are made where they are missing.
    func fill(jobs: Int, orders: Int, lanes: Int = 1) async throws {
        try await run(
            """
            insert into counterfoil.apps (bundle_id) select 'com.example.' || i from generate_series(1, \((lanes - 1) / 3)) i;
            set session_replication_role = replica;
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            select 'order ' || i, '\(Self.bundle)', 'coins', 'account ' || i % 1000 from generate_series(1, \(orders)) i
            on conflict do nothing;
            insert into counterfoil.jobs (order_id, order_number, proof, lane, run_at, is_alone)
            select
                o.order_id, o.number, 'eyJ ' || i, 1 + i % \(lanes), now() - interval '1 hour' + i * interval '1 ms',
                i <= \(orders)
            from generate_series(1, \(jobs)) i
            join counterfoil.orders o on o.order_id = 'order ' || 1 + (i - 1) % \(orders)
            order by i;
            reset session_replication_role
            """
        )
        try await run("vacuum analyze counterfoil.orders, counterfoil.jobs")
    }

    /// How the server would run a query for a worker, a line a node.
    func plan(_ query: String) async throws -> String {
        try await lines("explain (costs off) \(query)")
    }

    /// How the server would run a statement of the program for a worker.
    ///
    /// - Parameters:
    ///   - arguments: of all parameters, as SQL; empty where there is none.
    ///   - isGeneric: planned without a look at the arguments.
    func plan(_ file: SQLFile, _ arguments: String, isGeneric: Bool) async throws -> String {
        let mode = isGeneric ? "force_generic_plan" : "force_custom_plan"
        _ = try await worker.execute("set plan_cache_mode = \(mode)")
        _ = try await worker.execute("prepare planned as \(file.text)")
        let plan = try await lines("explain (costs off) execute planned" + (arguments.isEmpty ? "" : "(\(arguments))"))
        _ = try await worker.execute("deallocate planned")
        return plan
    }

    private func lines(_ explain: String) async throws -> String {
        try await worker.execute(explain).map { try $0.string(0) }.joined(separator: "\n")
    }
}

/// The plan walks over a part of the index only, which these conditions bound.
func expectRange(
    of index: String, by conditions: [String], in plan: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    let range = plan.split(separator: "\n").drop { !$0.contains("using \(index) on jobs") }.dropFirst().first ?? ""
    for condition in conditions {
        #expect(range.contains("Index Cond") && range.contains(condition), "\(plan)", sourceLocation: sourceLocation)
    }
}
