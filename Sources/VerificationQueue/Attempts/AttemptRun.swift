// SPDX-License-Identifier: Apache-2.0

import Verification

/// One attempt on its way, top to bottom.
struct AttemptRun {
    /// The attempt is over; this is what comes of it.
    struct End: Error {
        let settlement: Settlement

        /// The same, and what the proof showed is recorded with it.
        func showing(_ judgement: Judgement) -> End {
            End(
                settlement: Settlement(
                    settlement.job, settlement.action, reason: settlement.reason, message: settlement.message,
                    proofKind: settlement.proofKind, environment: settlement.environment, unclaimed: judgement.unclaimed,
                    revoked: judgement.revoked, uncertain: settlement.uncertain))
        }
    }

    let job: Job
    let executor: AttemptRunner
    let deadline: ContinuousClock.Instant

    /// The calls that were made, for the breakers of their lanes.
    var calls: [Attempt.Call] = []

    /// The gate of the job's own lane.
    let gate: Gate?

    private var proofKind: ProofKind?
    var environment: AppStoreEnvironment?

    init(_ job: Job, executor: AttemptRunner, deadline: ContinuousClock.Instant) {
        self.job = job
        self.executor = executor
        self.deadline = deadline
        gate = executor.gates[job.lane]
    }

    mutating func settlement() async throws(End) -> Settlement {
        if job.kind == .finish { return try await finish() }
        // The ledger says so already: Apple needn't be asked.
        if job.hintIsGrantedToOrder { return Settlement(job, .end(.unchanged)) }

        let proof: Proof
        do {
            proof = try executor.verifier.readProof(job.proof)
        } catch {
            return Settlement(job, .end(.rejected(error, nil)), reason: error, message: "the proof can't be read")
        }
        proofKind = proof.kind
        let path = ProofPath(proof, policy: job.policy, namedID: namedID(in: proof))
        try enterLane(of: path)

        switch path {
        case .local(let confirmation):
            let transactions = try await verifyHere(proof)
            switch judgeLocally(transactions, confirmation) {
            case .settled(let settlement): return settlement
            case .unconfirmed(let candidates): return try await confirm(candidates, of: transactions)
            case .missing(let id, let judgement): return try await searchNamed(id, in: transactions, judgement)
            }
        case .verifyReceipt:
            return settle(try await verifyReceipt(proof))
        case .lookUp(let id):
            switch try await search(for: id) {
            case .found(let transactions): return settle(transactions)
            case .refused(let reason): throw refuse(reason)
            case .unknown(let ending):
                throw fail(
                    VerificationFailure(
                        .uncertain(ending), .transactionNotFound, message: "the App Store knows no such transaction of the app"))
            case .halfAsked: throw waitForSandbox()
            }
        case .none:
            throw fail(VerificationFailure(.needsAPerson, .unsupportedYet, message: "there is no way to verify this proof"))
        }
    }

    // MARK: Lanes

    /// Hands the job over to the lane of its first call, unless it is there. The attempt doesn't count.
    private func enterLane(of path: ProofPath) throws(End) {
        guard let first = path.firstEndpoint else { return }
        if let gate, path.mayStart(on: gate.endpoint.route) { return }
        guard let gate = executor.gates.gate(of: first, for: job.order.bundleID) else {
            throw release(to: nil, "no gate for this kind of proof")
        }
        throw release(to: gate.lane, "another lane fits this proof")
    }

    /// The lane of a call that is about to be made; a closed gate sends the job there to wait.
    func pass(_ endpoint: Endpoint) throws(End) -> LaneID {
        // The job's own gate was open at the claim, or is being probed by this very job.
        if gate?.endpoint == endpoint { return job.lane }
        guard let next = executor.gates.gate(of: endpoint, for: job.order.bundleID) else { return job.lane }
        guard next.isOpen else { throw release(to: next.lane, "the gate of the next call is closed") }
        return next.lane
    }

    // MARK: Verifying

    private mutating func verifyHere(_ proof: Proof) async throws(End) -> VerifiedTransactions {
        switch try await evidence(of: proof, at: .local) {
        case .transactions(let transactions): return transactions
        case .refused(let reason): throw refuse(reason)
        case .elsewhere: throw confusion()
        }
    }

