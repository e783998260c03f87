// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import VerificationQueue

@Suite struct ChangeHintsTests {
    @Test(.timeLimit(.minutes(1)))
    func manySettlementsAreFewHintsAndTheLastIsHeard() async throws {
        let hints = ChangeHints()
        let settled = Mutex(0)
        let heard = Mutex<[(count: Int, at: ContinuousClock.Instant)]>([])

        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await hints.send { heard.withLock { $0.append((settled.withLock { $0 }, .now)) } }
            }
            for _ in 0..<200 {
                settled.withLock { $0 += 1 }
                hints.settled()
                try? await Task.sleep(for: .milliseconds(1))
            }
            while heard.withLock({ $0.last?.count }) != 200 { try? await Task.sleep(for: .milliseconds(5)) }
            group.cancelAll()
        }

        let times = heard.withLock { $0.map(\.at) }
        for (one, next) in zip(times, times.dropFirst()) {
            #expect(one.duration(to: next) >= ChangeHints.pause)
        }
    }
}
