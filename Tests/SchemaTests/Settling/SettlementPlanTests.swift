// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// A settlement looks up what it names, and never reads all that runs or an app's whole ledger.
@Suite struct SettlementPlanTests {
    /// What insert_grants is given for one payment.
    private static let aGrant = """
        '{a}', '{1}', '{b}', '{production}', '{1}', '{1}', '{null}', '{coins}', '{consumable}', '{1}', '{2025-01-01Z}',
        '{null}', '{null}', '{null}', '{u}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}', false
        """

    /// The parameters of grant_first_payments for it.
    private static let aFirstGrant = """
        '{1}', '{1}', '{b}', '{production}', '{1}', '{1}', '{null}', '{coins}', '{consumable}', '{1}', '{2025-01-01Z}',
        '{null}', '{null}', '{null}', '{u}', '{null}', '{null}', '{null}', '{null}', '{null}', '{1}', '{1}', '{null}',
        '{2025-01-01Z}', '{2025-01-01Z}', '{null}', 1
        """

    /// What read_payments is given for it.
    private static let aLook =
        """
        '{a}', '{b}', '{production}', '{1}', '{1}', '{null}', '{pro}', '{non_consumable}', '{1}', '{2025-01-01Z}', '{null}', \
        '{original:1}', '{2025-01-01Z}', '{null}', '{true}', '{null}'
        """

    /// What keep_proofs is given for one proof.
    private static let aKeptProof = "'{1}', '{a}', '{null}', '{eyJ}', '{bad_signature}', 3, 33554432"

    private static let isGeneric = [true, false]

    /// A ledger and a queue in which reading a table whole is the dearest way.
    private func fill(_ shop: Shop) async throws {
        try await shop.fill(jobs: 20_000, orders: 20_000)
        try await shop.run(
            """
            set session_replication_role = replica;
            insert into counterfoil.payments (
                order_number, granted_at, bundle_id, environment, transaction_id, original_transaction_id, product_id,
                product_kind, quantity, purchased_at, account_id
            )
            select o.number, now(), '\(Shop.bundle)', 'production', o.number::text, o.number::text, 'coins', 'consumable',
                1, now(), 'ann'
            from counterfoil.orders o;
            insert into counterfoil.revocations (
                bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share
            )
            select '\(Shop.bundle)', 'production', 'r' || i, 'r' || i, 'revocation', now(), now(), 100000
            from generate_series(1, 20000) i;
            insert into counterfoil.payments (
                bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason,
                shown_by_number, account_id
            )
            select
                '\(Shop.bundle)', 'production', 'u' || o.number, 'u' || o.number, 'coins', 1, now(), 'no_order', o.number, 'ann'
            from counterfoil.orders o;
            reset session_replication_role
            """
        )
        try await shop.run("vacuum analyze")
    }

    private func expectLookUps(_ plan: String, _ index: String...) {
        for name in index {
            #expect(plan.contains("using \(name) on"), "\(plan)")
        }
        for table in ["jobs", "orders", "payments", "originals", "revocations"] {
            #expect(!plan.contains("Seq Scan on \(table)") && !plan.contains("Bitmap Heap Scan on \(table)"), "\(plan)")
        }
    }