    /// At most twice: the environment that an earlier attempt learned, or production; then the one that it named.
    private mutating func verifyReceipt(_ proof: Proof) async throws(End) -> VerifiedTransactions {
        var endpoint = gate?.endpoint ?? .verifyReceipt(.production)
        for _ in 0..<2 {
            switch try await evidence(of: proof, at: endpoint) {
            case .transactions(let transactions): return transactions
            case .refused(let reason): throw refuse(reason)
            case .elsewhere(let environment): endpoint = .verifyReceipt(environment)
            }
        }
        throw confusion()
    }

    private mutating func evidence(of proof: Proof, at endpoint: Endpoint) async throws(End) -> Evidence {
        let lane = try pass(endpoint)
        environment = endpoint.environment
        do {
            let evidence = try await executor.verifier.verify(
                proof, bundleID: job.order.bundleID, at: endpoint, deadline: deadline)
            calls.append(Attempt.Call(lane: lane, result: .answered))
            return evidence
        } catch {
            calls.append(Attempt.Call(lane: lane, result: Self.result(of: error)))
            throw fail(error, lane: lane)
        }
    }

    // MARK: Follow-ups

    /// Tells Apple of a grant. Whatever comes of it, the order stays as it is.
    private mutating func finish() async throws(End) -> Settlement {
        guard let id = job.hintedTransactionID, let environment = gate?.endpoint.environment else {
            return Settlement(job, .end(.unchanged), message: "this follow-up names no transaction")
        }
        self.environment = environment
        try await waitForTurn(.finishTransaction, environment, job.lane)
        do {
            try await executor.verifier.finish(id, bundleID: job.order.bundleID, in: environment, deadline: deadline)
            calls.append(Attempt.Call(lane: job.lane, result: .answered))
            return Settlement(job, .end(.unchanged), environment: environment)
        } catch {
            calls.append(Attempt.Call(lane: job.lane, result: Self.result(of: error)))
            throw fail(error, lane: job.lane)
        }
    }

    // MARK: Deciding

    // Not inlined: the room that its values take would become part of the asynchronous functions that call it, and be allocated for
    // each attempt beyond what a task has at hand (it was 6 KB).

    func judge(_ transactions: VerifiedTransactions) -> Judgement {
        OrderMatching.judge(
            transactions, for: job.order, policy: job.policy, hint: job.hintedTransactionID, awaitsHinted: !isFinalCheck)
    }

    /// Whether another proof has paid for the order: one without its purchase has nothing to add.
    var isPaidMeanwhile: Bool { job.order.state == .fulfilled || job.order.state == .refunded }

    /// Whether a purchase that isn't there now is given up.
    var isFinalCheck: Bool { executor.retry.isFinalCheck(job.missingTimes) }

    @inline(never)
    func settle(_ transactions: VerifiedTransactions) -> Settlement {
        settle(transactions, judge(transactions))
    }

    /// - Parameters:
    ///   - unconfirmed: what Apple signed and did not confirm; not among the transactions.
    ///   - isHalfAsked: whether Apple may know what it couldn't be asked about.
    @inline(never)
    func settle(
        _ transactions: VerifiedTransactions, _ judgement: Judgement, unconfirmed: [Transaction] = [], isHalfAsked: Bool = false
    ) -> Settlement {
        var action: Settlement.Action
        var reason: Reason?
        switch judgement.verdict {
        case .candidates(let candidates):
            action = .grantOne(of: candidates)
        case .refunded(let transaction):
            // The ledger still has the first word: another order's payment is a replay, refunded or not.
            let kind = transaction.productKind ?? job.order.productKind ?? .consumable
            action = .grantOne(of: [Candidate(transaction, kind: kind, obstacle: .refunded)])
        case .rejected(let why):
            action = .end(.rejected(why, nil))
            reason = why
        case .review(let why):
            action = .end(.review(why, nil))
            reason = why
        case .missing where isPaidMeanwhile:
            action = .end(.unchanged)
        case .missing:
            var generator = SystemRandomNumberGenerator()
            let decision = executor.retry.decideMissing(
                missingTimes: job.missingTimes, isUnresolved: isHalfAsked || !unconfirmed.isEmpty,
                isPartlyRead: transactions.skipped > 0, using: &generator)
            // Where a receipt's named transaction was looked for last says nothing of where it is.
            action = Self.action(decision, lane: job.policy.receiptRoute == .localThenAPI ? nil : lane)
            reason = decision.reason
        }
        return Settlement(
            job, action, reason: reason, proofKind: proofKind, environment: environment,
            unclaimed: judgement.unclaimed + unconfirmed.map { UnclaimedTransaction($0, reason: .noOrder) },
            revoked: judgement.revoked)
    }

