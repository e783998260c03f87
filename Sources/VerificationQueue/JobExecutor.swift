// SPDX-License-Identifier: Apache-2.0

package import Verification

/// Executes one attempt of a job, top to bottom: read the proof, verify it, judge it, decide.
///
/// Writes nothing. Never throws: whatever happens ends in a settlement.
package struct JobExecutor: Sendable {
    private let verifier: any TransactionVerifier
    private let gates: GateBook
    private let retry: RetryPolicy

    package init(verifier: any TransactionVerifier, gates: GateBook, retry: RetryPolicy) {
        self.verifier = verifier
        self.gates = gates
        self.retry = retry
    }

    /// - Parameter deadline: the attempt is over by then; it lies before the lease's end.
    package func attempt(_ job: Job, deadline: ContinuousClock.Instant) async -> Attempt {
        // The ledger says so already: Apple needn't be asked.
        if job.hintIsGrantedToOrder {
            return Attempt(settlement: Settlement(job, .end(.unchanged)), calls: [])
        }

        let proof: Proof
        do {
            proof = try verifier.readProof(job.proof)
        } catch {
            return Attempt(
                settlement: Settlement(job, .end(.rejected(error, nil)), reason: error, message: "the proof can't be read"),
                calls: [])
        }

        var calls: [Attempt.Call] = []
        var endpoint = Endpoint(route: proof.route, environment: proof.route == .local ? nil : .production)
        if let lane = gates[job.lane], lane.endpoint.route == proof.route {
            // What an earlier attempt learned.
            endpoint = lane.endpoint
        } else {
            guard let lane = gates.gate(of: endpoint, for: job.order.bundleID) else {
                return Attempt(settlement: release(job, proof, to: nil, "no gate for this kind of proof"), calls: calls)
            }
            return Attempt(settlement: release(job, proof, to: lane.lane, "another lane fits this proof"), calls: calls)
        }

        // At most twice: the environment that was guessed, then the one that it named.
        for turn in 0..<2 {
            let lane = gates.gate(of: endpoint, for: job.order.bundleID)?.lane ?? job.lane
            do {
                let evidence = try await verifier.verify(
                    proof, bundleID: job.order.bundleID, at: endpoint, deadline: deadline)
                calls.append(Attempt.Call(lane: lane, result: .answered))
                switch evidence {
                case .refused(let reason):
                    return Attempt(
                        settlement: Settlement(
                            job, .end(.rejected(reason, nil)), reason: reason, proofKind: proof.kind,
                            environment: endpoint.environment),
                        calls: calls)
                case .transactions(let transactions):
                    return Attempt(settlement: judge(transactions, job, proof, endpoint), calls: calls)
                case .elsewhere(let environment):
                    endpoint = Endpoint(route: endpoint.route, environment: environment)
                    guard turn == 0 else { break }
                    if let next = gates.gate(of: endpoint, for: job.order.bundleID), !next.isOpen {
                        return Attempt(
                            settlement: release(job, proof, to: next.lane, "the gate of the other environment is closed"),
                            calls: calls)
                    }
                }
            } catch {
                calls.append(Attempt.Call(lane: lane, result: Self.call(error)))
                return Attempt(settlement: settle(error, job, proof, endpoint, lane), calls: calls)
            }
        }
        let confusion = VerificationFailure(
            .uncertain(.review), .unknownAnswer, message: "each environment names the other one")
        return Attempt(settlement: settle(confusion, job, proof, endpoint, job.lane), calls: calls)
    }

    private func judge(
        _ transactions: VerifiedTransactions, _ job: Job, _ proof: Proof, _ endpoint: Endpoint
    ) -> Settlement {
        let judgement = OrderMatching.judge(
            transactions, for: job.order, policy: job.policy, hint: job.hintedTransactionID)
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
        case .notThereYet where job.order.state == .fulfilled || job.order.state == .refunded:
            // Paid by another proof meanwhile; this one has nothing to add.
            action = .end(.unchanged)
        case .notThereYet:
            var generator = SystemRandomNumberGenerator()
            let decision = retry.decideNotThereYet(age: job.age, using: &generator)
            action = Self.action(decision, lane: gates.gate(of: endpoint, for: job.order.bundleID)?.lane)
            reason = decision.reason
        }
        return Settlement(
            job, action, reason: reason, proofKind: proof.kind, environment: endpoint.environment,
            unclaimed: judgement.unclaimed, revoked: judgement.revoked)
    }

    private func settle(
        _ failure: VerificationFailure, _ job: Job, _ proof: Proof, _ endpoint: Endpoint, _ lane: LaneID
    ) -> Settlement {
        // Stopped by us, not failed by Apple.
        if Task.isCancelled {
            return release(job, proof, to: lane, "stopped while it ran")
        }
        var generator = SystemRandomNumberGenerator()
        let decision = retry.decide(failure, attempt: job.attempt, age: job.age, using: &generator)
        return Settlement(
            job, Self.action(decision, lane: lane), reason: decision.reason, message: failure.message,
            proofKind: proof.kind, environment: endpoint.environment)
    }

    private func release(_ job: Job, _ proof: Proof, to lane: LaneID?, _ message: String) -> Settlement {
        Settlement(job, .keep(.release, .unchanged, lane: lane), message: message, proofKind: proof.kind)
    }

    private static func action(_ decision: FailureDecision, lane: LaneID?) -> Settlement.Action {
        if decision.disposition == .complete {
            .end(decision.outcome)
        } else {
            .keep(decision.disposition, decision.outcome, lane: lane)
        }
    }

    private static func call(_ failure: VerificationFailure) -> Attempt.Call.Result {
        switch failure.kind {
        case .transient: .failed
        case .configuration: .misconfigured(failure.message)
        case .uncertain, .notThereYet, .needsAPerson: .answered
        }
    }
}
