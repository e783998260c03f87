// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization

/// Wakes those who wait for news, of one order or of any. It carries no news: whoever is woken looks.
package final class Bell: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct State {
        var turn = 0
        /// By what they wait for; nil: anything.
        var sleepers: [String?: [Int: CheckedContinuation<Void, Never>]] = [:]
        var lastID = 0
    }

    private let clock = AlarmClock()
    private let state = Mutex(State())

    package init() {}

    /// Rises with each ring. Taken before a look, it makes up for a ring between the look and the wait.
    package var turn: Int { state.withLock { $0.turn } }

    /// Wakes those who wait for one of these orders, and those who wait for anything.
    package func ring(of orders: Set<String> = []) {
        let woken = state.withLock { state in
            state.turn += 1
            return ([nil] + orders.map(Optional.some)).compactMap { state.sleepers.removeValue(forKey: $0) }
        }
        for sleepers in woken { for sleeper in sleepers.values { sleeper.resume() } }
    }

    /// Wakes everybody.
    package func ringForAll() {
        let woken = state.withLock { state in
            state.turn += 1
            defer { state.sleepers = [:] }
            return state.sleepers
        }
        for sleepers in woken.values { for sleeper in sleepers.values { sleeper.resume() } }
    }

    /// Returns when it rings, or at once if it has rung since `turn`; at `due`; or as soon as the task is cancelled.
    ///
    /// - Parameter order: of which news are waited for; nil: of any.
    package func wait(since turn: Int, of order: String? = nil, until due: Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock] in await clock.sleep(until: due) }
            group.addTask { await self.rung(since: turn, of: order) }
            await group.next()
            group.cancelAll()
        }
    }

    private func rung(since turn: Int, of order: String?) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // The handler below may have run before there was anybody to wake.
                    guard state.turn == turn, !Task.isCancelled else { return true }
                    state.sleepers[order, default: [:]][id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers[order]?.removeValue(forKey: id)
                if state.sleepers[order]?.isEmpty == true { state.sleepers[order] = nil }
                return sleeper
            }
            sleeper?.resume()
        }
    }
}
