// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A notification as Apple sent it to us, or tried to.
package final class SentNotification: Decodable, Sendable {
    /// One try to hand it over.
    package struct Attempt: Decodable, Hashable, Sendable {
        package let date: Date

        /// In Apple's words: `SUCCESS`, `TIMED_OUT`, `TLS_ISSUE` and others, and whatever Apple adds.
        package let result: String

        package var isSuccess: Bool { result == "SUCCESS" }

        private enum CodingKeys: String, CodingKey {
            case attemptDate, sendAttemptResult
        }

        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            date = try fields.decode(AppleTime.self, forKey: .attemptDate).date
            result = try fields.decode(String.self, forKey: .sendAttemptResult)
        }
    }

    /// The text that was sent, signed by Apple and **not verified here**: only a reader of notifications may read it.
    package let unverifiedPayload: String

    package let attempts: [Attempt]

    private enum CodingKeys: String, CodingKey {
        case signedPayload, sendAttempts
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        unverifiedPayload = try fields.decode(String.self, forKey: .signedPayload)
        attempts = try fields.decodeIfPresent([Attempt].self, forKey: .sendAttempts) ?? []
    }
}

/// Apple's name for a test notification that was asked for; good for six months.
package struct TestNotificationToken: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The notifications that Apple sent to us, as of the moments of sending.
package final class NotificationHistory: Sendable {
    /// One may come again under the same `notificationUUID`: only readers of the payloads can see that.
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