    /// The lane of the last call, which the next attempt begins with.
    var lane: LaneID? { calls.last?.lane }

    private func refuse(_ reason: Reason) -> End {
        End(
            settlement: Settlement(
                job, .end(.rejected(reason, nil)), reason: reason, proofKind: proofKind, environment: environment))
    }

    func release(to lane: LaneID?, _ message: String) -> End {
        End(settlement: Settlement(job, .keep(.release, .unchanged, lane: lane), message: message, proofKind: proofKind))
    }

    @inline(never)
    func fail(_ failure: VerificationFailure, lane: LaneID? = nil) -> End {
        // Stopped by us, not failed by Apple.
        if Task.isCancelled { return release(to: lane, "stopped while it ran") }
        var generator = SystemRandomNumberGenerator()
        let decision = executor.retry.decide(
            failure, attempt: job.attempt, uncertainAttempts: job.uncertainAttempts, age: job.age, using: &generator)
        let isUncertain = if case .uncertain = failure.kind { true } else { false }
        let isGivenUp = decision.disposition == .discard || decision.disposition == .complete
        // A follow-up that is given up is no verdict on the order: its message tells what happened, and no reason.
        let endsFollowUp = job.kind == .finish && isGivenUp
        return End(
            settlement: Settlement(
                job, endsFollowUp ? .end(.unchanged) : Self.action(decision, lane: lane),
                reason: endsFollowUp ? nil : decision.reason, message: failure.message, proofKind: proofKind,
                environment: environment, uncertain: isUncertain))
    }

    /// Production doesn't know the id, and the sandbox can't be asked: nothing follows for the customer, however often.
    @inline(never)
    private func waitForSandbox() -> End {
        if Task.isCancelled { return release(to: nil, "stopped while it ran") }
        var generator = SystemRandomNumberGenerator()
        let decision = executor.retry.decideHalfAsked(uncertainAttempts: job.uncertainAttempts, using: &generator)
        let isParked = decision.disposition == .release
        let gate = executor.gates.gate(of: .serverAPI(.sandbox), for: job.order.bundleID)
        return End(
            settlement: Settlement(
                job, Self.action(decision, lane: isParked ? gate?.lane : nil), reason: decision.reason,
                message: "production doesn't know it, and the sandbox can't be asked", proofKind: proofKind,
                environment: environment, uncertain: !isParked))
    }

    /// The key is refused, and nothing that is known excuses it.
    mutating func misconfigured(_ environment: AppStoreEnvironment) -> End {
        let failure = VerificationFailure(
            .configuration, .configuration, message: "the App Store Server API refuses the app's key")
        let gate = executor.gates.gate(of: .serverAPI(environment), for: job.order.bundleID)
        let lane = gate?.lane ?? job.lane
        calls.append(Attempt.Call(lane: lane, result: Self.result(of: failure)))
        return fail(failure, lane: lane)
    }

    private func confusion() -> End {
        contradiction("each environment names the other one", lane: job.lane)
    }

    /// Apple's answers don't go together, so nothing follows from them for the customer.
    func contradiction(_ message: String, lane: LaneID?) -> End {
        fail(VerificationFailure(.uncertain(.review), .unknownAnswer, message: message), lane: lane)
    }

    private func namedID(in proof: Proof) -> TransactionID? {
        guard case .transactionReceipt(let base64) = proof else { return nil }
        return executor.verifier.transactionID(inTransactionReceipt: base64)
    }

    private static func action(_ decision: FailureDecision, lane: LaneID?) -> Settlement.Action {
        if decision.disposition == .complete {
            .end(decision.outcome)
        } else {
            .keep(decision.disposition, decision.outcome, lane: lane)
        }
    }

    static func result(of failure: VerificationFailure) -> Attempt.Call.Result {
        switch failure.kind {
        case .transient: .failed
        case .rateLimited: .limited(failure.retryAfter ?? .seconds(1))
        case .configuration: .misconfigured(failure.message)
        case .uncertain, .needsAPerson: .answered
        }
    }
}
