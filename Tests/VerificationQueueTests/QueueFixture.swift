// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// A migrated database of its own with one app, its products and a registered worker.
struct QueueFixture: Sendable {
    static let bundle = "com.example.game"

    let url: String

    /// As a superuser.
    let adminURL: String

    /// As the role that workers connect as.
    let pool: PostgresPool

    /// As a superuser: what a test does to the world.
    let admin: PostgresPool
    let worker: WorkerID

    static func run(_ body: @Sendable (QueueFixture) async throws -> Void) async throws {
        try await withMigratedDatabase { database in
            let url = database.url(user: "counterfoil_worker")
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 4, logger: .test)
            let admin = PostgresPool(configuration: try PostgresConfiguration(url: database.url()), size: 2, logger: .test)
            do {
                _ = try await admin.execute(
                    "insert into counterfoil.apps (bundle_id, sandbox_policy) values ('\(bundle)', 'deny')")
                _ = try await admin.execute(
                    """
                    insert into counterfoil.products (bundle_id, product_id, kind)
                    values ('\(bundle)', 'coins', 'consumable'), ('\(bundle)', 'pro', 'non_consumable')
                    """)
                let worker = try await WorkerStore(pool: pool, identity: .test).register(slots: 10).id
                try await body(QueueFixture(url: url, adminURL: database.url(), pool: pool, admin: admin, worker: worker))
            } catch {
                await pool.close()
                await admin.close()
                throw error
            }
            await pool.close()
            await admin.close()
        }
    }

    // MARK: The shop

    @discardableResult
    func submit(
        _ order: String, _ proof: String, account: String = "ann", product: String = "coins", hint: String? = nil,
        dueSince seconds: Int = 0
    ) async throws -> JobID {
        _ = try await admin.execute(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ($1, '\(Self.bundle)', $2, $3)
            on conflict do nothing
            """, [.text(order), .text(product), .text(account)])
        let rows = try await admin.execute(
            """
            insert into counterfoil.jobs (order_id, proof, transaction_id, run_at)
            values ($1, $2, $3, now() - make_interval(secs => $4)) returning id
            """, [.text(order), .text(proof), .text(hint), .double(Double(seconds))])
        return JobID(rawValue: try rows[0].int64(0))
    }

    func order(_ id: String) async throws -> OrderFacts {
        let row = try await admin.execute(
            "select state, reason, transaction_id from counterfoil.orders where order_id = $1", [.text(id)])[0]
        return OrderFacts(
            try #require(OrderState(rawValue: try row.string(0))),
            try row.optionalString(1).map { try #require(Reason(rawValue: $0)) }, by: try row.optionalString(2))
    }

    func count(_ sql: String) async throws -> Int {
        Int(try await admin.execute("select count(*) from \(sql)")[0].int64(0))
    }

    /// "state attempt reason" of a job; nil when it has left the queue.
    func job(_ id: JobID) async throws -> String? {
        let rows = try await admin.execute(
            "select state, attempt, reason from counterfoil.jobs where id = $1", [.int8(id.rawValue)])
        return try rows.first.map { "\(try $0.string(0)) \(try $0.int32(1)) \(try $0.optionalString(2) ?? "-")" }
    }

    /// Has a trigger end every insert of certain rows with an error.
    func refuse(_ sqlState: String, on table: String, when condition: String) async throws {
        try await admin.execute(
            """
            create or replace function public.refuse() returns trigger language plpgsql as
            $$ begin if \(condition) then raise exception 'refused' using errcode = '\(sqlState)'; end if; return new; end $$
            """)
        try await admin.execute(
            "create trigger refuse after insert on \(table) for each row execute function public.refuse()")
    }

    // MARK: The worker

    func claim(limit: Int = 10, lease: Duration = .seconds(60)) async throws -> [Job] {
        let gates = try await GateStore(pool: pool).list()
        var schedule = ClaimPlanner()
        let plan = schedule.plan(
            lanes: gates.filter(\.isOpen).map(\.lane), running: [:], slots: 1000, limit: limit)
        return try await JobStore(pool: pool)
            .claim(plan, worker: worker, proofBytes: 1 << 26, lease: lease)
            .map(\.job)
            .sorted { $0.id < $1.id }
    }

    /// Closes the gate that a job waits at, as a breaker does; the first probe is due at once.
    @discardableResult
    func closeGate(of job: JobID) async throws -> LaneID {
        let rows = try await admin.execute("select lane from counterfoil.jobs where id = $1", [.int8(job.rawValue)])
        let lane = LaneID(rawValue: try rows[0].int32(0))
        try #require(
            try await GateStore(pool: pool).close(lane, by: .breaker, for: "test", why: "calls fail", firstProbe: .zero))
        return lane
    }

    func settle(_ settlements: Settlement...) async throws -> [SettlementResult.Result] {
        let store = SettlementStore(pool: pool, workerID: worker)
        do {
            return try await store.settle(settlements).results.map(\.result)
        } catch is OrdersMoved {
            // As the settler does.
            return try await store.settle(settlements, locksOrders: true).results.map(\.result)
        }
    }

    /// Settles by the short path alone.
    ///
    /// - Returns: the results, and the jobs that were left out.
    func grantFirst(_ settlements: Settlement...) async throws -> (results: [SettlementResult.Result], left: [JobID]) {
        let (results, left) = try await SettlementStore(pool: pool, workerID: worker).grantFirst(settlements)
        return (results.map(\.result), left.map(\.job.id))
    }

    /// Rows of every check; none when all is well.
    func faults() async throws -> [String] {
        var faults: [String] = []
        for check in SQLFile.checks where try await !admin.execute(check.statement).isEmpty {
            faults.append(check.name)
        }
        return faults
    }
}

/// What an order says of itself.
struct OrderFacts: Hashable {
    let state: OrderState
    let reason: Reason?
    let transaction: String?

    init(_ state: OrderState, _ reason: Reason? = nil, by transaction: String? = nil) {
        self.state = state
        self.reason = reason
        self.transaction = transaction
    }
}

extension WorkerIdentity {
    static let test = WorkerIdentity(name: "test", host: "localhost", processID: 1, version: "test")
}

extension PostgresPool {
    @discardableResult
    func execute(_ sql: String, _ parameters: [PostgresParameter] = []) async throws(PostgresError) -> PostgresResult {
        try await execute(PostgresStatement(name: "test", sql: sql), parameters)
    }
}
