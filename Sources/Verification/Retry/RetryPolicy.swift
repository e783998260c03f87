// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// When an attempt that found nothing out is repeated, and when the job gives up. All retry policy is here.
///
/// | Failure | Until then | In the end |
/// |---|---|---|
/// | transient | retried with ``backoff`` | at ``horizon``, after ``leastAttempts``: discarded into review |
/// | uncertain | retried with ``uncertainBackoff`` | at ``uncertainAttempts``: rejected, or discarded into review |
/// | half asked | retried with ``uncertainBackoff``, then parked behind the sandbox's gate | never |
/// | rate limited | snoozed for the time that Apple named | never |
/// | missing | snoozed | at ``missingHorizon``: rejected, or discarded into review when Apple may know it |
/// | configuration | released, as often as it takes | never |
/// | secret or key refused, for all proofs | snoozed for ``missingDelay`` | never |
/// | key finds no account's payment | snoozed for ``missingDelay`` | never |
/// | secret or key refused, nobody knows for which | snoozed for half the time since the first refusal, ``missingDelay`` to ``missingCap`` | never |
/// | secret or key refused, for this proof only | retried with ``refusedProofBackoff`` | at ``refusedProofAttempts``: discarded into review |
/// | needs an operator | | at once: order in review |
/// | order held | snoozed for the job's age, ``heldOrderDelay`` to ``heldOrderCap`` | never |
/// | settlement refused | snoozed for ``refusedSettlementDelay`` | past ``horizon`` each counts; after ``leastAttempts``: order in review |
/// | that review refused, too | | at once: discarded into review, without the payment |
package struct RetryPolicy: Hashable, Sendable {
    /// Delays after transient failures. Default 2 seconds, doubling up to 15 minutes.
    package var backoff: Backoff

    /// Age of a job at which a transient failure ends it. Default 7 days. Too short, and an outage of Apple's ends jobs
    /// that only had to wait; too long, and an operator sees late what never recovers.
    package var horizon: Duration

    /// Attempts that a job has in any case before ``horizon`` ends it. Default 20, which span about two hours: a job that
    /// was parked for longer than the horizon has hardly been tried. Too few, and its first failure after a long outage
    /// ends it; too many, and an operator sees late what never recovers.
    package var leastAttempts: Int

    /// Longest wait that the other side can impose. Default 1 hour. Too short, and its request to slow down is ignored;
    /// too long, and one odd answer stalls a job.
    package var longestRetryAfter: Duration

    /// Delays after uncertain answers, each from the upper half below its ceiling. Default 2 minutes, doubling up to 1 hour: the
    /// default eight attempts then span one and a half to three hours, because Apple's incidents have made it answer so for
    /// good receipts. Too short, and such an incident rejects customers; too long, and a forged proof keeps its client waiting.
    package var uncertainBackoff: Backoff

    /// Uncertain answer that is taken at its word, from 1; outages between them don't count. Default 8. Too low, and a passing
    /// fault rejects a customer; too high, and Apple is asked in vain.
    package var uncertainAttempts: Int

    /// Delays after Apple refused the app's secret or key for a proof, and accepted it for others; each from the upper half below
    /// its ceiling. Default 1 hour, doubling up to 6 hours: the default eight attempts then span 15 to 31 hours. Too short, and a
    /// passing fault of Apple's leaves customers to an operator; too long, and an operator hears late of a receipt that Apple never
    /// accepts.
    package var refusedProofBackoff: Backoff

    /// Refusal of that kind that is taken at its word, from 1, other uncertain answers among them. Default 8. Too low, and a
    /// passing fault leaves customers to an operator; too high, and Apple is asked in vain.
    package var refusedProofAttempts: Int

    /// Shortest delay between two checks for a missing purchase. Default 60 seconds. Too short, and Apple is asked in vain; too
    /// long, and a customer waits although the purchase is there.
    package var missingDelay: Duration

    /// Longest delay between two checks for a missing purchase. Default 6 hours. A check that comes after more than twice as long
    /// isn't the final one.
    package var missingCap: Duration

    /// Time after the first check at which a missing purchase is given up. Default 24 hours, the time in which a
    /// purchase may be approved by a parent or a bank. Too short, and honest buyers are refused.
    package var missingHorizon: Duration

    /// Delay before a job is attempted again whose settlement the database refused. Default 60 seconds. Too short, and the
    /// database is asked in vain; too long, and orders wait although the cause was mended.
    package var refusedSettlementDelay: Duration

    /// Shortest delay before a job is attempted again whose payment was made for another order, while somebody else holds that
    /// order's row. 500 milliseconds: a settlement holds it for less. Too short, and the row is still held; too long, and a
    /// customer waits.
    package static let heldOrderDelay = Duration.milliseconds(500)

    /// Longest delay of that kind. 5 seconds. Too short, and a session that holds the row for long costs many attempts; too long,
    /// and a customer waits.
    package static let heldOrderCap = Duration.seconds(5)

    package init(
        backoff: Backoff = Backoff(), horizon: Duration = .seconds(7 * 24 * 3600), leastAttempts: Int = 20,
        longestRetryAfter: Duration = .seconds(3600),
        uncertainBackoff: Backoff = Backoff(base: .seconds(120), cap: .seconds(3600)), uncertainAttempts: Int = 8,
        refusedProofBackoff: Backoff = Backoff(base: .seconds(3600), cap: .seconds(6 * 3600)), refusedProofAttempts: Int = 8,
        missingDelay: Duration = .seconds(60), missingCap: Duration = .seconds(6 * 3600),
        missingHorizon: Duration = .seconds(24 * 3600), refusedSettlementDelay: Duration = .seconds(60)
    ) {
        self.backoff = backoff
        self.horizon = horizon
        self.leastAttempts = leastAttempts
        self.longestRetryAfter = longestRetryAfter
        self.uncertainBackoff = uncertainBackoff
        self.uncertainAttempts = uncertainAttempts
        self.refusedProofBackoff = refusedProofBackoff
        self.refusedProofAttempts = refusedProofAttempts
        self.missingDelay = missingDelay
        self.missingCap = missingCap
        self.missingHorizon = missingHorizon
        self.refusedSettlementDelay = refusedSettlementDelay
    }

    /// Decides about a job after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: number of the attempt that failed, from 1.
    ///   - uncertainAttempts: earlier attempts whose answer was uncertain too.
    ///   - age: seconds since the job was submitted.
    package func decide(
        _ failure: VerificationFailure, attempt: Int, uncertainAttempts: Int, age: TimeInterval,
        using generator: inout some RandomNumberGenerator
    ) -> RetryDecision {
        switch failure.kind {
        case .transient:
            guard .seconds(age) < horizon || attempt < leastAttempts else {
                return .discard(.appStoreUnavailable)
            }
            let delay = backoff.delay(afterAttempt: attempt, using: &generator)
            return .wait(.retry(after: max(delay, leastDelay(after: failure))), failure.reason)

        case .uncertain(let ending):
            let answers = uncertainAttempts + 1
            guard answers < self.uncertainAttempts else { return end(failure.reason, as: ending) }
            let delay = uncertainBackoff.upperHalf(afterAttempt: answers, using: &generator)
            return .wait(.retry(after: max(delay, leastDelay(after: failure))), failure.reason)

        case .rateLimited:
            let jitter = 1 + 0.2 * Double.random(in: 0..<1, using: &generator)
            return .wait(.snooze(for: max(leastDelay(after: failure), .seconds(1)) * jitter), failure.reason)

        case .configuration, .credentialRefused:
            return .wait(.release, failure.reason)

        case .needsAPerson:
            return .end(.review, failure.reason)
        }
    }

    /// Decides about a job for whose proof Apple refused the app's secret or key.
    ///
    /// - Parameter uncertainAttempts: earlier attempts whose answer was uncertain, refusals that counted against the proof among
    ///   them.
    package func decideRefusedCredential(
        _ standing: CredentialStanding, uncertainAttempts: Int, using generator: inout some RandomNumberGenerator
    ) -> RetryDecision {
        switch standing.fault {
        case .credential:
            // Not at once: the next probe of the closed gate takes another proof, since this one may be the only one that Apple
            // refuses.
            return .wait(.snooze(for: missingDelay), .configuration)
        case .unknown:
            return .wait(.snooze(for: halfOf(standing.sinceFirstRefusal, using: &generator)), .credentialRefused)
        case .proof:
            let refusals = uncertainAttempts + 1
            guard refusals < refusedProofAttempts else { return .discard(.credentialRefused) }
            return .wait(
                .retry(after: refusedProofBackoff.upperHalf(afterAttempt: refusals, using: &generator)), .credentialRefused)
        }
    }

    /// Decides about a job whose payment Apple signed and doesn't know, by a key that finds nobody's.
    package func decideForeignKey() -> RetryDecision {
        // Not at once, as after a refusal: the next probe takes another proof.
        .wait(.snooze(for: missingDelay), .configuration)
    }

    /// Decides about a job whose purchase is missing: its receipt lacks it, or Apple doesn't know its id.
    ///
    /// The next check comes after half the time since the first one, so no counter is needed. With the default values,
    /// and but for jitter of a tenth either way:
    ///
    /// | Since the first check | 0 | 1 min | 2 min | 3 min | 4.5 min | 1 h | 6 h | 12 h | 18 h | 24 h |
    /// |---|---|---|---|---|---|---|---|---|---|---|
    /// | Next check in | 60 s | 60 s | 60 s | 90 s | 135 s | 30 min | 3 h | 6 h | 6 h | the end |
    ///
    /// - Parameters:
    ///   - missingTimes: since the first check, and not since the upload: the job may have been parked for days before.
    ///   - isUnresolved: whether Apple may know the purchase all the same, because it signed the purchase or because one
    ///     environment can't be asked. Only an operator may refuse it then.
    ///   - isPartlyRead: whether the receipt has an unreadable entry, which may be the purchase; the same.
    ///   - isShown: whether the proof shows the purchase, and Apple doesn't yet, or has found nothing by the key so far. No newer
    ///     proof helps: the client waits.
    package func decideMissing(
        missingTimes: MissingTimes, isUnresolved: Bool, isPartlyRead: Bool = false, isShown: Bool = false,
        using generator: inout some RandomNumberGenerator
    ) -> RetryDecision {
        guard !isFinalCheck(missingTimes) else {
            if isUnresolved { return end(.transactionNotFound, as: .review) }
            return isPartlyRead ? end(.unknownAnswer, as: .review) : end(.purchaseNotInReceipt, as: .rejected)
        }
        let delay = halfOf(missingTimes.sinceFirstCheck, using: &generator)
        return .wait(.snooze(for: delay), isShown ? .transactionNotFound : .purchaseNotInReceipt)
    }

    /// Half of the time since something first happened, within bounds, and but for jitter of a tenth either way.
    private func halfOf(_ time: TimeInterval, using generator: inout some RandomNumberGenerator) -> Duration {
        min(max(.seconds(time) / 2, missingDelay), missingCap) * (0.9 + 0.2 * Double.random(in: 0..<1, using: &generator))
    }

    /// Whether this check is the final one: a purchase that is missing now is given up.
    ///
    /// A check that comes long after the one before it isn't: Apple was down since, or no worker ran, and its first answer after
    /// that is confirmed by another check.
    package func isFinalCheck(_ missingTimes: MissingTimes) -> Bool {
        .seconds(missingTimes.sinceFirstCheck) >= missingHorizon && .seconds(missingTimes.sinceLastCheck) <= missingCap * 2
    }

    /// Decides about a job whose id production doesn't know, while the sandbox can't be asked.
    ///
    /// Production may know it a moment later, so it is asked again for some minutes. Then the job waits behind the sandbox's gate,
    /// where it costs nothing; half of the ``uncertainAttempts`` are left for when that opens.
    package func decideHalfAsked(
        uncertainAttempts: Int, using generator: inout some RandomNumberGenerator
    ) -> RetryDecision {
        let answers = uncertainAttempts + 1
        guard answers < self.uncertainAttempts / 2 else {
            return .wait(.release, .appStoreUnavailable)
        }
        let delay = uncertainBackoff.upperHalf(afterAttempt: answers, using: &generator)
        return .wait(.retry(after: delay), .appStoreUnavailable)
    }

    /// The delay of a job whose payment was made for another order, while somebody else holds that order's row.
    ///
    /// - Parameter age: of the job when it was claimed, in seconds. It is the delay, so a job is about twice as old each time.
    package static func delayOfHeldOrder(age: TimeInterval) -> Duration {
        min(max(.seconds(age), heldOrderDelay), heldOrderCap)
    }

    /// Decides about a job whose settlement the database refuses.
    ///
    /// The job waits until an operator mends that. A job may be past the horizon already, because it was parked for longer or an
    /// operator retried it: it is attempted as often as any other before it ends.
    package func decideRefusedSettlement(attempt: Int, age: TimeInterval) -> RetryDecision {
        let reason = Reason.settlementRefused
        guard .seconds(age) >= horizon else {
            return .wait(.snooze(for: refusedSettlementDelay), reason)
        }
        guard attempt >= leastAttempts else {
            return .wait(.retry(after: refusedSettlementDelay), reason)
        }
        return .end(.review, reason)
    }

    /// Decides about a job when the database refuses even to put it off, or to leave its order to review. The payment isn't
    /// written: the discarded job keeps the proof, which shows it again.
    package func decideUnstorable() -> RetryDecision {
        .discard(.unstorable)
    }

    private func end(_ reason: Reason, as ending: VerificationFailure.Ending) -> RetryDecision {
        switch ending {
        case .rejected: .end(.rejected, reason)
        case .review: .discard(reason)
        }
    }

    /// The delay that the other side asked for, within reason.
    private func leastDelay(after failure: VerificationFailure) -> Duration {
        min(failure.retryAfter ?? .zero, longestRetryAfter)
    }
}
