// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The lean floor: a claim of a hundred jobs and one statement that ends them, on tables of its own beside the real ones.
///
/// It grants by one unique key, moves the order, writes one row of history and deletes the job: what no queue with a ledger can do
/// without. It refuses nothing, explains nothing, and knows no other kind of payment.
struct LeanFloor {
    let database: BenchDatabase

    /// The server's cost of a job.
    struct Result {
        let serverMicroseconds: Double
        let walBytes: Double

        var figures: [Measurement.Figure] { [.serverCPU(serverMicroseconds), .wal(walBytes)] }
    }

    func measure(_ jobs: Int, batch: Int, clients: Int) async throws -> Result {
        Progress.say("lean floor: \(clients) clients, by \(batch)")
        try await database.fillLeanFloor(jobs)
        let before = try await database.leanGrants()
        let (_, cost) = try await database.cost {
            try await Pgbench(server: database.server).run(
                Self.script(batch), clients: clients, mode: .prepared, transactions: (jobs + batch - 1) / batch)
        }
        let granted = try await database.leanGrants() - before
        guard granted > jobs * 9 / 10 else { throw BenchError("the lean floor granted \(granted) of \(jobs) jobs") }
        return Result(
            serverMicroseconds: cost.cpuSeconds * 1e6 / Double(granted), walBytes: Double(cost.walBytes) / Double(granted))
    }

    static func script(_ batch: Int) -> String {
        """
        /* lean_claim */ with picked as (
            select j.id from lean.jobs j
            where j.lane = 0 and j.state = 0 and j.run_at <= now()
            order by j.priority, j.run_at, j.id
            limit \(batch)
            for update skip locked
        ), claimed as (
            update lean.jobs j
            set state = 1, attempt = j.attempt + 1, worker_id = :client_id, lease_expires_at = now() + interval '60 s'
            from picked p
            where j.id = p.id
            returning j.id, j.attempt, j.order_id
        )
        select coalesce(array_agg(c.id), '{}') as ids, coalesce(array_agg(c.attempt), '{}') as attempts,
            coalesce(array_agg((2000000000000000 + c.order_id)::text), '{}') as paid
        from claimed c
        \\gset
        /* lean_settlement */ with ended as (
            delete from lean.jobs j
            using unnest(:ids::bigint[], :attempts::smallint[], :paid::text[]) as s (id, attempt, paid)
            where j.id = s.id and j.attempt = s.attempt
            returning j.id, j.attempt, j.order_id, j.created_at, s.paid
        ), granted as (
            insert into lean.grants (environment, transaction_id, order_id, job_id)
            select 1, e.paid, e.order_id, e.id from ended e order by e.paid
            on conflict do nothing
            returning order_id
        ), told as (
            insert into lean.attempts
            select e.id, e.order_id, e.attempt, 1, e.created_at, now() from ended e
        )
        update lean.orders o set state = 1, fulfilled_at = now() from granted g where o.order_id = g.order_id and o.state = 0;

        """
    }
}
