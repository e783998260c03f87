// SPDX-License-Identifier: Apache-2.0

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
