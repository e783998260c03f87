// SPDX-License-Identifier: Apache-2.0

package import Verification

extension AppStoreServerClient {
    private struct Page: Decodable {
        let notificationHistory: [SentNotification]
        let hasMore: Bool
        let paginationToken: String?
    }

    private struct TestRequest: Decodable {
        let testNotificationToken: String
    }

    /// Get Notification History: what Apple sent, or tried to send, to the app's address for notifications.
    ///
    /// A query that lies wholly before the earliest moment that Apple remembers has an empty answer, without a call.
    ///
    /// - Parameters:
    ///   - paginationToken: where an earlier history with the same query was left; nil for the beginning. One that Apple
    ///     doesn't take any more is given up for the beginning.
    ///   - deadline: for all pages together.
    package func notificationHistory(
        matching query: NotificationHistoryQuery, from paginationToken: String? = nil, about bundleID: BundleID,
        in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant, maximumPages: Int = maximumPages
    ) async throws(VerificationFailure) -> ServerAPIAnswer<NotificationHistory> {
        if case .transaction(let id) = query.filter, PathSegment(id) == nil { return .refused(.invalidTransactionID) }
        guard let body = query.body(now: now()) else {
            return .answered(NotificationHistory([], paginationToken: nil, isComplete: true))
        }
        let name = "Get Notification History"
        var all: [SentNotification] = []
        return try await readPages(
            HistoryPaging(name, from: paginationToken, maximumPages: maximumPages), as: Page.self, about: bundleID,
            in: environment, deadline: deadline,
            request: { token in
                ServerAPIRequest(
                    name, .post, "/inApps/v1/notifications/history",
                    query: token.map { [("paginationToken", $0)] } ?? [], json: body, isPage: true)
            },
            forget: { all = [] },
            take: { page throws(VerificationFailure) in
                all += page.notificationHistory
                return (page.hasMore, page.paginationToken)
            },
            finish: { NotificationHistory(all, paginationToken: $0, isComplete: $1) })
    }

    /// Request a Test Notification: makes Apple send one to the app's address for notifications.
    ///
    /// - Throws: a failure of kind `configuration`, too, when the app has no such address.
    package func requestTestNotification(
        about bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<TestNotificationToken> {
        let request = ServerAPIRequest("Request a Test Notification", .post, "/inApps/v1/notifications/test")
        return try await call(request, about: bundleID, in: environment, deadline: deadline) {
            (response) throws(VerificationFailure) in
            TestNotificationToken(rawValue: try request.json(TestRequest.self, in: response).testNotificationToken)
        }
    }

    /// Get Test Notification Status: what became of a test notification. Not found right after it was asked for means
    /// that Apple hasn't sent it yet.
    package func testNotificationStatus(
        of token: TestNotificationToken, about bundleID: BundleID, in environment: AppStoreEnvironment,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<SentNotification> {
        guard let segment = PathSegment(token: token.rawValue) else { return .refused(.invalidTestNotificationToken) }
        let request = ServerAPIRequest(
            "Get Test Notification Status", .get, "/inApps/v1/notifications/test/" + segment.text)
        return try await call(request, about: bundleID, in: environment, deadline: deadline) {
            (response) throws(VerificationFailure) in
            try request.json(SentNotification.self, in: response)
        }
    }
}
