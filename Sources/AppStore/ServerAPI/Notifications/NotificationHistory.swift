// SPDX-License-Identifier: Apache-2.0

/// What was sent to us, as of the moments of sending.
package final class NotificationHistory: Sendable {
    /// One may come again under the same `notificationUUID`: whoever reads the payloads tells them apart.
    package let notifications: [SentNotification]

    /// Where it was left; good for the same query only, and not for long.
    package let paginationToken: String?

    /// False when the allowed number of pages was not enough.
    package let isComplete: Bool

    init(_ notifications: [SentNotification], paginationToken: String?, isComplete: Bool) {
        self.notifications = notifications
        self.paginationToken = paginationToken
        self.isComplete = isComplete
    }
}
