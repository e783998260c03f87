// SPDX-License-Identifier: Apache-2.0

/// A call to the App Store Server API that has been read and waits for its answer.
struct ServerAPICall: Sendable {
    let endpoint: Endpoint
    /// The part of the path that names a transaction, an order or a token; empty where there is none.
    let subject: String
    /// Names and values, unescaped, in order.
    let query: [(name: String, value: String)]
    let authorization: String?
    let body: [UInt8]

    init(_ route: CallRoute, query: String?, authorization: String?, body: [UInt8]) {
        endpoint = route.endpoint
        subject = route.subject
        self.query = (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].unescaped, parts.count > 1 ? parts[1].unescaped : "")
        }
        self.authorization = authorization
        self.body = body
    }

    /// The transaction that the call's path names, if it names one.
    var transactionID: String? {
        switch endpoint {
        case .getTransactionInfo, .getTransactionHistory, .getRefundHistory, .finishTransaction:
            subject
        case .verifyReceipt, .lookUpOrderID, .getNotificationHistory, .requestTestNotification,
            .getTestNotificationStatus:
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
