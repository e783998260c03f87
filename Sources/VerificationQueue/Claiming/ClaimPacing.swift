// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization
import Verification

/// Decides when the worker claims, and why.
///
/// The claim loop notes how each of its rounds ended, and waits in ``nextClaim()`` for the next reason to claim:
///
/// | The last round | The next claim |
/// |---|---|
/// | failed | after a backoff, for the same reason |
/// | hit a limit | as soon as a claim is worth its cost (see ``LimitedClaim``), or at a wake-up |
/// | found no room | as soon as room is made and a claim is worth its cost, or at a wake-up |
/// | took fewer than its limit | at a wake-up |
///
/// Wake-ups that come while the loop does not wait count as one. The first of them is the reason.
final class ClaimPacing: Sendable {
    /// How far a round of the claim loop has come.
    enum Round: Sendable {
        /// The claim is on its way. Slots that come free meanwhile are counted when the round ends.
        case underWay
        case tookAll
        case hitLimit(LimitedClaim)
        case foundNoRoom(LimitedClaim)
    }

    private struct State {
        var round = Round.tookAll
        var failed: WakeUp?
        var failures = 0
        var isStopped = false
    }

    private static let backoff = Backoff(base: .milliseconds(50), cap: .seconds(1))

    private let configuration: WorkerConfiguration
    private let inFlight: InFlight
    private let wakeUps: AsyncStream<WakeUp>
    private let wakeUp: AsyncStream<WakeUp>.Continuation
    private let timer: DeadlineTimer
    private let state = Mutex(State())

    /// - Parameter executor: the timer fires on its queue.
    init(_ configuration: WorkerConfiguration, inFlight: InFlight, executor: SerialQueueExecutor) {
        self.configuration = configuration
        self.inFlight = inFlight
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        timer = DeadlineTimer(executor: executor)
        timer.setHandler { [wakeUp] in wakeUp.yield(.timer) }
        // The first claim waits for nothing.
        wakeUp.yield(.polled)
    }

    /// Slots that a claim may fill now.
    ///
    /// Attempts that wait for their settlement hold slots as well, as soon as they are more than the slots and more than
    /// two batches. So a worker that can't settle stops claiming.
    var freeSlots: Int {
        let (running, held) = inFlight.jobs
        let backlog = max(configuration.slots, 2 * configuration.settlementBatch)
        return min(configuration.slots - running, configuration.slots + backlog - held)
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Gives the claim loop a reason to claim now.
    func wake(_ reason: WakeUp) {
        wakeUp.yield(reason)
    }

    /// Lets the loop claim when it waits for room and has enough by now: a slot, a settlement or bytes of proofs came
    /// free.
    func roomWasMade() {
        guard let claim = state.withLock({ $0.round.limitedClaim }), isWorthClaiming(after: claim) else { return }
        wake(.roomMade)
    }

    /// Ends the claims. No wake-up counts any more.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeUp.finish()
    }

    /// Waits until it is time to claim, and returns the reason; nil after ``stop()`` or when the task is cancelled.
    func nextClaim() async -> WakeUp? {
        let reason = await nextReason()
        return isStopped || Task.isCancelled ? nil : reason
    }

    /// Notes how far the loop has come. A failed round calls ``noteFailure(of:)`` instead.
    func note(_ round: Round) {
        state.withLock { state in
            state.round = round
            switch round {
            case .underWay, .foundNoRoom: break
            case .tookAll, .hitLimit: state.failures = 0
            }
        }
        if case .underWay = round { timer.schedule(at: nil) }
    }

    /// Notes that a claim failed, and returns how many have failed since the last successful one.
    func noteFailure(of reason: WakeUp) -> Int {
        state.withLock { state in
            state.failed = reason
            state.failures += 1
            return state.failures
        }
    }

    private func nextReason() async -> WakeUp? {
        let (round, failed, failures) = state.withLock { state in
            defer { state.failed = nil }
            return (state.round, state.failed, state.failures)
        }
        if let failed {
            var generator = SystemRandomNumberGenerator()
            try? await Task.sleep(for: Self.backoff.delay(afterAttempt: failures, using: &generator))
            return failed
        }
        if case .hitLimit(let claim) = round, isWorthClaiming(after: claim) { return .roomMade }
        for await wakeUp in wakeUps { return wakeUp }
        return nil
    }

    /// Whether another claim is worth its cost now. If it will be with the room of this moment, the timer wakes the
    /// loop then.
    private func isWorthClaiming(after claim: LimitedClaim) -> Bool {
        let time = claim.nextClaim(free: freeSlots, slots: configuration.slots, batch: configuration.claimBatch)
        guard let time else { return false }
        if time <= .now { return true }
        timer.schedule(at: time)
        return false
    }
}

extension ClaimPacing.Round {
    /// The claim that hit a limit, or could not be made at all.
    fileprivate var limitedClaim: LimitedClaim? {
        switch self {
        case .underWay, .tookAll: nil
        case .hitLimit(let claim), .foundNoRoom(let claim): claim
        }
    }
}

/// A reason to claim now. The words are labels of metrics.
package enum WakeUp: String, Sendable, CaseIterable {
    /// Jobs became available: a backend signalled the worker (`JobSignals`), or the worker rescued jobs.
    case signalled
    /// The poll timer fired (`Worker.poll`). A worker's first claim counts as polled, too.
    case polled
    /// Enough slots came free for a claim, after one that hit a limit (`ClaimPacing.roomWasMade`).
    case roomMade = "room_made"
    /// A closed gate is to be probed (`ClaimLoop.take`).
    case probe
    /// The pause ended that a claim keeps from a claim that hit a limit.
    case timer
}
