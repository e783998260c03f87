// SPDX-License-Identifier: Apache-2.0

package import Verification

extension AppStoreServerClient {
    /// Most pages that are read of one history, each of at most 20 entries, when the caller doesn't say otherwise: years
    /// of renewals or of small purchases fit.
    package static let maximumPages = 250

    /// A page of either history.
    private struct Page: Decodable {
        let revision: String?
        let hasMore: Bool
        let signedTransactions: [String]
    }

    /// Get Transaction History (version 2): the transactions of the customer who made the named one, of all types,
    /// finished consumables too.
    ///
    /// - Parameters:
    ///   - id: any transaction of the customer's, or the customer's id in this app.
    ///   - revision: where an earlier history with the same query was left; nil for the beginning. One that Apple
    ///     doesn't take any more is given up for the beginning.
    ///   - latestStart: the end of the first call's turn; see ``HTTPRequest/latestStart``.
    ///   - deadline: for all pages together.
    package func transactionHistory(
        of id: TransactionID, matching query: HistoryQuery = HistoryQuery(), from revision: String? = nil,
        about bundleID: BundleID, in environment: AppStoreEnvironment, startingBy latestStart: ContinuousClock.Instant? = nil,
        deadline: ContinuousClock.Instant, maximumPages: Int = maximumPages
    ) async throws(VerificationFailure) -> ServerAPIAnswer<TransactionHistory> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let name = "Get Transaction History"
        let paging = HistoryPaging(name, from: revision, maximumPages: maximumPages)
        return try await collect(
            paging, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline
        ) { revision in
            ServerAPIRequest(
                name, .get, "/inApps/v2/history/" + segment.text,
                query: (revision.map { [("revision", $0)] } ?? []) + query.items, isPage: true)
        }
    }

    /// Get Refund History (version 2): what was refunded to the customer who made the named transaction, in the order of
    /// the refunds.
    ///
    /// - Parameters: as of ``transactionHistory(of:matching:from:about:in:deadline:maximumPages:)``.
    package func refundHistory(
        of id: TransactionID, from revision: String? = nil, about bundleID: BundleID,
        in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant, maximumPages: Int = maximumPages
    ) async throws(VerificationFailure) -> ServerAPIAnswer<TransactionHistory> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let name = "Get Refund History"
        let paging = HistoryPaging(name, from: revision, maximumPages: maximumPages)
        return try await collect(paging, about: bundleID, in: environment, deadline: deadline) { revision in
            ServerAPIRequest(
                name, .get, "/inApps/v2/refund/lookup/" + segment.text,
                query: revision.map { [("revision", $0)] } ?? [], isPage: true)
        }
    }

    private func collect(
        _ paging: HistoryPaging, about bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant,
        request: (String?) -> ServerAPIRequest
    ) async throws(VerificationFailure) -> ServerAPIAnswer<TransactionHistory> {
        var collected = CollectedTransactions()
        return try await readPages(
            paging, as: Page.self, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline, request: request,
            forget: { collected = CollectedTransactions() },
            take: { page throws(VerificationFailure) in
                collected.add(
                    try await verified(page.signedTransactions, in: paging.name, about: bundleID, in: environment))
                return (page.hasMore, page.revision)
            },
            finish: { TransactionHistory(collected.transactions, revision: $0, isComplete: $1) })
    }
}
