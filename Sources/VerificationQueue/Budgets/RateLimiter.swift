// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization
import Verification

/// This worker's permits to call: time slots that it took from the shared budgets, in runs.
///
/// A call waits for its slot. A slot that is over before its call could start is thrown away and not made up for, so that
/// no burst follows a pause. Calls that wait together are served by one run, so there is no write for each call.
package final class RateLimiter: Sendable {
    /// What came of asking for a permit.
    package enum Outcome: Hashable, Sendable {
        /// The call may start now.
        case granted
        /// The budget is spent for so long that the job had better wait in the queue.
        case refused(retryAfter: Duration)
    }

    /// How long a job whose budget is spent stays away at most. Default 60 seconds.
    package static let longestDelay: Duration = .seconds(60)

    /// The most slots that are taken at once of a budget that is not known yet. What is left of a run when its calls were
    /// stopped is lost.
    package static let longestRun = 10

    /// How much time the slots of a run may span, of a budget that has more than ``longestRun`` in it. Default 200 ms.
    package static let longestSpan: Duration = .milliseconds(200)

    /// How long before its slot a call may start, so that it needn't wait: calls that begin together would each set an alarm of
    /// their own otherwise. A second holds that much more calls than its slots at most. Default 5 ms.
    package static let earliness: Duration = .milliseconds(5)

    private struct Page {
        var slots: [ContinuousClock.Instant] = []
        var lastSlot: ContinuousClock.Instant?
        /// Callers that have no slot yet.
        var wanting = 0
        var isFetching = false
        /// Whoever waits is told whether the budget is spent.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        /// Between the slots of the last run.
        var spacing: Duration?
        /// Permits granted and refused in the second that began then, and in the one before.
        var second = ContinuousClock.now
        var granted = 0
        var grantedBefore = 0
        var refused = 0
        var refusedBefore = 0

        var longestRun: Int {
            guard let spacing, spacing > .zero else { return RateLimiter.longestRun }
            return max(RateLimiter.longestRun, Int(RateLimiter.longestSpan / spacing))
        }

        /// Permits granted in a second lately.
        var perSecond: Int { max(granted, grantedBefore) }

        /// What a caller without a permit does next.
        ///
        /// - Parameter isWanting: whether it is one of ``wanting``.
        mutating func next(
            for isWanting: inout Bool, at now: ContinuousClock.Instant, before deadline: ContinuousClock.Instant,
            tolerance: Duration
        ) -> Step {
            let missed = slots.firstIndex { now <= $0 + tolerance } ?? slots.count
            slots.removeFirst(missed)
            if let slot = slots.first {
                // One that comes too late for this caller is another's. The job comes again early enough to wait for it within
                // its next attempt.
                guard slot < deadline else {
                    return .refuse(retryAfter: delay(max(.zero, now.duration(to: slot) - now.duration(to: deadline) / 2), at: now))
                }
                slots.removeFirst()
                want(false, &isWanting)
                guard now.duration(to: slot) <= RateLimiter.earliness else { return .sleep(until: slot) }
                grant(at: now)
                return .granted
            }
            want(true, &isWanting)
            if isFetching { return .wait }
            isFetching = true
            roll(to: now)
            // For those who wait, or for as many as come while a slot can be used, going by the last seconds.
            let likely = Int(tolerance / .seconds(1) * Double(perSecond))
            return .fetch(min(max(wanting, likely), longestRun))
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

        /// Adds a run, if there was one; returns those who waited for it.
        ///
        /// Behind the slots of the last one, whatever it says: had that one's answer been late, so would its slots be, and those of
        /// this one lay among them.
        mutating func end(_ run: Reservation?, at now: ContinuousClock.Instant) -> [CheckedContinuation<Bool, Never>] {
            if let run {
                spacing = run.spacing
                var first = now + run.firstCallIn
                if let lastSlot { first = max(first, lastSlot + run.spacing) }
                slots += (0..<run.count).map { first + run.spacing * $0 }
                lastSlot = slots.last
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
        case granted
        case sleep(until: ContinuousClock.Instant)
        case refuse(retryAfter: Duration)
        case fetch(Int)
        case wait
    }

    private let clock = AlarmClock()
    private let tolerance: Duration
    private let take: @Sendable (Int, Budget) async throws -> Reservation?
    private let pages = Mutex<[Budget: Page]>([:])

    /// - Parameters:
    ///   - tolerance: how long after its beginning a slot may still be used. Default 50 ms: with more, late calls of one
    ///     second come beside the punctual ones of the next. Of a budget below ten a second that can be one call too many.
    ///   - take: takes a run of so many slots from the shared budget; nil when it is spent.
    package init(
        tolerance: Duration = .milliseconds(50), take: @escaping @Sendable (Int, Budget) async throws -> Reservation?
    ) {
        self.tolerance = tolerance
        self.take = take
    }

    package convenience init(store: BudgetStore) {
        self.init { count, budget in try await store.take(count, of: budget, within: budget.endpoint.horizon) }
    }

    /// Waits for the next free slot of a budget.
    package func permit(for budget: Budget, deadline: ContinuousClock.Instant) async -> Outcome {
        let deadline = min(deadline, .now + budget.endpoint.horizon)
        var isWanting = false
        defer {
            if isWanting { pages.withLock { $0[budget]?.want(false, &isWanting) } }
        }
        while !Task.isCancelled {
            let step = pages.withLock {
                $0[budget, default: Page()].next(for: &isWanting, at: .now, before: deadline, tolerance: tolerance)
            }
            switch step {
            case .granted:
                return .granted
            case .sleep(let slot):
                await clock.sleep(until: slot)
                let now = ContinuousClock.now
                // Whoever is cancelled wakes before its slot, and must not call then.
                guard !Task.isCancelled, now <= slot + tolerance else { continue }
                pages.withLock { $0[budget]?.grant(at: now) }
                return .granted
            case .refuse(let delay):
                return .refused(retryAfter: delay)
            case .fetch(let count):
                if let delay = await fetch(count, budget) { return .refused(retryAfter: delay) }
            case .wait:
                if let delay = await waitForRun(budget) { return .refused(retryAfter: delay) }
            }
        }
        return .refused(retryAfter: .seconds(1))
    }

    /// How many jobs this worker should have under way that need permits of a budget: about what it was granted in the
    /// last two seconds, and enough to find out that there are more.
    package func worthRunning(_ budget: Budget, at now: ContinuousClock.Instant = .now) -> Int {
        pages.withLock { pages in
            guard var page = pages[budget] else { return Self.longestRun }
            page.roll(to: now)
            return 2 * page.perSecond + Self.longestRun
        }
    }

    /// - Returns: how long to stay away when there is nothing to be had.
    private func fetch(_ count: Int, _ budget: Budget) async -> Duration? {
        let run = try? await take(count, budget)
        let received = ContinuousClock.now
        let waiting = pages.withLock { $0[budget, default: Page()].end(run, at: received) }
        for continuation in waiting {
            continuation.resume(returning: run == nil)
        }
        return run == nil ? refuse(budget, at: received) : nil
    }

    private func waitForRun(_ budget: Budget) async -> Duration? {
        let isSpent = await withCheckedContinuation { continuation in
            let isFetching = pages.withLock { pages in
                guard pages[budget]?.isFetching == true else { return false }
                pages[budget]?.waiting.append(continuation)
                return true
            }
            if !isFetching { continuation.resume(returning: false) }
        }
        return isSpent ? refuse(budget, at: .now) : nil
    }

    private func refuse(_ budget: Budget, at now: ContinuousClock.Instant) -> Duration {
        pages.withLock { $0[budget, default: Page()].delay(budget.endpoint.horizon / 2, at: now) }
    }
}
