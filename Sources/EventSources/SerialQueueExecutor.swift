// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs the jobs of an actor on a private serial queue, so that event handlers of the same queue may enter the actor.
///
/// Handlers of ``SocketReadiness`` and ``DeadlineTimer`` made with this executor run on that queue and may call
/// `assumeIsolated` on any actor whose executor it is, without a hop. Work runs one piece at a time, in the order of
/// arrival. Nothing that blocks belongs here; see ``BlockingQueue``.
///
/// A task that prefers it (`withTaskExecutorPreference`) enters such an actor without a hop, and goes on there when the actor
/// answers it. Without that preference a continuation is resumed on the general executor first, two changes of threads more.
package final class SerialQueueExecutor: SerialExecutor, TaskExecutor {
    let queue: DispatchQueue

    /// - Parameter label: shown by debuggers; reverse DNS by convention.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `work` on the queue after what is already there.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let unownedJob = UnownedJob(job)
        queue.async {
            unownedJob.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
