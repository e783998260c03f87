// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct PoolStateMachineTests {
    private typealias Actions = PoolStateMachine.Actions
    private typealias Loan = PoolStateMachine.Loan

    private let start = ContinuousClock.now

    /// `seconds` after the test began, by the test's clock.
    private func time(_ seconds: Int) -> ContinuousClock.Instant {
        start + .seconds(seconds)
    }

    /// A pool whose connections 1…count are lent to waiters 1…count.
    private func lendingPool(size: Int, lent count: Int) -> PoolStateMachine {
        var pool = PoolStateMachine(size: size)
        for number in 1...count {
            _ = pool.lease(number, deadline: time(100), now: time(0))
            _ = pool.opened(number, now: time(0))
        }
        return pool
    }

    @Test func firstCallerHasAConnectionOpened() {
        var pool = PoolStateMachine(size: 2)

        #expect(pool.lease(1, deadline: time(10), now: time(0)) == .wait(opening: [1]))

        #expect(pool.opened(1, now: time(0)) == Actions(loans: [Loan(connection: 1, waiter: 1)]))
        #expect(pool.connectionCount == 1)
        #expect(pool.waiterCount == 0)
    }

    @Test func returnedConnectionIsLentAgain() {
        var pool = lendingPool(size: 2, lent: 1)

        #expect(pool.released(1, isReusable: true, now: time(1)) == Actions())

        #expect(pool.lease(2, deadline: time(10), now: time(1)) == .lend(1))
        #expect(pool.connectionCount == 1)
    }

    @Test func lastReturnedConnectionIsLentFirst() {
        var pool = lendingPool(size: 2, lent: 2)
        _ = pool.released(2, isReusable: true, now: time(1))
        _ = pool.released(1, isReusable: true, now: time(1))

        #expect(pool.lease(3, deadline: time(10), now: time(1)) == .lend(1))
        #expect(pool.lease(4, deadline: time(10), now: time(1)) == .lend(2))
    }

    @Test func noMoreConnectionsAreOpenedThanTheSize() {
        var pool = lendingPool(size: 2, lent: 2)

        #expect(pool.lease(3, deadline: time(10), now: time(0)) == .wait(opening: []))
        #expect(pool.connectionCount == 2)
    }

    @Test func callersAreServedInOrder() {
        var pool = lendingPool(size: 1, lent: 1)
        _ = pool.lease(2, deadline: time(10), now: time(0))
        _ = pool.lease(3, deadline: time(10), now: time(0))

        let first = pool.released(1, isReusable: true, now: time(1))
        let second = pool.released(1, isReusable: true, now: time(2))

        #expect(first == Actions(loans: [Loan(connection: 1, waiter: 2)]))
        #expect(second == Actions(loans: [Loan(connection: 1, waiter: 3)]))
    }

    @Test func connectionThatIsBeingOpenedIsNotOpenedTwice() {
        var pool = PoolStateMachine(size: 3)
        #expect(pool.lease(1, deadline: time(10), now: time(0)) == .wait(opening: [1]))
        #expect(pool.gaveUp(1) == true)

        // Connection 1 is on its way and nobody else waits for it.
        #expect(pool.lease(2, deadline: time(10), now: time(0)) == .wait(opening: []))
        #expect(pool.lease(3, deadline: time(10), now: time(0)) == .wait(opening: [2]))
    }

    @Test func brokenConnectionIsReplacedForThoseWhoWait() {
        var pool = lendingPool(size: 1, lent: 1)
        _ = pool.lease(2, deadline: time(10), now: time(0))

        #expect(pool.released(1, isReusable: false, now: time(1)) == Actions(opening: [2], closing: [1]))
        #expect(pool.connectionCount == 1)
    }

    @Test func brokenConnectionIsNotReplacedForNobody() {
        var pool = lendingPool(size: 1, lent: 1)

        #expect(pool.released(1, isReusable: false, now: time(1)) == Actions(closing: [1]))
        #expect(pool.connectionCount == 0)
    }

    @Test func secondReturnOfAConnectionChangesNothing() {
        var pool = lendingPool(size: 1, lent: 1)
        _ = pool.released(1, isReusable: true, now: time(1))

        #expect(pool.released(1, isReusable: true, now: time(1)) == Actions())
        #expect(pool.lease(2, deadline: time(10), now: time(1)) == .lend(1))
        #expect(pool.lease(3, deadline: time(10), now: time(1)) == .wait(opening: []))
    }

    @Test func failedAttemptIsRepeatedAfterTheBackoff() {
        var pool = PoolStateMachine(size: 2)
        _ = pool.lease(1, deadline: time(100), now: time(0))

        #expect(pool.openingFailed(1, isFinal: false, retryAfter: .seconds(5), now: time(1)) == Actions())

        #expect(pool.failures == 1)
        #expect(pool.nextEvent == time(6))
        #expect(pool.timePassed(now: time(5)) == Actions())
        #expect(pool.timePassed(now: time(6)) == Actions(opening: [2]))
    }

    @Test func databaseThatIsAwayIsTriedOneAttemptAtATime() {
        var pool = PoolStateMachine(size: 3)
        for waiter in 1...3 {
            _ = pool.lease(waiter, deadline: time(100), now: time(0))
        }
        _ = pool.openingFailed(1, isFinal: false, retryAfter: .seconds(1), now: time(1))
        _ = pool.openingFailed(2, isFinal: false, retryAfter: .seconds(1), now: time(1))
        _ = pool.openingFailed(3, isFinal: false, retryAfter: .seconds(1), now: time(1))

        #expect(pool.timePassed(now: time(2)) == Actions(opening: [4]))
        #expect(pool.lease(4, deadline: time(100), now: time(2)) == .wait(opening: []))
        #expect(pool.nextEvent == time(100))
    }

    @Test func successEndsTheBackoffForAll() {
        var pool = PoolStateMachine(size: 3)
        for waiter in 1...3 {
            _ = pool.lease(waiter, deadline: time(100), now: time(0))
        }
        for connection in 1...3 {
            _ = pool.openingFailed(connection, isFinal: false, retryAfter: .seconds(1), now: time(1))
        }
        _ = pool.timePassed(now: time(2))

        let actions = pool.opened(4, now: time(2))

        #expect(actions == Actions(loans: [Loan(connection: 4, waiter: 1)], opening: [5, 6]))
        #expect(pool.failures == 0)
    }

    @Test func newCallerDoesNotShortenTheBackoff() {
        var pool = PoolStateMachine(size: 1)
        _ = pool.lease(1, deadline: time(100), now: time(0))
        _ = pool.openingFailed(1, isFinal: false, retryAfter: .seconds(5), now: time(1))

        #expect(pool.lease(2, deadline: time(100), now: time(2)) == .wait(opening: []))
        #expect(pool.lease(3, deadline: time(100), now: time(6)) == .wait(opening: [2]))
    }

    @Test func nothingIsTriedWhileNobodyWaits() {
        var pool = PoolStateMachine(size: 1)
        _ = pool.lease(1, deadline: time(100), now: time(0))
        _ = pool.gaveUp(1)

        #expect(pool.openingFailed(1, isFinal: false, retryAfter: .seconds(1), now: time(1)) == Actions())

        #expect(pool.nextEvent == nil)
        #expect(pool.timePassed(now: time(50)) == Actions())
    }

    @Test func workingConnectionIsLentDuringTheBackoff() {
        var pool = lendingPool(size: 2, lent: 1)
        _ = pool.lease(2, deadline: time(100), now: time(0))
        _ = pool.openingFailed(2, isFinal: false, retryAfter: .seconds(5), now: time(1))

        #expect(pool.released(1, isReusable: true, now: time(2)) == Actions(loans: [Loan(connection: 1, waiter: 2)]))
    }

    @Test func finalRefusalIsToldToAllWhoWait() {
        var pool = PoolStateMachine(size: 1)
        _ = pool.lease(1, deadline: time(100), now: time(0))
        _ = pool.lease(2, deadline: time(100), now: time(0))

        let actions = pool.openingFailed(1, isFinal: true, retryAfter: .seconds(1), now: time(1))

        #expect(actions == Actions(refused: [1, 2], refusal: .final))
        #expect(pool.waiterCount == 0)
        #expect(pool.lease(3, deadline: time(100), now: time(3)) == .wait(opening: [2]))
    }

    @Test func callerIsRefusedAtItsDeadline() {
        var pool = lendingPool(size: 1, lent: 1)
        _ = pool.lease(2, deadline: time(20), now: time(0))
        _ = pool.lease(3, deadline: time(10), now: time(0))
        #expect(pool.nextEvent == time(10))

        #expect(pool.timePassed(now: time(10)) == Actions(refused: [3]))

        #expect(pool.nextEvent == time(20))
        #expect(pool.released(1, isReusable: true, now: time(11)) == Actions(loans: [Loan(connection: 1, waiter: 2)]))
    }

    @Test func callerWithoutTimeIsRefusedUnlessAConnectionIsIdle() {
        var pool = lendingPool(size: 1, lent: 1)

        #expect(pool.lease(2, deadline: time(5), now: time(5)) == .refuse(.deadline))
        _ = pool.released(1, isReusable: true, now: time(6))

        #expect(pool.lease(3, deadline: time(5), now: time(6)) == .lend(1))
    }

    @Test func callerWhoGaveUpIsPassedOver() {
        var pool = lendingPool(size: 1, lent: 1)
        _ = pool.lease(2, deadline: time(10), now: time(0))
        _ = pool.lease(3, deadline: time(10), now: time(0))

        #expect(pool.gaveUp(2) == true)

        #expect(pool.gaveUp(2) == false)
        #expect(pool.released(1, isReusable: true, now: time(1)) == Actions(loans: [Loan(connection: 1, waiter: 3)]))
        #expect(pool.gaveUp(3) == false)
    }

    @Test func connectionOpenedForNobodyIsKept() {
        var pool = PoolStateMachine(size: 1)
        _ = pool.lease(1, deadline: time(10), now: time(0))
        _ = pool.gaveUp(1)

        #expect(pool.opened(1, now: time(1)) == Actions())

        #expect(pool.lease(2, deadline: time(10), now: time(2)) == .lend(1))
    }

    @Test func closingRefusesWaitersAndClosesIdleConnections() {
        var pool = lendingPool(size: 2, lent: 2)
        _ = pool.released(2, isReusable: true, now: time(1))
        #expect(pool.close() == Actions(closing: [2], refusal: .closed))

        var full = lendingPool(size: 1, lent: 1)
        _ = full.lease(2, deadline: time(10), now: time(0))
        #expect(full.close() == Actions(refused: [2], refusal: .closed))
    }

    @Test func closedPoolLendsNoMoreAndClosesWhatComesBack() {
        var pool = lendingPool(size: 3, lent: 1)
        _ = pool.lease(2, deadline: time(10), now: time(0))
        _ = pool.lease(3, deadline: time(10), now: time(0))
        _ = pool.close()

        #expect(pool.isClosed)
        #expect(pool.lease(4, deadline: time(10), now: time(1)) == .refuse(.closed))
        #expect(pool.released(1, isReusable: true, now: time(1)) == Actions(closing: [1]))
        #expect(pool.opened(2, now: time(1)) == Actions(closing: [2]))
        #expect(pool.openingFailed(3, isFinal: false, retryAfter: .seconds(1), now: time(1)) == Actions())
        #expect(pool.timePassed(now: time(5)) == Actions())
        #expect(pool.connectionCount == 0)
        #expect(pool.close() == Actions(refusal: .closed))
    }
}
