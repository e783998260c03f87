// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import NIOPosix

/// Runs tasks on an event loop that calls to Apple go through, so that what they wait for there costs no change of threads.
///
/// For tasks that hardly compute: while one does, the loop's connections wait.
final class EventLoopExecutor: TaskExecutor {
    /// All calls of the process go through these, a loop for every two processors. With one for each, calls that one loop would
    /// take up one after another wake two threads: 6 µs of a processor a call.
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(
        numberOfThreads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))

    static let all = group.makeIterator().map { EventLoopExecutor($0) }

    private let eventLoop: any EventLoop

    private init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
