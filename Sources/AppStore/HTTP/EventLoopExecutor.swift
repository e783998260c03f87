// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import NIOPosix

/// The event loops that all calls of a verifier go through, one for every two processors.
///
/// With one loop for each processor, calls that one loop would take up one after another wake two threads: 6 µs of a
/// processor a call.
struct CallEventLoops: Sendable {
    let group: any EventLoopGroup

    /// One for each loop.
    let executors: [EventLoopExecutor]

    /// Loops that have to be shut down.
    init() {
        group = MultiThreadedEventLoopGroup(
            numberOfThreads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
        executors = group.makeIterator().map { EventLoopExecutor($0) }
    }

    /// Ends the loops' threads. No task may run on the executors afterwards.
    func shutdown() async throws {
        try await group.shutdownGracefully()
    }
}

/// Runs tasks on an event loop that calls to Apple go through, so that an answer from there costs no change of threads.
///
/// For tasks that hardly compute: while one does, the loop's connections wait.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    fileprivate init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
