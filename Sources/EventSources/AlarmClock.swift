// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Many alarms on one timer of the system.
///
/// Meant for alarms that are many and near, or that hardly ever ring, such as the deadline of a call: `Task.sleep` sets a
/// timer of the system for each and takes it down again, which costs more than the call's own work.
package final class AlarmClock: Sendable {
    /// An alarm that was set.
    package struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Alarm {
        let instant: ContinuousClock.Instant
        let id: ID
    }

    private struct State {
        /// What is called when an alarm rings. An alarm without it was turned off.
        var actions: [ID: @Sendable () -> Void] = [:]
        /// By time; those of equal time in the order of arrival.
        var alarms: [Alarm] = []
        var lastNumber: UInt64 = 0

        mutating func insert(_ alarm: Alarm) {
            // Nearly always the last.
            var place = alarms.count
            while place > 0, alarms[place - 1].instant > alarm.instant { place -= 1 }
            alarms.insert(alarm, at: place)
        }

        /// Alarms that were turned off go when they are most of all.
        mutating func tidy() {
            guard alarms.count > 64, alarms.count > 2 * actions.count else { return }
            alarms.removeAll { actions[$0.id] == nil }
        }
    }

    private let timer: DeadlineTimer
    private let state = Mutex(State())

    package init() {
        timer = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.alarm-clock"))
        timer.setHandler { [weak self] in self?.ring() }
    }

    deinit {
        timer.cancel()
    }

    /// Calls `action` at `instant`, up to a millisecond later; at once when that is over. It must not wait.
    package func set(at instant: ContinuousClock.Instant, action: @escaping @Sendable () -> Void) -> ID {
        let id = makeID()
        set(id, at: instant, action: action)
        return id
    }

    /// Lets an alarm not ring any more. One that has rung, or is ringing, is left alone.
    package func turnOff(_ id: ID) {
        _ = take(id)
    }

    /// Returns at `instant`, up to a millisecond later, or as soon as the task is cancelled.
    package func sleep(until instant: ContinuousClock.Instant) async {
        guard instant > .now, !Task.isCancelled else { return }
        let id = makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                set(id, at: instant) { continuation.resume() }
                // The handler below may have run before there was anything to take.
                if Task.isCancelled { take(id)?() }
            }
        } onCancel: {
            take(id)?()
        }
    }

    /// Alarms that are still to ring, for tests.
    var alarmCount: Int { state.withLock { $0.actions.count } }

    private func makeID() -> ID {
        state.withLock { state in
            state.lastNumber += 1
            return ID(number: state.lastNumber)
        }
    }

    private func set(_ id: ID, at instant: ContinuousClock.Instant, action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.actions[id] = action
            state.insert(Alarm(instant: instant, id: id))
            // With the lock held, or the timer could be left at the later of two alarms that are set at once.
            timer.schedule(at: state.alarms[0].instant)
        }
    }

    /// Whoever takes an action is the only one to call it.
    private func take(_ id: ID) -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state.tidy() }
            return state.actions.removeValue(forKey: id)
        }
    }

    private func ring() {
        let due = state.withLock { state in
            let now = ContinuousClock.now
            let count = state.alarms.firstIndex { $0.instant > now } ?? state.alarms.count
            let due = state.alarms[..<count].compactMap { state.actions.removeValue(forKey: $0.id) }
            state.alarms.removeFirst(count)
            // The timer must not be set for alarms that were turned off, or it would ring for each.
            let off = state.alarms.firstIndex { state.actions[$0.id] != nil } ?? state.alarms.count
            state.alarms.removeFirst(off)
            if let next = state.alarms.first {
                timer.schedule(at: next.instant)
            }
            return due
        }
        for action in due {
            action()
        }
    }
}
