// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The newest texts of one subscription, as Apple answered them and unverified.
package struct AnsweredSubscription: Sendable, Decodable {
    /// Apple's number: 1 active, 2 expired, 3 in billing retry, 4 in grace, 5 revoked. It isn't signed.
    package let status: Int?
    package let signedTransactionInfo: String?
    package let signedRenewalInfo: String?
}

extension AppStoreServerClient {
    private struct Statuses: Decodable {
        struct Group: Decodable {
            let lastTransactions: [AnsweredSubscription]?
        }

        let bundleId: String?
        let environment: String?
        let data: [Group]?
    }

    /// Get All Subscription Statuses: the newest transaction and renewal info of each subscription of the customer who made a
    /// transaction.
    ///
    /// An id that can't be one of Apple's is refused without a call.
    ///
    /// - Parameter latestStart: the end of the call's turn; see ``HTTPRequest/latestStart``.
    package func subscriptionStatuses(
        of id: TransactionID, about bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<[AnsweredSubscription]> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let request = ServerAPIRequest("Get All Subscription Statuses", .get, "/inApps/v1/subscriptions/" + segment.text)
        return try await call(request, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline) {
            (response) async throws(VerificationFailure) in
            let found = try request.json(Statuses.self, in: response)
            guard found.bundleId ?? bundleID.rawValue == bundleID.rawValue,
                found.environment.map({ AppStoreEnvironment(appleName: $0) == environment }) ?? true
            else { throw .unknownAnswer("\(request.name) answered about another app or environment than was asked about") }
            return (found.data ?? []).flatMap { $0.lastTransactions ?? [] }
        }
    }
}
