// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Many sleepers on one timer of the system.
///
/// Meant for sleeps that are many and short: `Task.sleep` sets a timer of the system for each and takes it down again, which
/// costs more than a call's own work.
package final class AlarmClock: Sendable {
    private struct Alarm {
        let instant: ContinuousClock.Instant
        let number: UInt64
    }

    private struct State {
        /// Whom an alarm wakes, by its number. The sleeper of an alarm without one was cancelled.
        var sleepers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// By time; those of equal time in the order of arrival.
        var alarms: [Alarm] = []
        var lastNumber: UInt64 = 0

        mutating func insert(_ alarm: Alarm) {
            // Nearly always the last.
            var place = alarms.count
            while place > 0, alarms[place - 1].instant > alarm.instant { place -= 1 }
            alarms.insert(alarm, at: place)
        }

        /// Alarms of cancelled sleepers go when they are most of all.
        mutating func tidy() {
            guard alarms.count > 64, alarms.count > 2 * sleepers.count else { return }
            alarms.removeAll { sleepers[$0.number] == nil }
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
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                set(Alarm(instant: instant, number: number), waking: continuation)
                // The handler below may have run before there was anybody to wake.
                if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    /// Those who sleep, for tests.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    private func set(_ alarm: Alarm, waking sleeper: CheckedContinuation<Void, Never>) {
        state.withLock { state in
            state.sleepers[alarm.number] = sleeper
            state.insert(alarm)
            // With the lock held, or the timer could be left at the later of two alarms that are set at once.
            timer.schedule(at: state.alarms[0].instant)
        }
    }

    /// Whoever takes a sleeper is the only one to wake it.
    private func wake(_ number: UInt64) {
        let sleeper = state.withLock { state in
            defer { state.tidy() }
            return state.sleepers.removeValue(forKey: number)
        }
        sleeper?.resume()
    }

    private func ring() {
        let due = state.withLock { state in
            let now = ContinuousClock.now
            let count = state.alarms.firstIndex { $0.instant > now } ?? state.alarms.count
            let due = state.alarms[..<count].compactMap { state.sleepers.removeValue(forKey: $0.number) }
            state.alarms.removeFirst(count)
            // The timer must not be set for alarms that wake nobody, or it would ring for each.
            let idle = state.alarms.firstIndex { state.sleepers[$0.number] != nil } ?? state.alarms.count
            state.alarms.removeFirst(idle)
            if let next = state.alarms.first {
                timer.schedule(at: next.instant)
            }
            return due
        }
        for sleeper in due {
            sleeper.resume()
        }
    }
}
