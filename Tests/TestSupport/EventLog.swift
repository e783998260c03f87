// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization

/// The events so far; a test waits for the one that it needs.
package final class EventLog<Event: Sendable>: Sendable {
    fileprivate struct Waiter {
        let start: Int
        let count: Int
        let matches: @Sendable (Event) -> Bool
        let continuation: CheckedContinuation<Event?, Never>
    }

    private struct State {
        var events: [Event] = []
        var hasEnded = false
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var all: [Event] { state.withLock { $0.events } }

    /// How many there are: where a wait for later ones begins.
    package var count: Int { state.withLock { $0.events.count } }

    /// - Returns: how many there are now.
    @discardableResult
    package func append(_ event: Event) -> Int {
        let (count, answered) = state.withLock { state in
            state.events.append(event)
            var answered: [(Waiter, Event)] = []
            for (id, waiter) in state.waiters where waiter.matches(event) {
                guard let found = state.events.event(for: waiter) else { continue }
                state.waiters[id] = nil
                answered.append((waiter, found))
            }
            return (state.events.count, answered)
        }
        for (waiter, event) in answered { waiter.continuation.resume(returning: event) }
        return count
    }

    /// No event comes any more.
    package func end() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Waits for the event that is the `count`th to match.
    ///
    /// - Parameter start: earlier events don't count.
    /// - Returns: nil when the log ended before, or the task was cancelled.
    package func next(
        _ count: Int = 1, from start: Int = 0, where matches: @escaping @Sendable (Event) -> Bool
    ) async -> Event? {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(start: start, count: count, matches: matches, continuation: continuation)
                let answer: Event?? = state.withLock { state in
                    if let found = state.events.event(for: waiter) { return .some(found) }
                    if state.hasEnded || Task.isCancelled { return .some(nil) }
                    state.waiters[id] = waiter
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: nil)
        }
    }

    /// Waits for the event that is the `count`th to match, and fails when it is late.
    ///
    /// - Parameters:
    ///   - what: is told when it doesn't come.
    ///   - start: earlier events don't count.
    package func wait(
        for what: String, count: Int = 1, from start: Int = 0, within limit: Duration = .seconds(60),
        where matches: @escaping @Sendable (Event) -> Bool
    ) async throws {
        let event = try await before(.now + limit, waitingFor: what) {
            await self.next(count, from: start, where: matches)
        }
        if event == nil { throw WaitingTooLong(condition: what) }
    }
}

extension Array where Element: Sendable {
    fileprivate func event(for waiter: EventLog<Element>.Waiter) -> Element? {
        var left = waiter.count
        for event in dropFirst(waiter.start) where waiter.matches(event) {
            left -= 1
            if left == 0 { return event }
        }
        return nil
    }
}
