// SPDX-License-Identifier: Apache-2.0

package import Verification

extension AppStoreServerClient {
    private struct TransactionInfo: Decodable {
        let signedTransactionInfo: String
    }

    private struct OrderLookUp: Decodable {
        /// 0 for an order that Apple knows, 1 for one that it doesn't.
        let status: Int
        let signedTransactions: [String]?
    }

    /// Get Transaction Info: what Apple knows now of one transaction, whatever its product's type, finished or not,
    /// refunded or not.
    ///
    /// One purchase may answer to several ids, so the transaction's own id may differ from the one that was asked about.
    /// An id that can't be one of Apple's is refused without a call.
    ///
    /// - Parameter latestStart: the end of the call's turn; see ``HTTPRequest/latestStart``.
    package func transactionInfo(
        _ id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<VerifiedTransactions> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let request = ServerAPIRequest("Get Transaction Info", .get, "/inApps/v1/transactions/" + segment.text)
        return try await call(request, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline) {
            (response) async throws(VerificationFailure) in
            let info = try request.json(TransactionInfo.self, in: response)
            return try await verified([info.signedTransactionInfo], in: request.name, about: bundleID, in: environment)
        }
    }

    /// Look Up Order ID: the purchases of the order whose number stands on Apple's mail to the customer; none when Apple
    /// knows no such order of this app. Apple offers it in production only.
    package func transactions(
        ofOrder orderID: String, of bundleID: BundleID, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<VerifiedTransactions> {
        // Apple knows no order whose number isn't of Apple's form.
        guard let segment = PathSegment(token: orderID) else {
            return .answered(VerifiedTransactions([], mayBeIncomplete: false))
        }
        let request = ServerAPIRequest("Look Up Order ID", .get, "/inApps/v1/lookup/" + segment.text)
        return try await call(request, about: bundleID, in: .production, deadline: deadline) {
            (response) async throws(VerificationFailure) in
            let found = try request.json(OrderLookUp.self, in: response)
            guard (0...1).contains(found.status) else {
                throw .unknownAnswer("\(request.name) answered status \(found.status)")
            }
            let signed = found.status == 0 ? found.signedTransactions ?? [] : []
            return try await verified(signed, in: request.name, about: bundleID, in: .production)
        }
    }

    /// Finish Transaction: tells Apple that the customer got what was paid for, so that StoreKit stops handing the
    /// transaction to the app. To be called only after the grant is committed; calling it again changes nothing.
    package func finish(
        _ id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Void> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let request = ServerAPIRequest(
            "Finish Transaction", .post, "/inApps/v1/transactions/\(segment.text)/finish")
        return try await call(
            request, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline, read: request.checkStatusOnly)
    }

    /// Send Consumption Information, version 2: answers Apple's question about a refund. Calling it again is harmless.
    package func sendConsumption(
        _ answer: ConsumptionAnswer, about id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Void> {
        guard let segment = PathSegment(id) else { return .refused(.invalidTransactionID) }
        let request = ServerAPIRequest(
            "Send Consumption Information", .put, "/inApps/v2/transactions/consumption/" + segment.text,
            json: ConsumptionBody(answer))
        return try await call(
            request, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline, read: request.checkStatusOnly)
    }
}

/// The body of Send Consumption Information, under Apple's names.
struct ConsumptionBody: Encodable, Hashable {
    /// Nothing may be told without it.
    let customerConsented = true
    let deliveryStatus: String
    let sampleContentProvided: Bool
    /// In thousandths of a percent.
    let consumptionPercentage: Int?
    let refundPreference: String?

    init(_ answer: ConsumptionAnswer) {
        deliveryStatus = answer.deliveryStatus.rawValue.uppercased()
        sampleContentProvided = answer.sampleContentProvided
        consumptionPercentage = answer.consumedShare
        refundPreference = answer.refundPreference?.rawValue.uppercased()
    }
}
