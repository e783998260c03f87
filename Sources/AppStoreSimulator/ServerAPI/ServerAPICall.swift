// SPDX-License-Identifier: Apache-2.0

/// A call to the App Store Server API that has been read and waits for its answer.
struct ServerAPICall: Sendable {
    let endpoint: Endpoint
    /// The parts of the path that name something: a transaction, an order, a token, a product and a request.
    let subjects: [String]
    /// Names and values, unescaped, in order.
    let query: [(name: String, value: String)]
    let authorization: String?
    let body: [UInt8]

    init(_ route: CallRoute, query: String?, authorization: String?, body: [UInt8]) {
        endpoint = route.endpoint
        subjects = route.subjects
        self.query = (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].unescaped, parts.count > 1 ? parts[1].unescaped : "")
        }
        self.authorization = authorization
        self.body = body
    }

    /// The first that the path names; empty where there is none.
    var subject: String { subjects.first ?? "" }

    /// The transaction that the call's path names, if it names one.
    var transactionID: String? {
        switch endpoint {
        case .getTransactionInfo, .getTransactionHistory, .getTransactionHistoryV1, .getRefundHistory, .finishTransaction,
            .getAllSubscriptionStatuses, .getAppTransactionInfo, .setAppAccountToken, .sendConsumptionInformation,
            .sendConsumptionInformationV1, .extendRenewalDate:
            subject
        case .verifyReceipt, .lookUpOrderID, .getNotificationHistory, .requestTestNotification,
            .getTestNotificationStatus, .extendAllRenewalDates, .getRenewalDateExtensionStatus:
            nil
        }
    }

    /// The first value of a query parameter.
    func value(of name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// All values of a query parameter that may be repeated.
    func values(of name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }
}
