// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Runs asynchronous work to its end on the thread that asks for it.
///
/// A fuzzer calls a plain function and watches what that one call does; nothing may go on elsewhere. The readers are
/// asynchronous without ever waiting for anything but the processor, which is what makes this possible.
final class CallerExecutor: TaskExecutor {
    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// What `work` gives.
    ///
    /// - Precondition: `work` waits for nothing outside of itself.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
        let executor = CallerExecutor()
        let result = Box<Value>()
        // A bridge from synchronous code: the task is over before this function is.
        Task(executorPreference: executor) {
            let value = await work()
            result.value.withLock { $0 = value }
        }
        while let job = executor.next() {
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        guard let value = result.value.withLock({ $0 }) else {
            preconditionFailure("a reader waits for something other than the processor")
        }
        return value
    }

    private func next() -> UnownedJob? {
        jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
