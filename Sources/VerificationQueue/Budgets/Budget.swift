// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The rate at which all workers together may call one endpoint for one app: a row of `counterfoil.budgets`.
package struct Budget: Hashable, Sendable {
    /// The endpoints whose calls Apple counts.
    package enum Endpoint: String, Sendable, CaseIterable {
        case getTransactionInfo = "get_transaction_info"
        /// A share of the above: an id without a proof is free to invent, and must not use up what proofs need.
        case getTransactionInfoOfBareID = "get_transaction_info_of_bare_id"
        case finishTransaction = "finish_transaction"
        case getNotificationHistory = "get_notification_history"
        case getAllSubscriptionStatuses = "get_all_subscription_statuses"
        case sendConsumptionInformation = "send_consumption_information"

        /// The longest wait of a job for its start time. Default 5 seconds; for ids without a proof half a second: a waiting job
        /// holds a place of the lane, which proofs need.
        package var horizon: Duration {
            switch self {
            case .getTransactionInfo, .finishTransaction, .getNotificationHistory, .getAllSubscriptionStatuses,
                .sendConsumptionInformation:
                .seconds(5)
            case .getTransactionInfoOfBareID: .milliseconds(500)
            }
        }
    }

    package let bundleID: BundleID
    package let endpoint: Endpoint
    package let environment: AppStoreEnvironment

    package init(_ bundleID: BundleID, _ endpoint: Endpoint, _ environment: AppStoreEnvironment) {
        self.bundleID = bundleID
        self.endpoint = endpoint
        self.environment = environment
    }
}

/// Start times for calls, as offsets from the moment of the database's answer.
package struct Reservation: Sendable, Equatable {
    package let firstCallIn: Duration
    package let spacing: Duration
    package let count: Int

    package init(firstCallIn: Duration, spacing: Duration, count: Int) {
        self.firstCallIn = firstCallIn
        self.spacing = spacing
        self.count = count
    }
}
