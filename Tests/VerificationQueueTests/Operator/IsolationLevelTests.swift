// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Each database transaction names its level, and doesn't count on a role's settings.
@Suite struct IsolationLevelTests {
    /// A pool of sessions that have the database's default, as a superuser.
    private func withDefault(
        _ level: String, _ queue: QueueFixture, _ body: (PostgresPool) async throws -> Void
    ) async throws {
        try await PostgresConnection.withConnection(to: queue.adminURL) { try await $0.chooseLevel(level) }
        var configuration = try PostgresConfiguration(url: queue.adminURL)
        configuration.isPinned = false
        let pool = PostgresPool(configuration: configuration, size: 2, logger: .test)
        do {
            try #require(try await pool.execute("show transaction_isolation")[0].string(0) == level)
            try await body(pool)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// The refund commits while the assignment waits for the payment, whose row it only locked.
    @Test(arguments: ["repeatable read", "serializable"])
    func whatWasRefundedMeanwhileIsNotAssigned(level: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ a")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(
                Settlement(
                    job, .end(.review(.ownerMismatch, TransactionID(rawValue: "1"))),
                    payments: [SettledPayment(ShownPayment(.sample(id: "1")), .unclaimed(.ownerMismatch))]))

            try await withDefault(level, queue) { pool in
                let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
                let (isHeld, held) = AsyncStream<Void>.makeStream()
                async let refund: Void = queue.admin.withTransaction { connection in
                    _ = try await connection.execute(
                        SQLFile.lockPayments.statement,
                        [.textArray(["1"]), .textArray([QueueFixture.bundle]), .textArray(["production"])])
                    held.finish()
                    try await connection.waitUntilALockIsWaitedFor("transactionid")
                    _ = try await connection.execute(
                        """
                        insert into counterfoil.revocations
                            (bundle_id, environment, transaction_id, original_transaction_id, kind, share, occurred_at, as_of)
                        values ('\(QueueFixture.bundle)', 'production', '1', '1', 'revocation', 100000, now(), now())
                        """)
                }
                for await _ in isHeld {}

                await #expect(throws: OperatorError.self) {
                    try await store.assign(
                        TransactionID(rawValue: "1"), in: nil, to: OrderID(rawValue: "a"), overrides: false,
                        by: OperatorAct(who: "eve", why: "x"))
                }

                try await refund
                #expect(try await queue.count("counterfoil.grants") == 0)
            }
        }
    }

    /// As a trigger sees it.
    @Test(arguments: ["repeatable read", "serializable"])
    func aSettlementIsReadCommitted(level: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("create table public.levels (level text)")
            try await queue.admin.execute(
                """
                create function public.note_level() returns trigger language plpgsql as $$
                begin
                    insert into public.levels values (pg_catalog.current_setting('transaction_isolation'));
                    return null;
                end $$
                """)
            try await queue.admin.execute(
                """
                create trigger note_level after insert on counterfoil.payments for each row execute function public.note_level()
                """)
            try await queue.submit("a", "eyJ a")
            let job = try #require(try await queue.claim().first)

            try await withDefault(level, queue) { pool in
                let store = SettlementStore(pool: pool, workerID: queue.worker)
                _ = try await store.settle([Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate("1")]))])
            }

            #expect(try await queue.admin.execute("select level from public.levels").map { try $0.string(0) } == ["read committed"])
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }
}
