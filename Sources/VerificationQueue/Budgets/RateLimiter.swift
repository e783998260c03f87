// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization
import Verification

/// Keeps this worker's calls to the App Store within the budgets that all workers share.
///
/// The limiter reserves start times for several calls at once, and each call waits for its start time. A start time that passes
/// unused is thrown away, so that no burst follows a pause. A call whose connection stands only after its turn takes another turn
/// (``TransactionVerifier/lookUp(_:bundleID:in:startingBy:deadline:)``), so that no burst follows a stall either. Calls that wait
/// together share one reservation: a call costs no write of its own.
package final class RateLimiter: Sendable {
    /// The answer to a call that asked for its turn.
    package enum Outcome: Hashable, Sendable {
        /// The call may start now, and must not start later than at this time: the turn is over then.
        case granted(latestStart: ContinuousClock.Instant)
        /// The budget is spent for so long that the job had better wait in the queue.
        case refused(retryAfter: Duration)
    }

    /// How long a job whose budget is spent stays away at most. Default 60 seconds.
    package static let longestDelay: Duration = .seconds(60)

    /// The most start times of one reservation while the budget's rate is not known yet. Start times whose calls were stopped are
    /// lost. Default 10.
    package static let largestReservation = 10

    /// The time that one reservation may span where that is more than ``largestReservation`` calls. Default 200 ms.
    package static let longestSpan: Duration = .milliseconds(200)

    /// A call may start so long before its start time: calls that begin together would otherwise each set an alarm. Default 5 ms.
    package static let earliness: Duration = .milliseconds(5)

    /// A call may start so long after its start time; afterwards its turn is over. Default 20 ms.
    ///
    /// Together with ``earliness`` that is the fortieth by which start times lie further apart than the budget allows
    /// (`reserve_calls.sql`), so that no second has more calls than the rate, whichever of them are early or late. With more,
    /// late calls of one second would come beside the punctual ones of the next. With less, calls of a busy worker miss more turns.
    package static let tolerance: Duration = .milliseconds(20)

    /// A reservation whose answer took longer is thrown away: the worker was suspended or cut off, and other workers have used the
    /// time since. Default 500 ms.
    package static let longestAnswer: Duration = .milliseconds(500)

    private struct BudgetState {
        var startTimes: [ContinuousClock.Instant] = []
        var lastStartTime: ContinuousClock.Instant?
        /// Callers without a start time.
        var wanting = 0
        var isFetching = false
        /// Callers that wait for the reservation under way; each is resumed with whether the budget is spent.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        /// The time between two start times of the last reservation.
        var spacing: Duration?
        /// The beginning of the current second, and the calls granted and refused in it and in the second before.
        var second = ContinuousClock.now
        var granted = 0
        var grantedBefore = 0
        var refused = 0
        var refusedBefore = 0

        var largestReservation: Int {
            guard let spacing, spacing > .zero else { return RateLimiter.largestReservation }
            return max(RateLimiter.largestReservation, Int(RateLimiter.longestSpan / spacing))
        }

        /// Calls granted in the busier one of the last two seconds.
        var perSecond: Int { max(granted, grantedBefore) }

        /// The next step of a caller that has no start time yet.
        ///
        /// - Parameter isWanting: whether it is one of ``wanting``.
        mutating func next(
            for isWanting: inout Bool, at now: ContinuousClock.Instant, before deadline: ContinuousClock.Instant,
            tolerance: Duration
        ) -> Step {
            let missed = startTimes.firstIndex { now <= $0 + tolerance } ?? startTimes.count
            startTimes.removeFirst(missed)
            if let startTime = startTimes.first {
                // One that comes too late for this caller is another's. The job comes again early enough to wait for it within
                // its next attempt.
                guard startTime < deadline else {
                    return .refuse(retryAfter: delay(max(.zero, now.duration(to: startTime) - now.duration(to: deadline) / 2), at: now))
                }
                startTimes.removeFirst()
                want(false, &isWanting)
                guard now.duration(to: startTime) <= RateLimiter.earliness else { return .sleep(until: startTime) }
                grant(at: now)
                return .granted(latestStart: startTime + tolerance)
            }
            want(true, &isWanting)
            if isFetching { return .wait }
            isFetching = true
            roll(to: now)
            // For those who wait, or for as many as come while a start time can be used, going by the last seconds.
            let likely = Int(tolerance / .seconds(1) * Double(perSecond))
            return .fetch(min(max(wanting, likely), largestReservation))
        }

        mutating func want(_ wants: Bool, _ isWanting: inout Bool) {
            guard wants != isWanting else { return }
            wanting += wants ? 1 : -1
            isWanting = wants
        }

        mutating func grant(at now: ContinuousClock.Instant) {
            roll(to: now)
            granted += 1
        }

        /// Adds a reservation, if there was one; returns those who waited for it.
        ///
        /// The new start times come after those of the last reservation. Otherwise, if that one's answer came late, the two would
        /// overlap and exceed the rate.
        mutating func end(_ reservation: Reservation?, at now: ContinuousClock.Instant) -> [CheckedContinuation<Bool, Never>] {
            if let reservation {
                spacing = reservation.spacing
                var first = now + reservation.firstCallIn
                if let lastStartTime { first = max(first, lastStartTime + reservation.spacing) }
                startTimes += (0..<reservation.count).map { first + reservation.spacing * $0 }
                lastStartTime = startTimes.last
            }
            isFetching = false
            defer { waiting = [] }
            return waiting
        }

        mutating func roll(to now: ContinuousClock.Instant) {
            let elapsed = second.duration(to: now)
            guard elapsed >= .seconds(1) else { return }
            let isNext = elapsed < .seconds(2)
            (grantedBefore, granted) = (isNext ? granted : 0, 0)
            (refusedBefore, refused) = (isNext ? refused : 0, 0)
            second = now
        }

        /// How long one more job that is refused stays away: no shorter than the budget takes to serve those that were refused
        /// in a second lately, so that they don't all come again at once and in vain.
        mutating func delay(_ shortest: Duration, at now: ContinuousClock.Instant) -> Duration {
            roll(to: now)
            refused += 1
            let toServe = (spacing ?? .zero) * max(refused, refusedBefore)
            return max(shortest, min(toServe, RateLimiter.longestDelay))
        }
    }

    private enum Step {
        case granted(latestStart: ContinuousClock.Instant)
        case sleep(until: ContinuousClock.Instant)
        case refuse(retryAfter: Duration)
        case fetch(Int)
        case wait
    }

    private let clock = AlarmClock()
    private let tolerance: Duration
    private let longestAnswer: Duration
    private let take: @Sendable (Int, Budget) async throws -> Reservation?
    private let states = Mutex<[Budget: BudgetState]>([:])

    /// - Parameters:
    ///   - tolerance: how long after its beginning a start time may still be used.
    ///   - longestAnswer: how long a reservation may take.
    ///   - take: reserves a number of start times in the shared budget; nil when it is spent.
    package init(
        tolerance: Duration = RateLimiter.tolerance, longestAnswer: Duration = RateLimiter.longestAnswer,
        take: @escaping @Sendable (Int, Budget) async throws -> Reservation?
    ) {
        self.tolerance = tolerance
        self.longestAnswer = longestAnswer
        self.take = take
    }

    package convenience init(store: BudgetStore) {
        self.init { count, budget in try await store.take(count, of: budget, within: budget.endpoint.horizon) }
    }

    /// Waits for the next free start time of a budget.
    package func waitForTurn(of budget: Budget, deadline: ContinuousClock.Instant) async -> Outcome {
        let deadline = min(deadline, .now + budget.endpoint.horizon)
        var isWanting = false
        defer {
            if isWanting { states.withLock { $0[budget]?.want(false, &isWanting) } }
        }
        while !Task.isCancelled, ContinuousClock.now < deadline {
            let step = states.withLock {
                $0[budget, default: BudgetState()].next(for: &isWanting, at: .now, before: deadline, tolerance: tolerance)
            }
            switch step {
            case .granted(let latestStart):
                return .granted(latestStart: latestStart)
            case .sleep(let startTime):
                await clock.sleep(until: startTime)
                let now = ContinuousClock.now
                // Whoever is cancelled wakes before its start time, and must not call then.
                guard !Task.isCancelled, now <= startTime + tolerance else { continue }
                states.withLock { $0[budget]?.grant(at: now) }
                return .granted(latestStart: startTime + tolerance)
            case .refuse(let delay):
                return .refused(retryAfter: delay)
            case .fetch(let count):
                if let delay = await fetch(count, budget) { return .refused(retryAfter: delay) }
            case .wait:
                if let delay = await waitForReservation(budget) { return .refused(retryAfter: delay) }
            }
        }
        return .refused(retryAfter: .seconds(1))
    }

    /// How many jobs this worker should have under way that need calls of a budget: about what it was granted in the
    /// last two seconds, and enough to find out that there are more.
    package func worthRunning(_ budget: Budget, at now: ContinuousClock.Instant = .now) -> Int {
        states.withLock { states in
            guard var state = states[budget] else { return Self.largestReservation }
            state.roll(to: now)
            return 2 * state.perSecond + Self.largestReservation
        }
    }

    /// - Returns: how long to stay away when there is nothing to be had.
    private func fetch(_ count: Int, _ budget: Budget) async -> Duration? {
        let asked = ContinuousClock.now
        let reservation = try? await take(count, budget)
        let received = ContinuousClock.now
        let isFresh = asked.duration(to: received) <= longestAnswer
        let waiting = states.withLock { $0[budget, default: BudgetState()].end(isFresh ? reservation : nil, at: received) }
        for continuation in waiting {
            continuation.resume(returning: reservation == nil)
        }
        return reservation == nil ? refuse(budget, at: received) : nil
    }

    private func waitForReservation(_ budget: Budget) async -> Duration? {
        let isSpent = await withCheckedContinuation { continuation in
            let isFetching = states.withLock { states in
                guard states[budget]?.isFetching == true else { return false }
                states[budget]?.waiting.append(continuation)
                return true
            }
            if !isFetching { continuation.resume(returning: false) }
        }
        return isSpent ? refuse(budget, at: .now) : nil
    }

    private func refuse(_ budget: Budget, at now: ContinuousClock.Instant) -> Duration {
        states.withLock { $0[budget, default: BudgetState()].delay(budget.endpoint.horizon / 2, at: now) }
    }
}
