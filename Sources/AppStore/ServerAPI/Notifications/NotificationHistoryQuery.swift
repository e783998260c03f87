// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Which of an app's notifications a history shows.
package struct NotificationHistoryQuery: Hashable, Sendable {
    /// Apple takes one of these at a time.
    package enum Filter: Hashable, Sendable {
        case all
        /// By Apple's names.
        case type(String, subtype: String?)
        case transaction(TransactionID)
    }

    /// How far back Apple remembers notifications.
    package static let reach: Duration = .seconds(180 * 24 * 3600)

    /// Earlier moments are taken for the earliest that Apple allows.
    package var startDate: Date
    package var endDate: Date
    package var filter = Filter.all

    /// Only what hasn't reached us: given up, or still being tried.
    package var onlyFailures = false

    package init(from startDate: Date, until endDate: Date) {
        self.startDate = startDate
        self.endDate = endDate
    }

    /// The request's body at a moment; nil when no time is left between the earliest moment allowed and the end.
    func body(now: Date) -> NotificationHistoryBody? {
        // A minute less, for clocks that differ and for the time that the call takes.
        let earliest = now.addingTimeInterval(60 - Double(Self.reach.components.seconds))
        let start = AppleTime.milliseconds(of: max(startDate, earliest), .down)
        let end = AppleTime.milliseconds(of: endDate, .up)
        guard start < end else { return nil }
        var body = NotificationHistoryBody(startDate: start, endDate: end)
        switch filter {
        case .all: break
        case .type(let type, let subtype):
            body.notificationType = type
            body.notificationSubtype = subtype
        case .transaction(let id): body.transactionId = id.rawValue
        }
        if onlyFailures { body.onlyFailures = true }
        return body
    }
}

/// The body of Get Notification History, under Apple's names; the same at each page.
struct NotificationHistoryBody: Encodable, Hashable {
    /// Whole milliseconds, as of all dates here: a fraction is refused.
    var startDate: Int64
    var endDate: Int64
    var notificationType: String?
    var notificationSubtype: String?
    var onlyFailures: Bool?
    var transactionId: String?
}
