// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs jobs one after the other on a queue of its own, and counts them.
final class CountingExecutor: TaskExecutor {
    private struct Counts {
        var begun = 0
        var ended = 0
    }

    private let queue = DispatchQueue(label: "test.calls")
    private let counts = Mutex(Counts())

    /// How many came.
    var begun: Int { counts.withLock { $0.begun } }

    /// How many ran to their end, or until they wait for something.
    var ended: Int { counts.withLock { $0.ended } }

    var isIdle: Bool { counts.withLock { $0.begun == $0.ended } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        counts.withLock { $0.begun += 1 }
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.counts.withLock { $0.ended += 1 }
        }
    }
}
