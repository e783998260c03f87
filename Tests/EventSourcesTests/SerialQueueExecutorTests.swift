// SPDX-License-Identifier: Apache-2.0

import EventSources
import Testing

@Suite struct SerialQueueExecutorTests {
    private actor Counter {
        private let executor: SerialQueueExecutor
        private(set) var entries: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(executor: SerialQueueExecutor) {
            self.executor = executor
        }

        func add(_ entry: Int) {
            entries.append(entry)
        }
    }

    @Test func workOfTheQueueMayEnterTheActorInOrder() async {
        let executor = SerialQueueExecutor(label: "test")
        let counter = Counter(executor: executor)

        for entry in 1...100 {
            executor.perform {
                counter.assumeIsolated { $0.add(entry) }
            }
        }

        // The actor's own jobs queue up behind.
        #expect(await counter.entries == Array(1...100))
    }

    @Test func concurrentCallsLoseNothing() async {
        let counter = Counter(executor: SerialQueueExecutor(label: "test"))

        await withTaskGroup(of: Void.self) { group in
            for entry in 1...500 {
                group.addTask { await counter.add(entry) }
            }
        }

        #expect(await counter.entries.sorted() == Array(1...500))
    }
}
