// SPDX-License-Identifier: Apache-2.0

/// An operation that the simulator offers; faults and counters are kept for each.
package enum Endpoint: String, CaseIterable, Codable, Sendable {
    case verifyReceipt

    // The App Store Server API, under Apple's names for its endpoints.
    case getTransactionInfo
    case getTransactionHistory
    case getRefundHistory
    case lookUpOrderID
    case finishTransaction
    case getNotificationHistory
    case requestTestNotification
    case getTestNotificationStatus
    case getTransactionHistoryV1
    case getAllSubscriptionStatuses
    case getAppTransactionInfo
    case setAppAccountToken
    case sendConsumptionInformation
    case sendConsumptionInformationV1
    case extendRenewalDate
    /// For all subscribers of a product.
    case extendAllRenewalDates
    case getRenewalDateExtensionStatus
}

/// An endpoint in an environment.
package struct CallTarget: Hashable, Codable, Sendable {
    package var endpoint: Endpoint
    package var environment: SimulatedEnvironment

    package init(_ endpoint: Endpoint, _ environment: SimulatedEnvironment) {
        self.endpoint = endpoint
        self.environment = environment
    }
}
