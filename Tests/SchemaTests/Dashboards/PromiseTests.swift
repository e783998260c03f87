// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Which waits are meant, and who waits longer.
@Suite struct PromiseTests {
    /// A pending job, how it stands, and the wait that is too long.
    struct Wait: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Of the job, as an SQL assignment; `now` is the present.
        let job: String
        var gate = "state = 'open'"
        /// Nil: it is meant.
        var late: String?
    }

    private static let parked = "run_at = now() - interval '3 hours', created_at = now() - interval '3 hours'"
    private static let running = "state = 'running', claimed_at = now(), worker_id = 1"

    static let waits = [
        Wait(testDescription: "uploaded just now", job: "run_at = now()"),
        Wait(testDescription: "nobody claims it", job: "run_at = now() - interval '61 s'", late: "claim"),
        Wait(testDescription: "due for less than a minute", job: "run_at = now() - interval '58 s'"),
        Wait(
            testDescription: "its gate opened just now", job: parked, gate: "opened_at = now() - interval '85 s'"),
        Wait(
            testDescription: "its gate opened a while ago", job: parked, gate: "opened_at = now() - interval '91 s'",
            late: "outage"),
        Wait(testDescription: "its attempt runs", job: running + ", lease_expires_at = now() + interval '1 s'"),
        Wait(testDescription: "its lease ended just now", job: running + ", lease_expires_at = now() - interval '13 s'"),
        Wait(testDescription: "nobody rescues it", job: running + ", lease_expires_at = now() - interval '16 s'", late: "lease"),
        Wait(testDescription: "Apple failed", job: "reason = 'app_store_unavailable', run_at = now() + interval '59 min'"),
        Wait(
            testDescription: "put off for too long", job: "reason = 'app_store_unavailable', run_at = now() + interval '61 min'",
            late: "retry"),
        Wait(
            testDescription: "retried for ever",
            job: "reason = 'app_store_unavailable', run_at = now() + interval '1 min', created_at = now() - interval '9 days'",
            late: "retry"),
        Wait(testDescription: "missing", job: "reason = 'purchase_not_in_receipt', run_at = now() + interval '6 hours'"),
        Wait(
            testDescription: "missing for ever",
            job: """
                reason = 'purchase_not_in_receipt', run_at = now() + interval '6 hours', missing_since = now() - interval '37 hours'
                """, late: "missing"),
        Wait(
            testDescription: "parked before it was missing",
            job: """
                reason = 'purchase_not_in_receipt', run_at = now() + interval '6 hours', missing_since = now() - interval '7 hours',
                created_at = now() - interval '5 days'
                """),
        Wait(testDescription: "its order is held", job: "run_at = now() + interval '4 s'"),
        Wait(testDescription: "put off without a reason", job: "run_at = now() + interval '7 s'", late: "held"),
        Wait(testDescription: "rescued again and again", job: "rescues = 5, run_at = now() + interval '59 min'"),
        Wait(
            testDescription: "a reason that no row explains", job: "reason = 'bad_signature', run_at = now() + interval '1 s'",
            late: "unexplained"),
        Wait(
            testDescription: "the database refuses its settlement",
            job: "reason = 'settlement_refused', run_at = now() + interval '30 s', created_at = now() - interval '16 min'",
            late: "settlement_refused"),
        Wait(
            testDescription: "parked while Apple fails", job: parked,
            gate: "state = 'closed', closed_by = 'breaker', closed_at = now() - interval '3 hours', probe_at = now()"),
        Wait(
            testDescription: "nobody probes its gate", job: parked,
            gate: "state = 'closed', closed_by = 'breaker', closed_at = now(), probe_at = now() - interval '95 s'", late: "probe"),
        Wait(
            testDescription: "somebody probes its gate", job: parked,
            gate: """
                state = 'closed', closed_by = 'breaker', closed_at = now(), probe_at = now() - interval '95 s',
                probe_until = now() + interval '5 s'
                """),
        Wait(
            testDescription: "an operator mends the secret", job: parked,
            gate: "state = 'closed', closed_by = 'configuration', closed_at = now() - interval '59 min', probe_at = now()"),
        Wait(
            testDescription: "nobody mends the secret", job: parked,
            gate: "state = 'closed', closed_by = 'configuration', closed_at = now() - interval '61 min', probe_at = now()",
            late: "configuration"),
        Wait(
            testDescription: "an operator forgot the gate", job: parked,
            gate: "state = 'closed', closed_by = 'operator', closed_at = now() - interval '25 hours'", late: "closed_by_operator"),
    ]

    private func late(_ shop: Shop) async throws -> [String] {
        try await shop.read("select wait, payers, order_id from counterfoil.promise where payers > 0")
    }

    private func stand(_ shop: Shop, _ wait: Wait) async throws {
        try await shop.order("a")
        try await shop.upload("a")
        try await shop.run(
            """
            update counterfoil.jobs set \(wait.job) where order_id = 'a';
            update counterfoil.gates set \(wait.gate) where lane in (select lane from counterfoil.jobs)
            """)
    }

    @Test(arguments: waits)
    func aPayerIsNamedWhoWaitsBeyondTheBound(_ wait: Wait) async throws {
        try await Shop.open { shop in
            try await stand(shop, wait)

            let isOfTheGate = wait.gate.contains("closed_by")
            #expect(try await late(shop) == (wait.late.map { ["(\($0),1,\(isOfTheGate ? "" : "a"))"] } ?? []))
            let level = try await shop.read("select level from counterfoil.health where subject = 'promise'")
            #expect(level == [wait.late == nil ? "(ok)" : "(critical)"])
        }
    }

    /// They have what they paid for, or wait for nothing.
    @Test(arguments: [
        "update counterfoil.orders set state = 'fulfilled', transaction_id = '1', environment = 'production', fulfilled_at = now()",
        "update counterfoil.jobs set state = 'discarded', reason = 'unknown_answer'",
        "update counterfoil.jobs set kind = 'finish'", "delete from counterfoil.jobs",
    ])
    func nobodyElseIsAPayerWhoWaits(_ change: String) async throws {
        try await Shop.open { shop in
            try await stand(shop, Wait(testDescription: "", job: "run_at = now() - interval '5 minutes'"))
            try #require(try await late(shop) == ["(claim,1,a)"])

            try await shop.run("set session_replication_role = replica; \(change); reset session_replication_role")

            #expect(try await late(shop) == [])
        }
    }

    @Test func aJobWaitsForItsOrdersRunningJobWithoutBeingLate() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "eyJ 1")
            try await shop.upload("a", "eyJ 2")
            try #require(try await shop.claim(1).count == 1)
            try await shop.run("update counterfoil.jobs set run_at = now() - interval '5 minutes'")

            #expect(try await late(shop) == [])
        }
    }

    @Test func healthNamesTheLongestWaitAndItsOrder() async throws {
        try await Shop.open { shop in
            for (order, minutes) in [("a", 5), ("b", 9)] {
                try await shop.order(order)
                try await shop.upload(order)
                try await shop.run(
                    """
                    update counterfoil.jobs
                    set run_at = now() - interval '\(minutes) minutes', created_at = now() - interval '\(minutes) minutes'
                    where order_id = '\(order)'
                    """)
            }

            let found = try await shop.read("select finding from counterfoil.health where subject = 'promise'")

            #expect(found.count == 1)
            #expect(found[0].contains("2 by claim, the longest for 00:09:0") && found[0].contains("(order b)"), "\(found)")
        }
    }

    /// What one app has parked, or waits for tomorrow, hides no other app's late payer.
    @Test func manyThatWaitAsMeantHideNobody() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 3_000, orders: 3_000)
            try await shop.order("late")
            try await shop.upload("late")
            try await shop.run(
                """
                update counterfoil.jobs set reason = 'app_store_unavailable', run_at = now() + interval '10 min'
                where order_id <> 'late';
                update counterfoil.jobs set run_at = now() - interval '2 min' where order_id = 'late'
                """)

            #expect(try await late(shop) == ["(claim,1,late)"])
        }
    }

    /// However many orders there are, each table is read by an index.
    @Test func theViewReadsAPart() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 30_000, orders: 30_000, lanes: 8)

            let plan = try await shop.database.withConnection(as: "counterfoil_reader") { reader in
                try await reader.execute("explain (costs off) select * from counterfoil.promise").map { try $0.string(0) }
            }.joined(separator: "\n")

            #expect(!plan.contains("Seq Scan on jobs") && !plan.contains("Seq Scan on orders"), "\(plan)")
            #expect(plan.contains("Index Only Scan Backward using available_jobs"), "\(plan)")
            #expect(plan.contains("Index Scan using leases on jobs"), "\(plan)")
        }
    }

    // MARK: The table of meant waits

    /// To the second.
    private func seconds(_ duration: Duration) -> Duration { .seconds((duration / .seconds(1)).rounded()) }

    private func meant(_ shop: Shop, _ wait: String, _ column: String) async throws -> Duration? {
        let seconds = try await shop.value(
            "select extract(epoch from \(column))::bigint from counterfoil.meant_waits where wait = '\(wait)'")
        return seconds.flatMap(Int64.init).map { .seconds($0) }
    }

    @Test func theLongestTimesToTheNextAttemptAreThoseOfTheRetryPolicy() async throws {
        let policy = RetryPolicy()
        let jitter = 1.1

        try await Shop.open { shop in
            #expect(
                try await meant(shop, "retry", "next_within")
                    == max(policy.backoff.cap, policy.longestRetryAfter, policy.uncertainBackoff.cap))
            #expect(try await meant(shop, "rate_limited", "next_within") == seconds(policy.longestRetryAfter * 1.2))
            #expect(try await meant(shop, "uncertain", "next_within") == policy.uncertainBackoff.cap)
            #expect(try await meant(shop, "missing", "next_within") == seconds(policy.missingCap * jitter))
            #expect(try await meant(shop, "credential_refused", "next_within") == seconds(policy.missingCap * jitter))
            #expect(try await meant(shop, "settlement_refused", "next_within") == policy.refusedSettlementDelay)
            #expect(try await meant(shop, "held", "next_within") == RetryPolicy.heldOrderCap)
            let retried = try #require(try await meant(shop, "retry", "bound"))
            #expect(retried > policy.horizon)
            let missing = try #require(try await meant(shop, "missing", "bound"))
            #expect(missing >= policy.missingHorizon + policy.missingCap * 2)
            // After an outage: the next probe of the gate, and 15 seconds over which jobs are spread, with as long again to run.
            let outage = try #require(try await meant(shop, "outage", "bound"))
            #expect(outage == ProbeBackoff.delay(afterFailedProbes: 100) + .seconds(30))
        }
    }

    @Test func everyReasonForWhichAnOrderWaitsHasOneMeantWait() async throws {
        let parking: Set<Reason> = [.closedByOperator]
        let waiting = Set(Reason.allCases.filter { $0.traits.effects.contains(.waits) }).subtracting(parking)

        try await Shop.open { shop in
            let rows = try await shop.admin.execute("select unnest(reasons) from counterfoil.meant_waits")
            let named = try rows.map { try $0.string(0) }

            #expect(named.count == Set(named).count)
            #expect(waiting.map(\.rawValue).filter { !named.contains($0) } == [])
            #expect(named.filter { Reason(rawValue: $0) == nil } == [])
        }
    }
}
