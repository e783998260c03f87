// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Verification

/// Executes attempts of jobs: read the proof, verify it, judge it, confirm it, decide.
///
/// Writes nothing but the time slots that it takes of budgets. Never throws: whatever happens ends in a settlement.
package final class AttemptRunner: Sendable {
    /// Candidates of one receipt that Apple is asked about in one attempt, at most.
    package static let confirmations = 10

    /// So long an attempt waits for an answer of the database's, of which it needs a few before its lease ends. Default 5 seconds.
    static let databaseTimeout = Duration.seconds(5)

    let verifier: any TransactionVerifier
    let gates: GateCache
    let rateLimiter: RateLimiter
    let retry: RetryPolicy
    let ledger: @Sendable ([Candidate], OrderID) async throws -> [LedgerFacts]
    let unreleasedApps = UnreleasedApps()

    /// - Parameter ledger: what the ledger holds of candidates, read just before they are confirmed.
    package init(
        verifier: any TransactionVerifier, gates: GateCache, rateLimiter: RateLimiter, retry: RetryPolicy,
        ledger: @escaping @Sendable ([Candidate], OrderID) async throws -> [LedgerFacts]
    ) {
        self.verifier = verifier
        self.gates = gates
        self.rateLimiter = rateLimiter
        self.retry = retry
        self.ledger = ledger
    }

    /// With the rateLimiter and the ledger of a database.
    package convenience init(verifier: any TransactionVerifier, gates: GateCache, pool: PostgresPool, retry: RetryPolicy) {
        let ledger = LedgerReader(pool: pool)
        self.init(
            verifier: verifier, gates: gates, rateLimiter: RateLimiter(store: BudgetStore(pool: pool)), retry: retry
        ) { candidates, order in
            try await ledger.facts(of: candidates, for: order)
        }
    }

    /// - Parameter deadline: the attempt is over by then; it lies before the lease's end.
    package func attempt(_ job: Job, deadline: ContinuousClock.Instant) async -> Attempt {
        var run = AttemptRun(job, executor: self, deadline: deadline)
        let settlement: Settlement
        do {
            settlement = try await run.settlement()
        } catch {
            settlement = error.settlement
        }
        return Attempt(settlement: settlement, calls: run.calls)
    }
}
