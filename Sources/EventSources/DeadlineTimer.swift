// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A deadline that can be moved or dropped for next to nothing.
///
/// Meant for deadlines that are set for each call and hardly ever pass: moving one to a later time, or dropping it,
/// doesn't touch the system's timer, which then finds at its old time that there is nothing to do, or waits on.
package final class DeadlineTimer: Sendable {
    private struct State {
        var handler: @Sendable () -> Void = {}
        var source: Source?
        /// When the handler is due; nil: never.
        var deadline: ContinuousClock.Instant?
        /// When the system's timer goes off; not after `deadline`. Nil: it is not set.
        var alarm: ContinuousClock.Instant?
        var isCancelled = false
    }

    /// libdispatch's objects may be used from any thread; its Swift overlay just doesn't say so of the protocol.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())

    package init(executor: SerialQueueExecutor) {
        queue = executor.queue
    }

    deinit {
        cancel()
    }

    /// Says what to do at a deadline: `handler` runs on the executor's queue, once for each that was set and reached.
    package func setHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Replaces the deadline; nil drops it.
    ///
    /// Set on the executor's queue, the former deadline's handler does not run afterwards.
    package func schedule(at deadline: ContinuousClock.Instant?) {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.deadline = deadline
            guard let deadline else { return }
            if let alarm = state.alarm, alarm <= deadline { return }
            setAlarm(at: deadline, &state)
        }
    }

    /// Ends the timer; no deadline can be set any more. A second call does nothing.
    package func cancel() {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.isCancelled = true
            state.deadline = nil
            state.handler = {}
            state.source?.source.cancel()
            state.source = nil
        }
    }

    private func setAlarm(at instant: ContinuousClock.Instant, _ state: inout sending State) {
        let source = state.source ?? makeSource()
        let isNew = state.source == nil
        state.source = source
        state.alarm = instant
        let delay = max(.zero, ContinuousClock.now.duration(to: instant))
        source.source.schedule(deadline: .now() + DispatchTimeInterval(delay), leeway: .milliseconds(1))
        if isNew {
            source.source.activate()
        }
    }

    private func makeSource() -> Source {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in
            self?.alarmWentOff()
        }
        return Source(source: source)
    }

    private func alarmWentOff() {
        let handler: (@Sendable () -> Void)? = state.withLock { state in
            state.alarm = nil
            guard !state.isCancelled, let deadline = state.deadline else { return nil }
            guard deadline <= ContinuousClock.now else {
                setAlarm(at: deadline, &state)
                return nil
            }
            state.deadline = nil
            return state.handler
        }
        handler?()
    }
}

extension DispatchTimeInterval {
    /// The same length in nanoseconds, rounded up so that a timer is never early; far more than a process lives is
    /// shortened to a century.
    init(_ duration: Duration) {
        let century: Int64 = 100 * 366 * 86_400
        let (seconds, attoseconds) = duration.components
        let nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
        self = .nanoseconds(Int(min(seconds, century) * 1_000_000_000 + nanoseconds))
    }
}
