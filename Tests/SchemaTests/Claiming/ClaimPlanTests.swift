// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// The claim reads what it takes and little else, whatever the statistics say and however the statement is planned.
@Suite struct ClaimPlanTests {
    private static let isGeneric = [true, false]

    /// Each lane and priority is a range of the index; nothing is read whole.
    private func expectRangeScans(_ shop: Shop, lanes: Int = 3, isGeneric: Bool) async throws {
        let list = (1...lanes).map(String.init).joined(separator: ",")
        let quotas = Array(repeating: "50", count: lanes).joined(separator: ",")
        let plan = try await shop.plan(
            .claimJobs,
            """
            '{\(list)}', '{\(quotas)}', array_fill('2020-01-01Z'::timestamptz, array[\(lanes * 4)]), 50, 60000000, 1, 60, null, false
            """, isGeneric: isGeneric
        )

        expectRange(of: "available_jobs", by: ["lane =", "priority =", "run_at <= now()", "ROW(run_at, id) >="], in: plan)
        #expect(plan.contains("using one_job_of_an_order_runs_at_a_time on jobs"), "\(plan)")
        #expect(plan.contains("using jobs_pkey on jobs"), "\(plan)")
        #expect(plan.contains("using order_numbers_are_unique on orders"), "\(plan)")
        for table in ["jobs", "orders"] {
            #expect(!plan.contains("Seq Scan on \(table)") && !plan.contains("Bitmap Heap Scan on \(table)"), "\(plan)")
        }
    }

    @Test(arguments: isGeneric)
    func onAnEmptyQueue(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await expectRangeScans(shop, isGeneric: isGeneric)
        }
    }

    @Test(arguments: isGeneric)
    func onALongQueue(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 200_000, orders: 200_000, lanes: 3)

            try await expectRangeScans(shop, isGeneric: isGeneric)
        }
    }

    @Test func onManyLanes() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000, lanes: 60)

            try await expectRangeScans(shop, lanes: 60, isGeneric: true)
        }
    }

    @Test(arguments: isGeneric)
    func onALongQueueWhoseStatisticsSawOneOrderOnly(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await shop.run("alter table counterfoil.jobs set (autovacuum_enabled = off)")
            try await shop.fill(jobs: 1000, orders: 1)
            try await shop.run("delete from counterfoil.jobs")
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select 'later ' || i, '\(Shop.bundle)', 'coins', 'ann' from generate_series(1, 50000) i;
                insert into counterfoil.jobs (order_id, order_number, proof, lane)
                select o.order_id, o.number, 'eyJ', 1 from counterfoil.orders o where o.order_id like 'later %' order by o.number;
                reset session_replication_role
                """
            )

            try await expectRangeScans(shop, isGeneric: isGeneric)
        }
    }

    @Test(arguments: isGeneric)
    func onABloatedQueueWhoseStatisticsSawNothingAvailable(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await shop.run("alter table counterfoil.jobs set (autovacuum_enabled = off)")
            try await shop.fill(jobs: 50_000, orders: 50_000)
            try await shop.run(
                """
                update counterfoil.jobs
                set state = 'running', claimed_at = now(), lease_expires_at = now(), worker_id = 1, lease_token = 1
                where id > 1000
                """
            )
            try await shop.run("analyze counterfoil.jobs")
            try await shop.run("delete from counterfoil.jobs where state = 'running'")

            try await expectRangeScans(shop, isGeneric: isGeneric)
        }
    }
}
