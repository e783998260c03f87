// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What another session commits while the short path waits for it: the statement has read the ledger before, and sees by its locks
/// alone what was moved.
@Suite struct FirstGrantRacesTests {
    /// Something that another session does to order `b`, to its job, or to its payment, whose id is 2.
    struct Act: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        var product = "coins"

        /// The statement's error; nil where the act stands in no way.
        var state: SQLState?

        /// The orders that are granted their payments.
        var granted: [String] = []
    }

    private static let refund = """
        insert into counterfoil.payments (
            transaction_id, bundle_id, environment, original_transaction_id, product_id, quantity, purchased_at, reason
        )
        values ('%', '\(QueueFixture.bundle)', 'production', '2', 'pro', 1, now(), 'refunded')
        """

    @Test(arguments: [
        Act(
            testDescription: "cancels the order",
            sql: """
                update counterfoil.orders set state = 'cancelled', reason = 'order_cancelled', version = version + 1
                where order_id = 'b'
                """,
            state: .movedGrants),
        Act(
            testDescription: "counts an attempt at the order",
            sql: "update counterfoil.orders set attempts = attempts + 1 where order_id = 'b'", granted: ["a", "b"]),
        Act(
            testDescription: "claims the job anew",
            sql: "update counterfoil.jobs set lease_token = lease_token + 1, attempt = attempt + 1 where order_id = 'b'",
            state: .movedGrants),
        Act(
            testDescription: "rescues the job",
            sql: """
                update counterfoil.jobs set state = 'available', lease_expires_at = null, worker_id = null, claimed_at = null
                where order_id = 'b'
                """,
            state: .movedGrants),
        Act(testDescription: "ends the job", sql: "delete from counterfoil.jobs where order_id = 'b'", state: .movedGrants),
        Act(
            testDescription: "looks at the job",
            sql: "select from counterfoil.jobs where order_id = 'b' for no key update", granted: ["a", "b"]),
        Act(
            testDescription: "records the payment's refund", sql: refund.replacing("%", with: "2"), state: .uniqueViolation),
        Act(
            testDescription: "records the refund of another name, with the original locked",
            sql: """
                insert into counterfoil.originals values ('2', '\(QueueFixture.bundle)', 'production');
                \(refund.replacing("%", with: "3"))
                """,
            product: "pro", granted: ["a"]),
    ])
    func isSeenOnceItIsCommitted(_ act: Act) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2", product: act.product)
            let jobs = try await queue.claim()
            let grants = [
                Self.grant(jobs[0], .sample(id: "1")),
                Self.grant(
                    jobs[1], .sample(id: "2", product: act.product, kind: act.product == "pro" ? .nonConsumable : .consumable)),
            ]
            // Without the lock timeout of the path, so that the statement waits for as long as it takes.
            let names = grants.map { PaymentName($0.grant.payment.transaction) }.filter(\.mayHaveOthers)
            let statements: [(statement: PostgresStatement, parameters: [PostgresParameter])] = [
                (SQLFile.lockOriginals.statement, Columns(names, SettlementStore.originals).parameters),
                (
                    SQLFile.grantFirstPayments.statement,
                    Columns(grants) { SettlementStore.firstGrants(&$0, workerID: queue.worker) }.parameters
                ),
            ]
            let result = try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin; \(act.sql)")
                let granting = Task { try await queue.pool.executeTransaction(statements, answeredBy: 1) }
                try await eventually("it waits") {
                    try await queue.count("pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()") == 1
                }
                try await other.executeScript("commit")
                return await granting.result
            }

            switch result {
            case .success: #expect(act.state == nil)
            case .failure(let error): #expect((error as? PostgresError)?.sqlState == act.state)
            }
            let granted = try await queue.admin.execute(
                "select order_id from counterfoil.ledger where granted_at is not null order by 1")
            #expect(try granted.map { try $0.string(0) } == act.granted)
            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == act.granted.count)
            let told = try await queue.admin.execute(
                """
                select order_id from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 10)
                where kind = 'order_fulfilled' order by 1
                """)
            #expect(try told.map { try $0.string(0) } == act.granted)
        }
    }

    private static func grant(_ job: Job, _ transaction: Transaction) -> FirstGrant {
        FirstGrant(
            grant: Grant(
                payment: PaymentFacts(ShownPayment(transaction, listedKind: job.order.productKind)), payee: Payee(job.order),
                jobID: job.id),
            job: job, proofKind: .signedTransaction)
    }
}
