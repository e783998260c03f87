// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import VerificationQueue

@Suite struct ChangeHintsTests {
    /// What was settled, and the hints that were sent: when, and how much was settled then.
    private final class Log: Sendable {
        private let state = Mutex((settled: 0, hints: [(settled: Int, at: ContinuousClock.Instant)]()))

        var lastHint: Int? { state.withLock { $0.hints.last?.settled } }
        var times: [ContinuousClock.Instant] { state.withLock { $0.hints.map(\.at) } }

        func settle() { state.withLock { $0.settled += 1 } }
        func hint() { state.withLock { $0.hints.append(($0.settled, .now)) } }
    }

    @Test(.timeLimit(.minutes(1)))
    func manySettlementsAreFewHintsAndTheLastIsHeard() async throws {
        let hints = ChangeHints()
        let log = Log()

        await withTaskGroup(of: Void.self) { group in
            group.addTask { await hints.send { log.hint() } }
            for _ in 0..<200 {
                log.settle()
                hints.settled()
                try? await Task.sleep(for: .milliseconds(1))
            }
            while log.lastHint != 200 { try? await Task.sleep(for: .milliseconds(5)) }
            group.cancelAll()
        }

        for (one, next) in zip(log.times, log.times.dropFirst()) {
            #expect(one.duration(to: next) >= ChangeHints.pause)
        }
    }
}
