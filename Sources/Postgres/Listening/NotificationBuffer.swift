// SPDX-License-Identifier: Apache-2.0

/// Notifications that nobody has taken yet: the newest ones, and whether older ones had to go.
struct NotificationBuffer {
    /// What the next taker gets.
    enum Element: Sendable, Equatable {
        case notification(PostgresNotification)
        /// Some were dropped at this point, since they were not taken in time.
        case overflow
    }

    let capacity: Int
    private var notifications: [PostgresNotification] = []
    private var hasOverflown = false

    init(capacity: Int = 1000) {
        self.capacity = capacity
    }

    /// Adds one; a full buffer is emptied first, for notifications are hints and one hint for all of them is enough.
    mutating func append(_ notification: PostgresNotification) {
        if notifications.count == capacity {
            notifications = []
            hasOverflown = true
        }
        notifications.append(notification)
    }

    /// Returns one that nobody wanted after all to the front.
    mutating func putBack(_ element: Element) {
        switch element {
        case .notification(let notification): notifications.insert(notification, at: 0)
        case .overflow: hasOverflown = true
        }
    }

    mutating func next() -> Element? {
        if hasOverflown {
            hasOverflown = false
            return .overflow
        }
        return notifications.isEmpty ? nil : .notification(notifications.removeFirst())
    }
}

/// A `notify` that reached a connection which listens to its channel.
package struct PostgresNotification: Sendable, Hashable {
    package let channel: String
    /// Empty when the sender gave none.
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
