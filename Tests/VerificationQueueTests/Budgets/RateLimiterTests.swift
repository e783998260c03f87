// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct RateLimiterTests {
    private static let budget = Budget(Sample.bundleID, .getTransactionInfo, .production)

    /// Counts how often it was asked, and for how many slots.
    private final class Source: Sendable {
        private let log = Mutex<[Int]>([])
        private let run: @Sendable (Int) -> Reservation?

        var counts: [Int] { log.withLock { $0 } }

        init(_ run: @escaping @Sendable (Int) -> Reservation?) {
            self.run = run
        }

        func take(_ count: Int, _ budget: Budget) async -> Reservation? {
            log.withLock { $0.append(count) }
            // As a database would, it lets others come meanwhile.
            for _ in 0..<100 { await Task.yield() }
            return run(count)
        }
    }

    private static func turns(
        _ count: Int, from limiter: RateLimiter, deadline: Duration = .seconds(120), of budget: Budget = budget
    ) async -> [(RateLimiter.Outcome, ContinuousClock.Instant)] {
        await withTaskGroup(of: (RateLimiter.Outcome, ContinuousClock.Instant).self) { group in
            for _ in 0..<count {
                group.addTask { (await limiter.waitForTurn(of: budget, deadline: .now + deadline), .now) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func callsThatWaitTogetherAreServedByFewRuns() async {
        let source = Source { Reservation(firstCallIn: .zero, spacing: .milliseconds(20), count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let outcomes = await Self.turns(40, from: limiter)

        #expect(outcomes.allSatisfy { $0.0.isGranted })
        #expect(source.counts.count < 20)
        #expect(source.counts.allSatisfy { $0 <= RateLimiter.largestReservation })
    }

    @Test func aRunOfALargeBudgetIsAsLongAsItsTimeAllows() async {
        let spacing = Duration.milliseconds(2)
        let source = Source { Reservation(firstCallIn: .zero, spacing: spacing, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let outcomes = await Self.turns(500, from: limiter)

        #expect(outcomes.allSatisfy { $0.0.isGranted })
        #expect(source.counts.contains { $0 > RateLimiter.largestReservation })
        #expect(source.counts.allSatisfy { $0 <= Int(RateLimiter.longestSpan / spacing) })
    }

    @Test func callsThatComeOneAfterTheOtherAreServedByFewRuns() async {
        let source = Source { Reservation(firstCallIn: .zero, spacing: .milliseconds(1), count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        for _ in 0..<60 { _ = await Self.turns(1, from: limiter) }

        #expect(source.counts.first == 1)
        #expect(source.counts.count < 10)
        #expect(source.counts.allSatisfy { $0 <= Int(RateLimiter.longestSpan / .milliseconds(1)) })
    }

    @Test func noCallStartsBeforeItsSlot() async throws {
        let source = Source { Reservation(firstCallIn: .milliseconds(200), spacing: .milliseconds(1), count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
        let start = ContinuousClock.now

        let outcomes = await Self.turns(1, from: limiter)

        #expect(try #require(outcomes.first).1 >= start + .milliseconds(200))
    }

    /// As when the answer with the last run was late: the shared budget counts from when it was handed out.
    @Test func slotsOfARunLieBehindThoseOfTheLastOne() async throws {
        let spacing = Duration.milliseconds(20)
        let source = Source { Reservation(firstCallIn: .zero, spacing: spacing, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
        let start = ContinuousClock.now

        let outcomes = await Self.turns(30, from: limiter)

        #expect(outcomes.allSatisfy { $0.0.isGranted })
        #expect(source.counts.count > 1)
        let last = try #require(outcomes.map(\.1).max())
        #expect(start.duration(to: last) >= spacing * 29 - RateLimiter.earliness)
    }

    @Test func whoeverIsCancelledBeforeItsSlotMustNotCall() async throws {
        let source = Source { Reservation(firstCallIn: .seconds(4), spacing: .milliseconds(20), count: $0) }
        let limiter = RateLimiter(take: source.take)
        let start = ContinuousClock.now

        let call = Task { await limiter.waitForTurn(of: Self.budget, deadline: .now + .seconds(120)) }
        // From then on it waits for its slot, or is about to.
        try await eventually("the call has a slot") { source.counts.count == 1 }
        call.cancel()
        let outcome = await call.value

        #expect(!outcome.isGranted || ContinuousClock.now >= start + .seconds(4))
    }

    /// Each of these could be late for other reasons, but hardly all of them.
    @Test func aCallNeedNotWaitForASlotThatIsNear() async {
        let source = Source { Reservation(firstCallIn: RateLimiter.earliness, spacing: .milliseconds(1), count: $0) }
        var early = 0

        for _ in 0..<50 {
            let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
            let start = ContinuousClock.now
            let outcomes = await Self.turns(1, from: limiter)
            if let (outcome, end) = outcomes.first, outcome.isGranted, end < start + RateLimiter.earliness { early += 1 }
        }

        #expect(early > 0)
    }

    @Test func aSlotThatIsOverIsThrownAway() async {
        let first = Mutex(true)
        let source = Source { count in
            let isFirst = first.withLock { first in
                defer { first = false }
                return first
            }
            return Reservation(firstCallIn: isFirst ? .seconds(-100) : .zero, spacing: .zero, count: count)
        }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let outcomes = await Self.turns(1, from: limiter)

        #expect(outcomes.map(\.0.isGranted) == [true])
        #expect(source.counts.count == 2)
    }

    /// Where a call's connection stands only after its turn, the call is not made: the time says by when.
    @Test func aTurnEndsSoonAfterItsStartTime() async throws {
        let source = Source { Reservation(firstCallIn: .milliseconds(50), spacing: .zero, count: $0) }
        // So long that it is granted whatever the machine does meanwhile.
        let tolerance = Duration.seconds(60)
        let limiter = RateLimiter(tolerance: tolerance, take: source.take)
        let start = ContinuousClock.now

        let (outcome, end) = try #require(await Self.turns(1, from: limiter).first)

        guard case .granted(let latestStart) = outcome else {
            Issue.record("refused")
            return
        }
        #expect(latestStart >= start + .milliseconds(50) + tolerance)
        #expect(latestStart <= end + RateLimiter.earliness + tolerance)
    }

    /// The start times of a second's calls lie within that second, made longer by what each may be early and late.
    @Test(arguments: [1.0, 2, 5, 10, 49, 50, 500])
    func noSecondHasMoreCallsThanTheRate(rate: Double) {
        let spacing = 1 / (rate * 0.975)
        let window = 1 + (RateLimiter.earliness + RateLimiter.tolerance) / .seconds(1)

        #expect((window / spacing).rounded(.up) <= rate)
    }

    /// As of a worker that was suspended while it asked: others have used the time since.
    @Test func aReservationThatTookTooLongIsThrownAway() async throws {
        let source = Source { Reservation(firstCallIn: .zero, spacing: .zero, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), longestAnswer: .zero, take: source.take)

        let outcomes = await Self.turns(1, from: limiter, deadline: .milliseconds(200))

        #expect(outcomes.map(\.0) == [.refused(retryAfter: .seconds(1))])
        #expect(source.counts.count > 1)
    }

    @Test func aSpentBudgetRefusesEverybodyWhoWaitsByOneQuestion() async {
        let source = Source { _ in nil }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let outcomes = await Self.turns(1, from: limiter)

        #expect(outcomes.map(\.0) == [.refused(retryAfter: .milliseconds(2500))])
        #expect(source.counts == [1])
    }

    @Test func aSlotBeyondTheDeadlineIsRefusedWithTheTimeToIt() async throws {
        let source = Source { Reservation(firstCallIn: .seconds(60), spacing: .zero, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let outcomes = await Self.turns(1, from: limiter, deadline: .seconds(1))

        guard case .refused(let delay)? = outcomes.first?.0 else {
            Issue.record("granted beyond the deadline")
            return
        }
        #expect(delay > .seconds(50))
    }

    /// Ids that anybody can invent don't hold places while they wait.
    @Test func anIDWithoutAProofWaitsHalfASecondAtMost() async throws {
        let untilSlot = Duration.seconds(2)
        let source = Source { Reservation(firstCallIn: untilSlot, spacing: .zero, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
        let start = ContinuousClock.now

        let refused = await Self.turns(1, from: limiter, of: Budget(Sample.bundleID, .getTransactionInfoOfBareID, .production))
        #expect(start.duration(to: .now) < untilSlot)
        let granted = await Self.turns(1, from: limiter)

        guard case .refused? = refused.first?.0 else {
            Issue.record("waited for a slot beyond its horizon")
            return
        }
        #expect(granted.map(\.0.isGranted) == [true])
    }

    @Test func theMoreAreRefusedTheLaterTheyComeAgain() async throws {
        let first = Mutex(true)
        let source = Source { count in
            first.withLock { first in
                defer { first = false }
                return first ? Reservation(firstCallIn: .zero, spacing: .seconds(10), count: count) : nil
            }
        }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
        try #require(await Self.turns(1, from: limiter).map(\.0.isGranted) == [true])

        let delays = await Self.turns(20, from: limiter).map { outcome in
            if case .refused(let delay) = outcome.0 { delay } else { Duration.zero }
        }.sorted()

        // As long as their calls would take; the longest delay is not exceeded.
        #expect(delays.first == .seconds(10))
        #expect(delays.contains(.seconds(30)))
        #expect(delays.last == RateLimiter.longestDelay)
    }

    @Test func aSlotThatIsTooLateForOneCallIsThereForTheNext() async throws {
        let source = Source { Reservation(firstCallIn: .milliseconds(200), spacing: .zero, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)

        let refused = await Self.turns(1, from: limiter, deadline: .milliseconds(100))
        let granted = await Self.turns(1, from: limiter)

        guard case .refused? = refused.first?.0 else {
            Issue.record("granted beyond the deadline")
            return
        }
        #expect(granted.map(\.0.isGranted) == [true])
        #expect(source.counts == [1])
    }

    @Test func aWorkerTakesMoreJobsOfALaneTheMoreCallsItMayMake() async {
        let source = Source { Reservation(firstCallIn: .zero, spacing: .zero, count: $0) }
        let limiter = RateLimiter(tolerance: .seconds(60), take: source.take)
        #expect(limiter.worthRunning(Self.budget) == RateLimiter.largestReservation)

        _ = await Self.turns(3, from: limiter)

        #expect(limiter.worthRunning(Self.budget) == 2 * 3 + RateLimiter.largestReservation)
        #expect(limiter.worthRunning(Self.budget, at: .now + .seconds(5)) == RateLimiter.largestReservation)
    }
}

extension RateLimiter.Outcome {
    fileprivate var isGranted: Bool {
        if case .granted = self { true } else { false }
    }
}
