// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres
package import Verification

/// Runs attempts of jobs. Each kind of work has the steps of one: ``Verify``, ``Finish``, ``Record``.
///
/// An attempt writes nothing but its reservations in budgets. It never throws: every end is a settlement, which the settler
/// carries out.
package final class AttemptRunner: Sendable {
    /// The most candidates of one receipt that Apple is asked about in one attempt.
    package static let confirmations = 10

    /// Of an order's uploads that repeat its payment, one in each period of this length is read. One minute, in seconds.
    package static let repetitionPeriod: TimeInterval = 60

    /// How long an upload that claims a refund waits for a period of which nothing was read. In seconds: each period looks at it
    /// once, and a forged one shall not cost more than a few looks.
    package static let repetitionPatience: TimeInterval = 300

    /// How long after its purchase Apple must have signed a transaction for it to show that a refund was reversed. One minute, in
    /// seconds. A purchase that is uploaded at once costs no look-up in the ledger.
    package static let soonestReversal: TimeInterval = 60

    let verifier: any TransactionVerifier
    let gates: GateCache
    let rateLimiter: RateLimiter
    let retry: RetryPolicy
    let callMetrics: CallMetrics
    let noteRefusal: @Sendable (CredentialUse, Job) async throws -> CredentialStanding
    let noteUnfound: @Sendable (TransactionID, CredentialUse, Job) async throws -> KeyStanding
    let ledger: @Sendable ([ShownPayment], Ordered) async throws -> [LedgerFacts]
    let unreleasedApps = UnreleasedApps()

    /// - Parameters:
    ///   - callMetrics: measures the calls of attempts.
    ///   - noteRefusal: notes that Apple refused a secret or key for a job's proof, and returns what all workers know of it.
    ///   - noteUnfound: notes that Apple doesn't know a payment that it signed, and returns what all workers know of the key.
    ///   - ledger: reads the ledger's facts about payments that an order shows, just before they are confirmed.
    package init(
        verifier: any TransactionVerifier, gates: GateCache, rateLimiter: RateLimiter, retry: RetryPolicy,
        callMetrics: CallMetrics = .unread,
        noteRefusal: @escaping @Sendable (CredentialUse, Job) async throws -> CredentialStanding,
        noteUnfound: @escaping @Sendable (TransactionID, CredentialUse, Job) async throws -> KeyStanding,
        ledger: @escaping @Sendable ([ShownPayment], Ordered) async throws -> [LedgerFacts]
    ) {
        self.verifier = verifier
        self.gates = gates
        self.rateLimiter = rateLimiter
        self.retry = retry
        self.callMetrics = callMetrics
        self.noteRefusal = noteRefusal
        self.noteUnfound = noteUnfound
        self.ledger = ledger
    }

    /// With the rate limiter and the ledger of a database.
    package convenience init(
        verifier: any TransactionVerifier, gates: GateCache, pool: PostgresPool, retry: RetryPolicy,
        callMetrics: CallMetrics = .unread
    ) {
        let ledger = LedgerReader(pool: pool)
        let store = GateStore(pool: pool)
        self.init(
            verifier: verifier, gates: gates, rateLimiter: RateLimiter(store: BudgetStore(pool: pool)), retry: retry,
            callMetrics: callMetrics, noteRefusal: { try await store.noteRefusal(of: $0, for: $1) },
            noteUnfound: { try await store.noteUnfound($0, by: $1, for: $2) },
            ledger: { try await ledger.facts(of: $0, for: $1) })
    }

    /// - Parameter deadline: the attempt is over by then; it lies before the lease's end.
    package func attempt(_ job: Job, deadline: ContinuousClock.Instant) async -> Attempt {
        switch job.work {
        case .verify(let upload): return await verify(upload, of: job, deadline)
        case .finish(let granted): return await finish(granted, of: job, deadline)
        case .record(let told):
            let record = Record(told: told, job: job, gate: gates[job.lane], verifier: verifier)
            return Attempt(settlement: await record.run(), calls: [])
        }
    }

    // A function each, so that no kind's values are part of another's asynchronous frame.

    private func verify(_ upload: Upload, of job: Job, _ deadline: ContinuousClock.Instant) async -> Attempt {
        var verify = Verify(
            upload, AttemptContext(job, for: upload.ordered, givingUp: .endsOrder, runner: self, deadline: deadline))
        do {
            let settlement = try await verify.run()
            return verify.attempt.ending(with: settlement)
        } catch {
            return verify.attempt.ending(with: error.settlement)
        }
    }

    private func finish(_ granted: Granted, of job: Job, _ deadline: ContinuousClock.Instant) async -> Attempt {
        let context = AttemptContext(job, for: granted.ordered, givingUp: .endsJob, runner: self, deadline: deadline)
        var finish = Finish(granted: granted, attempt: context)
        do {
            let settlement = try await finish.run()
            return finish.attempt.ending(with: settlement)
        } catch {
            return finish.attempt.ending(with: error.settlement)
        }
    }
}
