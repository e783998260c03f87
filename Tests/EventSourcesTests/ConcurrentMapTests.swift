// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import EventSources

@Suite struct ConcurrentMapTests {
    private struct Fault: Error, Equatable {}

    @Test(arguments: [0, 1, 2, 3, 20])
    func resultsComeInTheOrderOfTheElements(count: Int) async {
        let running = Mutex((now: 0, most: 0))

        let results = await (0..<count).concurrentMap(atMost: 3) { element in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            // The later ones end first.
            try? await Task.sleep(for: .milliseconds(2 * (count - element)))
            running.withLock { $0.now -= 1 }
            return element * 10
        }

        #expect(results == (0..<count).map { $0 * 10 })
        #expect(running.withLock(\.most) == min(count, 3))
    }

    @Test func theFirstErrorIsThrownAndEndsTheOthers() async {
        let started = Mutex(0)
        let cancelled = Mutex(0)

        await #expect(throws: Fault()) {
            try await (0..<9).concurrentMap(atMost: 3) { element in
                started.withLock { $0 += 1 }
                guard element == 0 else {
                    do {
                        try await Task.sleep(for: .seconds(60))
                    } catch {
                        cancelled.withLock { $0 += 1 }
                        throw error
                    }
                    return
                }
                while started.withLock(\.self) < 3 { await Task.yield() }
                throw Fault()
            }
        }

        #expect(started.withLock(\.self) == 3)
        #expect(cancelled.withLock(\.self) == 2)
    }
}
