// SPDX-License-Identifier: Apache-2.0

/// Signals that nobody has taken yet: the newest ones, and whether older ones had to go.
struct SignalBuffer {
    /// What the next taker gets.
    enum Element: Sendable, Equatable {
        case signal(PostgresSignal)
        /// Some were dropped at this point, since they were not taken in time.
        case overflow
    }

    let capacity: Int
    private var signals: [PostgresSignal] = []
    private var hasOverflown = false

    init(capacity: Int = 1000) {
        self.capacity = capacity
    }

    /// Adds one; a full buffer is emptied first, for signals are hints and one hint for all of them is enough.
    mutating func append(_ signal: PostgresSignal) {
        if signals.count == capacity {
            signals = []
            hasOverflown = true
        }
        signals.append(signal)
    }

    /// Returns one that nobody wanted after all to the front.
    mutating func putBack(_ element: Element) {
        switch element {
        case .signal(let signal): signals.insert(signal, at: 0)
        case .overflow: hasOverflown = true
        }
    }

    mutating func next() -> Element? {
        if hasOverflown {
            hasOverflown = false
            return .overflow
        }
        return signals.isEmpty ? nil : .signal(signals.removeFirst())
    }
}

/// A message that `notify` sent, at a connection that listens to its channel. PostgreSQL calls it a notification, as Apple does its
/// own.
package struct PostgresSignal: Sendable, Hashable {
    package let channel: String
    /// Empty when the sender gave none.
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
