// SPDX-License-Identifier: Apache-2.0

import Verification

/// The end of an attempt before its last step. It is a normal end: an error only in that a step throws it.
struct Conclusion: Error {
    let settlement: Settlement

    /// The same end, and the payments that the proof showed are recorded with it.
    func showing(_ judgement: Judgement) -> Conclusion {
        Conclusion(settlement: settlement.with(payments: [SettledPayment](judgement)))
    }
}

extension AttemptContext {
    /// The proof can't be read, or isn't Apple's: its order is rejected.
    func refused(_ reason: Reason, _ message: String? = nil) -> Conclusion {
        Conclusion(
            settlement: Settlement(
                job, .end(.rejected(reason, nil)), message: message, proofKind: proofKind, environment: environment))
    }

    /// The job is handed back, and the attempt doesn't count.
    func released(to lane: LaneID?, _ message: String) -> Conclusion {
        Conclusion(settlement: Settlement(job, .wait(.release, nil, lane: lane), message: message, proofKind: proofKind))
    }

    /// The last check of a receipt that lacks the purchase waits for a call that can't be made now.
    func checkedLater(_ message: String) -> Conclusion {
        Conclusion(
            settlement: Settlement(
                job, .wait(.snooze(for: runner.retry.missingDelay), .purchaseNotInReceipt, lane: nil), message: message,
                proofKind: proofKind, environment: environment, missing: true))
    }

    /// A call failed, or its answer is of no use: the retry policy decides.
    @inline(never)  // See "Judge" in Verify.swift.
    func failed(_ failure: VerificationFailure, lane: LaneID? = nil) -> Conclusion {
        // Apple didn't fail: the worker stops.
        if Task.isCancelled { return released(to: lane, "stopped while it ran") }
        var generator = SystemRandomNumberGenerator()
        let decision = runner.retry.decide(
            failure, attempt: job.attempt, uncertainAttempts: job.uncertainAttempts, age: job.age, using: &generator)
        let isUncertain = if case .uncertain = failure.kind { true } else { false }
        return Conclusion(
            settlement: Settlement(
                job, action(decision, lane: lane), message: failure.message, proofKind: proofKind, environment: environment,
                uncertain: isUncertain))
    }

    func action(_ decision: RetryDecision, lane: LaneID?) -> Settlement.Action {
        switch (decision, givingUp) {
        case (.end, .endsJob), (.discard, .endsJob): .end(.unchanged)
        case (.end, .endsOrder), (.discard, .endsOrder), (.wait, _): Settlement.Action(decision, lane: lane)
        }
    }

    func unknownID(_ ending: VerificationFailure.Ending) -> Conclusion {
        failed(
            VerificationFailure(
                .uncertain(ending), .transactionNotFound, message: "the App Store knows no such transaction of the app"))
    }

    /// Production doesn't know the id, and the sandbox can't be asked: nothing follows for the customer, however often.
    @inline(never)
    func waitingForSandbox() -> Conclusion {
        if Task.isCancelled { return released(to: nil, "stopped while it ran") }
        var generator = SystemRandomNumberGenerator()
        let decision = runner.retry.decideHalfAsked(uncertainAttempts: job.uncertainAttempts, using: &generator)
        let isParked = if case .wait(.release, _) = decision { true } else { false }
        let gate = runner.gates.gate(of: .serverAPI(.sandbox), for: bundleID)
        return Conclusion(
            settlement: Settlement(
                job, Settlement.Action(decision, lane: isParked ? gate?.lane : nil),
                message: "production doesn't know it, and the sandbox can't be asked", proofKind: proofKind,
                environment: environment, uncertain: !isParked))
    }

    /// The key is refused, and nothing that is known of the app excuses it.
    mutating func refusedKey(_ environment: AppStoreEnvironment) async throws(Conclusion) -> (Conclusion, CredentialStanding.Fault)
    {
        let gate = runner.gates.gate(of: .serverAPI(environment), for: bundleID)
        let lane = gate?.lane ?? job.lane
        let standing = try await standing(of: credential(at: .serverAPI(environment), lane, isNeeded: true))
        return (refused("the key of the App Store Server API", standing, in: lane), standing.fault)
    }

    /// Apple's answers contradict each other: nothing follows from them for the customer.
    func contradiction(_ message: String, lane: LaneID?) -> Conclusion {
        failed(VerificationFailure(.uncertain(.review), .unknownAnswer, message: message), lane: lane)
    }
}
