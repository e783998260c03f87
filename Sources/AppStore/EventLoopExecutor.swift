// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Runs tasks on an event loop of the process, so that what they wait for there costs no change of threads.
///
/// For tasks that hardly compute: while one does, the loop's connections wait.
final class EventLoopExecutor: TaskExecutor {
    static let all = MultiThreadedEventLoopGroup.singleton.makeIterator().map { EventLoopExecutor($0) }

    private let eventLoop: any EventLoop

    private init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
