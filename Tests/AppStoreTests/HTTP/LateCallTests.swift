// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Glibc
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Verification
import VerificationQueue

@testable import AppStore

/// A call leaves within its turn or not at all, however long its connection takes.
@Suite struct LateCallTests {
    private final class Stall: Sendable {
        let turns = Mutex(0)
        let isOver = Mutex(false)
    }

    /// Of a budget of four calls a second. A fifth may seem to lie in the same second: the simulator counts when it gets to it.
    private static let spacing = Duration.milliseconds(250)
    private static let mostPerSecond = 5
    private static let calls = 8

    private static let purchase = SimulatedTransaction(
        productId: "com.example.app.coins", bundleId: SimulatedStore.bundleID.rawValue, transactionId: "430000000000001")
    private static let id = TransactionID(rawValue: purchase.transactionId)

    /// The event loops stand still while eight calls take their turns, as in a worker that is suspended; no connection stands
    /// before.
    @Test(.timeLimit(.minutes(2)))
    func afterAStallNoSecondHasMoreCallsThanTheRate() async throws {
        let statistics = try await SimulatedStore.withRunning { configuration, _ in
            // On a loaded machine, a connection may need more than the five seconds of a worker.
            configuration.connectTimeout = .seconds(60)
        } body: { store in
            store.simulator.remember([Self.purchase])
            let stall = Stall()
            let limiter = RateLimiter { count, _ in
                Reservation(firstCallIn: .zero, spacing: Self.spacing, count: count)
            }

            await withTaskGroup(of: Void.self) { group in
                for executor in store.verifier.callExecutors {
                    group.addTask(executorPreference: executor) { Self.block { stall.isOver.withLock { $0 } } }
                }
                for _ in 0..<Self.calls {
                    group.addTask { await Self.call(store.verifier, limiter) { stall.turns.withLock { $0 += 1 } } }
                }
                try? await eventually("each call has had its turn") { stall.turns.withLock { $0 } >= Self.calls }
                stall.isOver.withLock { $0 = true }
            }

            return store.simulator.statistics
        }

        #expect(statistics.calls(to: .getTransactionInfo, in: .production) == Self.calls)
        let rate = statistics.rate(of: .getTransactionInfo, in: .production, bundleID: SimulatedStore.bundleID.rawValue)
        #expect(rate.perSecond <= Self.mostPerSecond)
    }

    @Test(.timeLimit(.minutes(1)))
    func aLateCallIsNotSentAndMayComeAgain() async throws {
        try await SimulatedStore.withRunning { store in
            store.simulator.remember([Self.purchase])
            let past = ContinuousClock.now - .seconds(1)

            await #expect(throws: VerificationFailure.self) { try await Self.lookUp(store.verifier, startingBy: past) }
            let isLate = await Self.isLate { () async throws(VerificationFailure) in
                try await store.verifier.finish(
                    Self.id, bundleID: SimulatedStore.bundleID, in: .production, startingBy: past, deadline: .now + .seconds(20))
            }
            let sent = store.simulator.statistics.received.count
            let answer = try await Self.lookUp(store.verifier, startingBy: .now + .seconds(60))

            #expect(isLate)
            #expect(sent == 0)
            guard case .found = answer else {
                Issue.record("\(answer)")
                return
            }
        }
    }

    @Test func aRequestIsLateAfterItsTimeAndNeverShowsIt() {
        let now = ContinuousClock.now
        for (latestStart, isLate) in [(now, false), (now + .milliseconds(1), false), (now - .milliseconds(1), true)] {
            var headers: HTTPHeaders = ["Accept": "application/json"]
            LatestStart.write(latestStart, to: &headers)

            #expect(LatestStart.hasPassed(takenFrom: &headers, at: now + .nanoseconds(-1)) == isLate)
            #expect(headers == ["Accept": "application/json"])
        }
        var headers = HTTPHeaders()
        #expect(!LatestStart.hasPassed(takenFrom: &headers, at: now))
        #expect(!LatestStart.isMarked(headers))
    }

    private static func lookUp(
        _ verifier: AppStoreVerifier, startingBy latestStart: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        try await verifier.lookUp(
            id, bundleID: SimulatedStore.bundleID, in: .production, startingBy: latestStart, deadline: .now + .seconds(60))
    }

    private static func isLate(_ call: () async throws(VerificationFailure) -> Void) async -> Bool {
        do {
            try await call()
            return false
        } catch {
            return error.isLate
        }
    }

    /// Calls once, in as many turns as it takes.
    private static func call(_ verifier: AppStoreVerifier, _ limiter: RateLimiter, tookTurn: () -> Void) async {
        let budget = Budget(SimulatedStore.bundleID, .getTransactionInfo, .production)
        while true {
            switch await limiter.waitForTurn(of: budget, deadline: .now + .seconds(60)) {
            case .refused(let delay):
                try? await Task.sleep(for: delay)
            case .granted(let latestStart):
                tookTurn()
                do {
                    _ = try await lookUp(verifier, startingBy: latestStart)
                    return
                } catch {
                    guard error.isLate else {
                        Issue.record("\(error.message)")
                        return
                    }
                }
            }
        }
    }

    /// Holds up the thread that it is called on.
    private static func block(until isOver: () -> Bool) {
        while !isOver() { usleep(1000) }
    }
}
