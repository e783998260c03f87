// SPDX-License-Identifier: Apache-2.0

/// When each of many waiting requests is worth a look: the next to be looked up first. It decides, and reads no clock.
///
/// | Look | After |
/// |---|---|
/// | 1 to 6 | 50, 150, 400 ms, 1, 2, 5 s |
/// | further | 5 s |
///
/// Nothing of an order can change before its next attempt, except what the feed tells (``wake(order:now:)``); but a look is
/// never put off past the request's deadline, which is the last one.
///
/// A statement for one order costs nearly half of a statement for a hundred. So a look goes along with one that is due if it is
/// due itself within a twentieth of its delay.
package struct WaitHeap: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Waiter: Sendable {
        package let order: String
        package let account: String
        package let deadline: Instant

        package init(order: String, account: String, deadline: Instant) {
            self.order = order
            self.account = account
            self.deadline = deadline
        }
    }

    package struct Look: Sendable, Equatable {
        package let id: Int
        package let order: String
        package let account: String
        /// The request's time is over: it is answered whatever is found.
        package let isLast: Bool
    }

    private struct Entry {
        let waiter: Waiter
        var looks = 0
        /// How much earlier it may be looked up.
        var slack = Duration.zero
        /// Nil while it is being looked up.
        var due: Instant?
        /// The feed told of its order while it was being looked up.
        var isWoken = false
    }

    private static let delays: [Duration] = [
        .milliseconds(50), .milliseconds(150), .milliseconds(400), .seconds(1), .seconds(2), .seconds(5),
    ]

    /// The delay before the next look.
    ///
    /// - Parameter looks: how many looks were made already. Past the end of the table the last delay holds.
    static func delay(afterLooks looks: Int) -> Duration { delays[min(looks, delays.count - 1)] }

    private var entries: [Int: Entry] = [:]
    private var byOrder: [String: Set<Int>] = [:]
    /// A binary heap; an entry that has another time since is passed over.
    private var heap: [(due: Instant, id: Int)] = []

    package init() {}

    package var count: Int { entries.count }

    /// When there is something to look up; nil while nothing is.
    package var nextDue: Instant? { heap.first?.due }

    package mutating func add(_ waiter: Waiter, id: Int, now: Instant) {
        entries[id] = Entry(waiter: waiter)
        byOrder[waiter.order, default: []].insert(id)
        schedule(id, at: now + Self.delay(afterLooks: 0))
    }

    /// False for one that isn't there any more.
    @discardableResult
    package mutating func remove(_ id: Int) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        byOrder[entry.waiter.order]?.remove(id)
        if byOrder[entry.waiter.order]?.isEmpty == true { byOrder[entry.waiter.order] = nil }
        // What was removed leaves a mark in the heap until it is due; too many of them, and the heap is made anew.
        if heap.count > 64, heap.count > 4 * entries.count {
            heap = []
            for (id, entry) in entries { if let due = entry.due { push(due, id) } }
        }
        return true
    }

    /// The feed told of the order: it is due now.
    package mutating func wake(order: String, now: Instant) {
        for id in byOrder[order] ?? [] {
            if entries[id]?.due == nil { entries[id]?.isWoken = true } else { schedule(id, at: now) }
        }
    }

    /// All are due now, and for the last time.
    package mutating func wakeAll(now: Instant) {
        for (id, entry) in entries {
            entries[id] = Entry(
                waiter: Waiter(order: entry.waiter.order, account: entry.waiter.account, deadline: now), looks: entry.looks,
                due: entry.due, isWoken: true)
            if entry.due != nil { schedule(id, at: now) }
        }
    }

    /// Takes those that are due, the longest due first, and with them those that may go along. Each comes back by
    /// ``looked(_:nextAttempt:now:)`` or ``remove(_:)``.
    package mutating func due(_ now: Instant, atMost most: Int) -> [Look] {
        var looks: [Look] = []
        while looks.count < most, let first = heap.first {
            guard let entry = entries[first.id], entry.due == first.due else {
                pop()
                continue
            }
            guard first.due <= now || !looks.isEmpty && first.due - entry.slack <= now else { break }
            pop()
            entries[first.id]?.due = nil
            looks.append(
                Look(
                    id: first.id, order: entry.waiter.order, account: entry.waiter.account,
                    isLast: entry.waiter.deadline - entry.slack <= now))
        }
        return looks
    }

    /// Was looked up, and goes on waiting.
    ///
    /// - Parameter nextAttempt: how long nothing can change.
    package mutating func looked(_ id: Int, nextAttempt: Duration?, now: Instant) {
        guard var entry = entries[id] else { return }
        entry.looks += 1
        let delay = Self.delay(afterLooks: entry.looks)
        entry.slack = delay / 20
        let wait = max(delay, nextAttempt.map { $0 + entry.slack } ?? .zero)
        let due = entry.isWoken ? now : min(now + wait, entry.waiter.deadline)
        entry.isWoken = false
        entries[id] = entry
        schedule(id, at: due)
    }

    private mutating func schedule(_ id: Int, at due: Instant) {
        guard entries[id] != nil else { return }
        entries[id]?.due = due
        push(due, id)
    }

    // MARK: The heap

    private mutating func push(_ due: Instant, _ id: Int) {
        heap.append((due, id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].due < heap[least].due {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
