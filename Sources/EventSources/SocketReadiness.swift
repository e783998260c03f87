// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Tells when a socket can be read or written, on the queue of an executor.
///
/// It watches a duplicate of the descriptor and owns only that: the owner of the socket may close it at any time, also
/// behind our back as libpq does when the peer hangs up, while libdispatch stops the process for a descriptor that is
/// closed under a live source. The duplicate is closed after the last source has been cancelled. A socket that was
/// replaced by another (libpq may do so while it connects) needs a new `SocketReadiness`.
package final class SocketReadiness: Sendable {
    private struct State {
        var sources: [Int: Source] = [:]
        var nextKey = 0
        var isCancelled = false
    }

    /// libdispatch's objects may be used from any thread; its Swift overlay just doesn't say so of the protocol.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceProtocol
    }

    /// How often a handler may run before other work of the queue has its turn.
    private static let turnsAtOnce = 16

    private let descriptor: Int32
    let executor: SerialQueueExecutor
    private let live = DispatchGroup()
    private let state = Mutex(State())

    /// - Throws: when the descriptor is not open, or the process has no descriptor left.
    package init(descriptor: Int32, executor: SerialQueueExecutor) throws(SystemCallError) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else {
            throw SystemCallError(call: "fcntl(F_DUPFD_CLOEXEC)")
        }
        self.descriptor = duplicate
        self.executor = executor
    }

    deinit {
        cancel()
    }

    /// Calls `handler` on the executor's queue whenever there is something to read, an end of stream included, until
    /// ``cancel(then:)``. What is left unread calls it again; at the end of the stream it must cancel.
    package func whenReadable(_ handler: @escaping @Sendable () -> Void) {
        add(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: executor.queue), once: false) {
            [weak self] in
            handler()
            var turns = 1
            while let state = self?.pollNow(), state.isHungUp || (state.isReadable && turns < Self.turnsAtOnce) {
                handler()
                turns += 1
            }
        }
    }

    /// Calls `handler` once, on the executor's queue, when there is something to read.
    package func onceReadable(_ handler: @escaping @Sendable () -> Void) {
        add(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: executor.queue), once: true, handler)
    }

    /// Calls `handler` once, on the executor's queue, when the socket takes data (or has an error to tell).
    package func onceWritable(_ handler: @escaping @Sendable () -> Void) {
        add(DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: executor.queue), once: true, handler)
    }

    /// Stops watching, then closes the duplicate, then calls `handler` on the executor's queue.
    ///
    /// Called on that queue, no other handler runs afterwards. A second call does nothing.
    package func cancel(then handler: (@Sendable () -> Void)? = nil) {
        let sources: [Source]? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            defer { state.sources = [:] }
            return Array(state.sources.values)
        }
        guard let sources else { return }
        for source in sources {
            source.source.cancel()
        }
        let descriptor = descriptor
        live.notify(queue: executor.queue) {
            close(descriptor)
            handler?()
        }
    }

    /// What the socket has to say at this moment; nil after ``cancel(then:)``.
    ///
    /// To ask is cheaper than another round through the event loop when more has come meanwhile. And once both
    /// directions are shut, as when the peer of a Unix socket is gone, it is necessary: libdispatch on Linux reports
    /// that a single time and then forgets the descriptor, though data and the end may still have to be read.
    private func pollNow() -> (isReadable: Bool, isHungUp: Bool)? {
        state.withLock { state in
            guard !state.isCancelled else { return nil }
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 0) == 1 else { return (false, false) }
            return (event.revents & Int16(POLLIN) != 0, event.revents & Int16(POLLHUP | POLLERR) != 0)
        }
    }

    private func add(_ source: any DispatchSourceProtocol, once: Bool, _ handler: @escaping @Sendable () -> Void) {
        let source = Source(source: source)
        let live = live
        let key: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            live.enter()
            state.nextKey += 1
            state.sources[state.nextKey] = source
            return state.nextKey
        }
        guard let key else {
            // A source must not be released before it was activated.
            source.source.activate()
            source.source.cancel()
            return
        }
        if once {
            source.source.setEventHandler { [weak self] in
                source.source.cancel()
                self?.forget(key)
                handler()
            }
        } else {
            source.source.setEventHandler(handler: handler)
        }
        source.source.setCancelHandler {
            live.leave()
        }
        source.source.activate()
    }

    private func forget(_ key: Int) {
        state.withLock { state in
            _ = state.sources.removeValue(forKey: key)
        }
    }
}