    /// Each scan of these tables has a condition that its index bounds.
    private func expectNothingReadWhole(
        of tables: [String], _ plan: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = plan.split(separator: "\n").filter { !$0.contains("Output:") }
        for (scan, condition) in zip(lines, lines.dropFirst() + [""]) {
            guard let table = tables.first(where: { scan.contains("Scan") && "\(scan) ".contains(" on \($0) ") }) else { continue }
            #expect(condition.contains("Index Cond"), "\(table): \(plan)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: isGeneric)
    func theFenceFindsJobsByTheirKeyThoughStatisticsSawNoneRun(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000)
            try await shop.run(
                """
                alter table counterfoil.jobs set (autovacuum_enabled = off);
                update counterfoil.jobs
                set state = 'running', claimed_at = now(), lease_expires_at = now(), worker_id = 1, lease_token = 1
                """
            )
            let fence = try await shop.plan(.lockSettlingJobs, "'{1,2}', '{1,1}', '{t,f}', '{f,t}'", isGeneric: isGeneric)
            let keep = try await shop.plan(
                .settleStayingJobs, "'{1}', '{1}', '{f}', '{0}', '{t}', '{null}', '{null}', '{f}', '{f}', '{f}'",
                isGeneric: isGeneric
            )
            let read = try await shop.plan(.readLeasedJob, "1, 1", isGeneric: isGeneric)
            let first = try await shop.plan(.grantFirstPayments, Self.aFirstGrant, isGeneric: isGeneric)

            for plan in [fence, keep, read, first] {
                expectLookUps(plan, "jobs_pkey")
                // Each with each: of a batch of a hundred, ten thousand comparisons.
                #expect(!plan.contains("Join Filter: ((j.id"), "\(plan)")
                #expect(!plan.contains("Join Filter: ((j_1.id"), "\(plan)")
            }
            expectLookUps(fence, "order_numbers_are_unique", "jobs_beside_others")
        }
    }

