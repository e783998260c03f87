// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Threads for calls that block and have no other form, away from the queues that must not wait.
///
/// Such as `getaddrinfo` and `PQcancel`. A call cannot be stopped once it runs; a caller can only stop waiting for it.
/// Calls don't wait for each other.
package struct BlockingQueue: Sendable {
    private let label: String

    package init(label: String) {
        self.label = label
    }

    /// Starts `call` and returns at once.
    package func perform(_ call: @escaping @Sendable () -> Void) {
        // A serial queue for each call: these get a thread of their own at once. A concurrent queue takes its threads
        // from the few, one for each core, that also run Swift's tasks, and libdispatch looks only once a second
        // whether they are blocked; two calls at a time would stop the whole process for that long.
        DispatchQueue(label: label).async(execute: call)
    }

    /// Waits for `call`, but not past `deadline` and not after the task was cancelled.
    ///
    /// - Returns: what `call` returned, or nil when it took too long; it then goes on, and its result is dropped.
    package func run<Success: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ call: @escaping @Sendable () -> Success
    ) async -> Success? {
        let race = ContinuationRace<Success?>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.install(continuation)
                perform {
                    race.finish(with: call())
                }
                let delay = max(.zero, ContinuousClock.now.duration(to: deadline))
                DispatchQueue(label: label).asyncAfter(deadline: .now() + DispatchTimeInterval(delay)) {
                    race.finish(with: nil)
                }
            }
        } onCancel: {
            race.finish(with: nil)
        }
    }
}
