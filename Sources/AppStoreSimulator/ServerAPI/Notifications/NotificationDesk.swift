// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Signs notifications, adds them to the history, and sends them.
struct NotificationDesk: Sendable {
    let book: ServerAPIBook
    let notifications: NotificationBook
    let post: NotificationPost
    let authority: SimulatedCertificateAuthority

    /// Adds a notification to the history without sending it.
    ///
    /// - Returns: the signed payload.
    func add(_ notification: SimulatedNotification) throws -> String {
        try record(notification, isSent: false).signedPayload
    }

    /// Sends a notification to its app's address, if that is on the loopback, and adds it to the history. Of an app without an
    /// address there is no history.
    ///
    /// - Returns: the signed payload; nil if the app has no address.
    func send(_ notification: SimulatedNotification) throws -> String? {
        guard let url = book.app(bundleID: notification.bundleID).notificationURL else { return nil }
        let isSent = NotificationPost.reaches(url)
        let record = try record(notification, isSent: isSent)
        if isSent { post.send(record, to: url) }
        return record.signedPayload
    }

    /// Sends a test to an app's address.
    ///
    /// - Returns: Apple's token for it.
    func sendTest(to url: String, in scope: ServerAPIBook.Scope, at now: Date) throws -> String {
        let test = SimulatedNotification(testFor: scope, date: now, results: notifications.testResults)
        let isSent = NotificationPost.reaches(url)
        let (token, record) = notifications.addTest(test, signedPayload: try sign(test), isSent: isSent)
        if isSent { post.send(record, to: url) }
        return token
    }

    private func record(_ notification: SimulatedNotification, isSent: Bool) throws -> NotificationBook.Record {
        let completed = completed(notification)
        return notifications.add(completed, signedPayload: try sign(completed), isSent: isSent)
    }

    private func sign(_ notification: SimulatedNotification) throws -> String {
        let appleID = book.app(bundleID: notification.bundleID).appleID
        return try notification.signedPayload(by: authority, appleID: appleID)
    }

    /// With the renewal info and the status that Apple gives with each transaction of a subscription. One that says them itself
    /// stays.
    private func completed(_ notification: SimulatedNotification) -> SimulatedNotification {
        guard notification.renewalInfo == nil, let transaction = notification.transaction, transaction.type == .autoRenewable
        else { return notification }
        let scope = ServerAPIBook.Scope(bundleID: notification.bundleID, environment: notification.environment)
        let newest = notification.date.addingTimeInterval(SimulatedSubscription.longestLead)
        let others = book.transactions(originalID: transaction.originalTransactionId, in: scope)
            .filter { $0.transactionId != transaction.transactionId && $0.purchaseDate <= newest }
        guard let life = SimulatedSubscription(of: others + [transaction], at: notification.date) else { return notification }
        var completed = notification
        completed.renewalInfo = life.renewalInfo(at: notification.date)
        completed.status = notification.status ?? life.status(at: notification.date)
        return completed
    }
}