    /// Few rows are alive, and their indexes are large: reading one whole looks cheap to whoever counts rows, and isn't.
    @Test(arguments: isGeneric, [0, 1, 2, 5, 200])
    func noIndexIsReadWholeWhileASnapshotIsHeld(isGeneric: Bool, alive: Int) async throws {
        let statements: [(SQLFile, String)] = [
            (.claimJobs, "'{1}', '{100}', array_fill('2020-01-01Z'::timestamptz, array[4]), 100, 1000000, 1, 60, null, false"),
            (.lockSettlingJobs, "'{1,2}', '{1,1}', '{t,f}', '{f,t}'"),
            (.settleStayingJobs, "'{1}', '{1}', '{f}', '{0}', '{t}', '{null}', '{null}', '{f}', '{f}', '{f}'"),
            (.readLeasedJob, "1, 1"),
            (.rescueExpiredJobs, "100, 3, 0"),
            (.findLaneHeads, "'{1}', array_fill('2020-01-01Z'::timestamptz, array[4])"),
            (.grantFirstPayments, Self.aFirstGrant), (.markJobsBesideOthers, ""),
        ]
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000)
            try await shop.database.withConnection(as: "postgres") { analyst in
                try await analyst.withTransaction { analyst in
                    _ = try await analyst.execute("set transaction isolation level repeatable read")
                    _ = try await analyst.execute("select from counterfoil.jobs limit 1")
                    try await shop.run("delete from counterfoil.jobs where id > \(alive); analyze counterfoil.jobs")

                    for (file, arguments) in statements {
                        let plan = try await shop.plan(file, arguments, isGeneric: isGeneric)
                        expectNothingReadWhole(of: ["jobs", "orders"], plan)
                    }
                }
            }
        }
    }

    @Test(arguments: isGeneric)
    func grantingAndAskingTheLedgerAreLookUps(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let insert = try await shop.plan(.insertGrants, Self.aGrant, isGeneric: isGeneric)
            let read = try await shop.plan(.readPayments, Self.aLook, isGeneric: isGeneric)
            let first = try await shop.plan(.grantFirstPayments, Self.aFirstGrant, isGeneric: isGeneric)

            expectLookUps(
                first, "jobs_pkey", "jobs_beside_others", "order_numbers_are_unique", "one_grant_a_transaction_id",
                "one_grant_a_payment", "payments_by_original", "one_entry_a_revocation")
            expectLookUps(
                insert, "order_ids_are_unique", "order_numbers_are_unique", "one_grant_a_transaction_id", "one_grant_a_payment",
                "payments_by_original",
                "one_entry_a_revocation")
            expectLookUps(
                read, "orders_by_account", "orders_by_app_account_token", "one_grant_an_order", "one_grant_a_transaction_id",
                "one_grant_a_payment", "payments_by_original",
                "one_entry_a_revocation")
        }
    }

    /// A session keeps the plans that it made when there was nothing yet.
    @Test func plansThatWereMadeForEmptyTablesAreLookUps() async throws {
        try await Shop.open { shop in
            let fence = try await shop.plan(.lockSettlingJobs, "'{1,2}', '{1,1}', '{t,f}', '{f,t}'", isGeneric: true)
            let settle = try await shop.plan(
                .settleOrders, "'{a}', '{rejected}', '{wrong_app}', '{null}', '{null}'", isGeneric: true)
            let insert = try await shop.plan(.insertGrants, Self.aGrant, isGeneric: true)
            let read = try await shop.plan(.readPayments, Self.aLook, isGeneric: true)
            let first = try await shop.plan(.grantFirstPayments, Self.aFirstGrant, isGeneric: true)

            for plan in [fence, first] {
                expectLookUps(plan, "jobs_pkey", "order_numbers_are_unique", "jobs_beside_others")
            }
            for plan in [settle, insert, read] {
                expectLookUps(plan, "order_ids_are_unique")
            }
            for plan in [fence, settle, insert, read, first] {
                let whole = plan.split(separator: "\n").filter { $0.contains("Hash Cond") || $0.contains("Merge Cond") }
                #expect(!whole.contains { $0.contains("o.order_id") || $0.contains("o.number") || $0.contains("j.id") }, "\(plan)")
            }
        }
    }

    /// A look-up of a notification or of its payment never walks over all of its app, or over all that weren't granted.
    @Test func plansOfNotificationsThatWereMadeForEmptyTablesAreLookUps() async throws {
        try await Shop.open { shop in
            let record = try await shop.plan(
                .recordNotifications, "'{1}', '{recorded}', '{null}', '{null}', '{1}', '{1}'", isGeneric: true)
            let upload = try await shop.plan(
                .uploadFoundPayments, "'{1}', '{b}', '{production}', '{1}', '{eyJ}'", isGeneric: true)
            let requeue = try await shop.plan(.requeueRenewals, "'{1}', '{b}', '{production}'", isGeneric: true)
            let denied = try await shop.plan(.requeueDeniedNotifications, "'{1}', '{b}', '{sandbox}'", isGeneric: true)
            let ends = try await shop.plan(
                .recordPeriodEnds, "'{b}', '{production}', '{1}', '{2025-01-01Z}', '{2025-02-01Z}', '{2025-01-01Z}'",
                isGeneric: true)
            let requests = try await shop.plan(.recordConsumptionRequests, "'{1}', '{t}', '{null}'", isGeneric: true)

            expectLookUps(record, "notifications_pkey", "one_text_of_a_notification")
            expectLookUps(upload, "one_grant_a_transaction_id", "notifications_pkey", "one_grant_an_order")
            expectLookUps(requeue, "payments_by_original", "notifications_by_transaction")
            expectLookUps(denied, "denied_notifications")
            expectLookUps(ends, "one_grant_a_transaction_id")
            expectLookUps(requests, "notifications_by_transaction")
            for plan in [record, upload, requeue, denied, ends, requests] {
                for walk in ["notifications_by_app", "unverified_notifications", "one_effect_of", "payments_ungranted_by"] {
                    #expect(!plan.contains(walk), "\(plan)")
                }
            }
        }
    }

    /// A shop's tables may be vacuumed night after night before its first customer comes.
    @Test(arguments: isGeneric)
    func nothingIsReadWholeWhereStatisticsSawAnEmptyShop(isGeneric: Bool) async throws {
        let statements: [(SQLFile, String)] = [
            (
                .claimJobs,
                "'{1}', '{100}', array_fill('2020-01-01Z'::timestamptz, array[4]), 100, 1000000, 1, 60, null, false"
            ),
            (.readLeasedJob, "1, 1"), (.lockSettlingJobs, "'{1,2}', '{1,1}', '{t,f}', '{f,t}'"),
            (.settleOrders, "'{a}', '{rejected}', '{wrong_app}', '{null}', '{null}'"), (.insertGrants, Self.aGrant),
            (.readPayments, Self.aLook), (.lockOwnOrders, "'{a}'"), (.endJobs, "'{1}', '{1}'"),
            (.grantFirstPayments, Self.aFirstGrant), (.insertFinishJobs, "'{a}', '{production}', '{1}'"),
            (.markJobsBesideOthers, ""),
            (
                .insertPayments,
                """
                '{a}', '{b}', '{production}', '{1}', '{1}', '{null}', '{coins}', '{consumable}', '{1}', '{2025-01-01Z}',
                '{null}', '{null}', '{no_order}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}'
                """
            ),
            (
                .insertWords,
                """
                '{b}', '{production}', '{2}', '{1}', '{revocation}', '{2025-01-02Z}', '{2025-01-02Z}', '{f}', '{9}', '{2025-01-01Z}',
                '{100000}', '{0}', '{null}', '{null}', '{f}'
                """
            ),
            (.lockOriginals, "'{1}', '{b}', '{production}'"), (.lockPayments, "'{1}', '{b}', '{production}'"),
            (.settlePayments, "'{1}', '{b}', '{production}', '{1}'"), (.keepProofs, Self.aKeptProof),
        ]
        try await Shop.open { shop in
            try await shop.run("vacuum analyze")

            for (file, arguments) in statements {
                let plan = try await shop.plan(file, arguments, isGeneric: isGeneric)
                expectNothingReadWhole(
                    of: ["jobs", "orders", "payments", "originals", "revocations", "proofs"], plan)
                #expect(!plan.contains("hashed SubPlan"), "\(plan)")
            }
        }
    }

    @Test(arguments: isGeneric)
    func keptProofsAreFoundByOrderAndByAccount(isGeneric: Bool) async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 0, orders: 20_000)
            try await shop.run(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                select row_number() over (), o.order_id, o.account_id, '1', sha256('1'), 'malformed_proof'
                from counterfoil.orders o
                """)
            try await shop.run("vacuum analyze")

            let plan = try await shop.plan(.keepProofs, Self.aKeptProof, isGeneric: isGeneric)

            expectNothingReadWhole(of: ["orders", "proofs"], plan)
            expectLookUps(plan, "an_order_keeps_a_proof_once", "proofs_by_account", "proofs_pkey")
        }
    }

    @Test func aTransactionIsLookedUpWithoutItsEnvironment() async throws {
        try await Shop.open { shop in
            try await fill(shop)

            let plan = try await shop.plan(
                """
                select * from counterfoil.transaction_status
                where bundle_id = '\(Shop.bundle)' and transaction_id = '77'
                """
            )

            expectLookUps(plan, "one_grant_a_transaction_id", "one_grant_a_payment", "one_entry_a_revocation")
            expectNothingReadWhole(of: ["payments", "revocations"], plan)
            let conditions = plan.split(separator: "\n").filter { $0.contains("Index Cond") }
            #expect(conditions.allSatisfy { !$0.contains("bundle_id = '") || $0.contains("transaction_id = '77'") }, "\(plan)")
        }
    }

    /// Whatever statistics saw: nothing, or a queue of which nothing runs.
    @Test(arguments: isGeneric, [0, 20_000])
    func leasesThatRanOutAreARangeOfTheirIndex(isGeneric: Bool, jobs: Int) async throws {
        try await Shop.open { shop in
            if jobs > 0 { try await shop.fill(jobs: jobs, orders: jobs) }

            let plan = try await shop.plan(.rescueExpiredJobs, "100, 3, 0", isGeneric: isGeneric)

            expectRange(of: "leases", by: ["lease_expires_at <= now()", "lease_expires_at >= "], in: plan)
        }
    }

    @Test func firstJobsAreFoundByRanges() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000, lanes: 60)

            let plan = try await shop.plan(
                .findLaneHeads,
                "'{\((1...60).map(String.init).joined(separator: ","))}', array_fill('2020-01-01Z'::timestamptz, array[240])",
                isGeneric: true)

            expectRange(of: "available_jobs", by: ["lane =", "priority =", "run_at <= ", "ROW(run_at, id) >="], in: plan)
            #expect(!plan.contains("Sort Key: j"), "\(plan)")
        }
    }

    @Test func jobsThatWaitForLaterAreNotWalkedOverForAProbe() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000)

            let plan = try await shop.plan(.takeProbes, "60", isGeneric: true)

            expectRange(of: "available_jobs", by: ["lane =", "priority =", "run_at <= now()"], in: plan)
        }
    }
}
