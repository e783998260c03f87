// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets many tasks sleep on one timer of the system.
///
/// Meant for sleeps that are many and short, or that hardly ever last to their end, such as the deadline of a call:
/// `Task.sleep` sets a timer of the system for each and takes it down again, which costs more than the call's own work.
package final class AlarmClock: Sendable {
    private typealias Continuation = CheckedContinuation<Void, Never>

    private struct Alarm {
        let instant: ContinuousClock.Instant
        let id: UInt64
    }

    private struct State {
        /// Who sleeps. An alarm without a sleeper was turned off.
        var sleepers: [UInt64: Continuation] = [:]
        /// By time; those of equal time in the order of arrival.
        var alarms: [Alarm] = []
        var nextID: UInt64 = 1

        mutating func insert(_ alarm: Alarm) {
            // Nearly always the last.
            var place = alarms.count
            while place > 0, alarms[place - 1].instant > alarm.instant { place -= 1 }
            alarms.insert(alarm, at: place)
        }

        /// Alarms that nobody sleeps for go when they are most of all.
        mutating func tidy() {
            guard alarms.count > 64, alarms.count > 2 * sleepers.count else { return }
            alarms.removeAll { sleepers[$0.id] == nil }
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

    /// Returns at `instant`, up to a millisecond later, or as soon as the task is cancelled.
    package func sleep(until instant: ContinuousClock.Instant) async {
        guard instant > .now, !Task.isCancelled else { return }
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let first = state.withLock { state in
                    state.sleepers[id] = continuation
                    state.insert(Alarm(instant: instant, id: id))
                    return state.alarms[0].instant
                }
                timer.schedule(at: first)
                if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    /// Sleepers that are there, for tests.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    private func wake(_ id: UInt64) {
        let sleeper = state.withLock { state in
            defer { state.tidy() }
            return state.sleepers.removeValue(forKey: id)
        }
        sleeper?.resume()
    }

    private func ring() {
        let (due, next) = state.withLock { state in
            let now = ContinuousClock.now
            let count = state.alarms.firstIndex { $0.instant > now } ?? state.alarms.count
            let due = state.alarms[..<count].compactMap { state.sleepers.removeValue(forKey: $0.id) }
            state.alarms.removeFirst(count)
            // The timer must not be set for alarms that were turned off, or it would ring for each.
            let off = state.alarms.firstIndex { state.sleepers[$0.id] != nil } ?? state.alarms.count
            state.alarms.removeFirst(off)
            return (due, state.alarms.first?.instant)
        }
        if let next {
            timer.schedule(at: next)
        }
        for sleeper in due {
            sleeper.resume()
        }
    }
}
