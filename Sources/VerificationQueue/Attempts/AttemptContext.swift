// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The means of an attempt at an order's job, and its findings so far.
///
/// It makes the attempt's calls, and the settlements that end it early.
struct AttemptContext {
    /// What follows for the order when the job is given up.
    enum GivingUp {
        /// The reason is a verdict on the order.
        case endsOrder
        /// The order stays as it is: the job has a message, and no reason.
        case endsJob
    }

    let job: Job
    let ordered: Ordered
    let givingUp: GivingUp
    let runner: AttemptRunner
    let deadline: ContinuousClock.Instant

    /// The gate of the job's own lane.
    let gate: Gate?

    /// The calls that were made, for the breakers of their lanes.
    var calls: [Attempt.Call] = []

    /// The environment of the last call.
    var environment: AppStoreEnvironment?

    var proofKind: ProofKind?

    /// The repairs that the proof needed.
    var repairs: [ProofRepair] = []

    /// Whether Apple doesn't know a payment that it signed, by a key that has found nothing yet.
    var isByUnprovenKey = false

    init(_ job: Job, for ordered: Ordered, givingUp: GivingUp, runner: AttemptRunner, deadline: ContinuousClock.Instant) {
        self.job = job
        self.ordered = ordered
        self.givingUp = givingUp
        self.runner = runner
        self.deadline = deadline
        gate = runner.gates[job.lane]
    }

    var bundleID: BundleID { ordered.order.bundleID }

    /// The lane of the last call, which the next attempt begins with.
    var lane: LaneID? { calls.last?.lane }

    /// The ledger's present facts about payments, in their order.
    func ledger(_ candidates: [ShownPayment]) async throws(Conclusion) -> [LedgerFacts] {
        do {
            return try await runner.ledger(candidates, ordered)
        } catch {
            throw released(to: nil, "the ledger could not be read")
        }
    }

    /// The finished attempt.
    func ending(with settlement: Settlement) -> Attempt {
        Attempt(settlement: settlement.naming(repairs), calls: calls)
    }
}
