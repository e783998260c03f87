// SPDX-License-Identifier: Apache-2.0

/// Where a request leads: the endpoint, and what its path names there.
struct CallRoute: Equatable, Sendable {
    /// What the requests of an endpoint look like.
    private struct Shape {
        let endpoint: Endpoint
        /// Nil for an endpoint that answers every method itself.
        let method: String?
        let parts: [Substring]

        /// - Parameter path: `*` stands for what the path names.
        init(_ endpoint: Endpoint, _ method: String?, _ path: Substring) {
            self.endpoint = endpoint
            self.method = method
            parts = path.split(separator: "/")
        }
    }

    let endpoint: Endpoint
    /// The ids in the path, of a transaction, an order, a token or a product, with their escapes.
    let subjects: [String]

    /// The route of a request; nil where Apple would answer 404.
    init?(method: String, path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for shape in Self.shapes where shape.method == nil || shape.method == method {
            guard let subjects = Self.subjects(of: parts, in: shape.parts) else { continue }
            endpoint = shape.endpoint
            self.subjects = subjects
            return
        }
        return nil
    }

    /// The parts of a path in place of each `*`; nil when the path has another shape.
    private static func subjects(of parts: ArraySlice<Substring>, in shape: [Substring]) -> [String]? {
        guard parts.count == shape.count else { return nil }
        var subjects: [String] = []
        for (part, expected) in zip(parts, shape) {
            if expected == "*" {
                subjects.append(String(part))
            } else if part != expected {
                return nil
            }
        }
        return subjects
    }

    private static let shapes = [
        Shape(.verifyReceipt, nil, "verifyReceipt"),
        Shape(.getTransactionInfo, "GET", "inApps/v1/transactions/*"),
        Shape(.getTransactionHistory, "GET", "inApps/v2/history/*"),
        Shape(.getTransactionHistoryV1, "GET", "inApps/v1/history/*"),
        Shape(.getAllSubscriptionStatuses, "GET", "inApps/v1/subscriptions/*"),
        Shape(.getAppTransactionInfo, "GET", "inApps/v1/transactions/appTransactions/*"),
        Shape(.setAppAccountToken, "PUT", "inApps/v1/transactions/*/appAccountToken"),
        Shape(.sendConsumptionInformation, "PUT", "inApps/v2/transactions/consumption/*"),
        Shape(.sendConsumptionInformationV1, "PUT", "inApps/v1/transactions/consumption/*"),
        Shape(.extendRenewalDate, "PUT", "inApps/v1/subscriptions/extend/*"),
        Shape(.extendAllRenewalDates, "POST", "inApps/v1/subscriptions/extend/mass"),
        Shape(.getRenewalDateExtensionStatus, "GET", "inApps/v1/subscriptions/extend/mass/*/*"),
        Shape(.getRefundHistory, "GET", "inApps/v2/refund/lookup/*"),
        Shape(.lookUpOrderID, "GET", "inApps/v1/lookup/*"),
        Shape(.finishTransaction, "POST", "inApps/v1/transactions/*/finish"),
        Shape(.getNotificationHistory, "POST", "inApps/v1/notifications/history"),
        Shape(.requestTestNotification, "POST", "inApps/v1/notifications/test"),
        Shape(.getTestNotificationStatus, "GET", "inApps/v1/notifications/test/*"),
    ]
}
