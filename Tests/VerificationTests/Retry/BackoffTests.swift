// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct BackoffTests {
    private static let attempts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1_000, Int.max]
    private static let ceilings = [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]

    @Test(arguments: zip(attempts, ceilings))
    func ceilingDoublesUpToTheCap(_ attempt: Int, _ seconds: Int) {
        #expect(Backoff().ceiling(afterAttempt: attempt) == .seconds(seconds))
    }

    @Test(arguments: [0, -1, Int.min])
    func attemptBeforeTheFirstCountsAsTheFirst(_ attempt: Int) {
        #expect(Backoff().ceiling(afterAttempt: attempt) == .seconds(2))
    }

    @Test func capBelowTheBaseHolds() {
        #expect(Backoff(base: .seconds(9), cap: .seconds(3)).ceiling(afterAttempt: 1) == .seconds(3))
    }

    @Test func baseOfZeroEndsAtOnce() {
        #expect(Backoff(base: .zero, cap: .seconds(3)).ceiling(afterAttempt: Int.max) == .zero)
    }

    @Test(arguments: 1...12)
    func delayLiesBetweenZeroAndTheCeiling(_ attempt: Int) {
        let backoff = Backoff()
        var generator = SeededGenerator(seed: UInt64(attempt))

        let delays = (0..<1_000).map { _ in backoff.delay(afterAttempt: attempt, using: &generator) }

        let ceiling = backoff.ceiling(afterAttempt: attempt)
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= ceiling })
        #expect(delays.contains { $0 < ceiling / 10 })
        #expect(delays.contains { $0 > ceiling / 10 * 9 })
        let mean = delays.reduce(.zero, +) / 1_000
        #expect(mean > ceiling / 100 * 45 && mean < ceiling / 100 * 55)
    }

    @Test func sameSeedGivesTheSameDelay() {
        var first = SeededGenerator(seed: 7)
        var second = SeededGenerator(seed: 7)

        #expect(Backoff().delay(afterAttempt: 5, using: &first) == Backoff().delay(afterAttempt: 5, using: &second))
    }
}
