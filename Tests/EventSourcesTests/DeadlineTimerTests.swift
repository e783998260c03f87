// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization
import Testing

@Suite struct DeadlineTimerTests {
    private struct Fixture {
        let timer: DeadlineTimer
        let firings: AsyncStream<ContinuousClock.Instant>

        init() {
            let timer = DeadlineTimer(executor: SerialQueueExecutor(label: "test"))
            let (firings, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
            timer.setHandler { continuation.yield(.now) }
            self.timer = timer
            self.firings = firings
        }

        func firstFiring() async throws -> ContinuousClock.Instant {
            try #require(await firings.first { _ in true })
        }
    }

    @Test func handlerRunsAtTheDeadlineAndNotBefore() async throws {
        let fixture = Fixture()
        let deadline = ContinuousClock.now + .milliseconds(30)

        fixture.timer.schedule(at: deadline)

        #expect(try await fixture.firstFiring() >= deadline)
    }

    @Test func deadlineMovesToALaterTime() async throws {
        let fixture = Fixture()
        let deadline = ContinuousClock.now + .milliseconds(80)

        fixture.timer.schedule(at: .now + .milliseconds(10))
        fixture.timer.schedule(at: deadline)

        #expect(try await fixture.firstFiring() >= deadline)
    }

    @Test func deadlineMovesToAnEarlierTime() async throws {
        let fixture = Fixture()
        let start = ContinuousClock.now

        fixture.timer.schedule(at: start + .seconds(3600))
        fixture.timer.schedule(at: start + .milliseconds(10))

        #expect(try await fixture.firstFiring() < start + .seconds(60))
    }

    @Test func deadlineOfThePastIsDueAtOnce() async throws {
        let fixture = Fixture()

        fixture.timer.schedule(at: .now - .seconds(1))

        #expect(try await fixture.firstFiring() <= .now)
    }

    @Test func droppedDeadlineIsNotToldButTheNextIs() async throws {
        let fixture = Fixture()
        let deadline = ContinuousClock.now + .milliseconds(60)

        fixture.timer.schedule(at: .now + .milliseconds(10))
        fixture.timer.schedule(at: nil)
        fixture.timer.schedule(at: deadline)

        #expect(try await fixture.firstFiring() >= deadline)
    }

    @Test func timerCanBeSetAgainAfterItFired() async throws {
        let fixture = Fixture()
        fixture.timer.schedule(at: .now + .milliseconds(5))
        let first = try await fixture.firstFiring()

        fixture.timer.schedule(at: .now + .milliseconds(5))

        #expect(try await fixture.firstFiring() > first)
    }

    @Test func cancelledTimerTakesNoDeadline() async throws {
        let executor = SerialQueueExecutor(label: "test")
        let firings = FiringCount()
        let cancelled = DeadlineTimer(executor: executor)
        cancelled.setHandler { firings.add() }
        cancelled.schedule(at: .now + .milliseconds(5))
        cancelled.cancel()
        let other = Fixture()

        cancelled.schedule(at: .now + .milliseconds(5))
        other.timer.schedule(at: .now + .milliseconds(60))
        _ = try await other.firstFiring()

        #expect(firings.value == 0)
    }

    private final class FiringCount: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() {
            count.withLock { $0 += 1 }
        }
    }
}
