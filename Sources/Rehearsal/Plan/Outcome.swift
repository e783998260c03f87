// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
package import Verification

/// Where an order is and what its client is told: what is compared.
package struct Outcome: Hashable, Sendable {
    package var state: String
    package var reason: String?
    package var clientAction: String
    package var transactionID: String?
    package var environment: String?

    /// Without the transaction, so that outcomes can be counted.
    package var label: String {
        state + (reason.map { "(\($0))" } ?? "") + " → " + clientAction
    }

    /// With everything.
    package var details: String {
        let facts = [transactionID.map { "transaction \($0)" }, environment].compactMap(\.self)
        return label + (facts.isEmpty ? "" : " [" + facts.joined(separator: ", ") + "]")
    }
}

extension Outcome {
    package static func fulfilled(_ transaction: PlannedTransaction) -> Outcome {
        Outcome(
            state: "fulfilled", clientAction: "finish", transactionID: transaction.id,
            environment: transaction.environment.rawValue.lowercased())
    }

    package static func refunded(_ transaction: PlannedTransaction) -> Outcome {
        Outcome(
            state: "refunded", reason: "refunded", clientAction: "finish", transactionID: transaction.id,
            environment: transaction.environment.rawValue.lowercased())
    }

    /// - Parameter transaction: the one that the client may finish.
    package static func rejected(
        _ reason: Reason, _ action: ClientAction, naming transaction: PlannedTransaction? = nil
    ) -> Outcome {
        Outcome(
            state: "rejected", reason: reason.rawValue, clientAction: action.rawValue, transactionID: transaction?.id)
    }

    package static func review(_ reason: Reason, naming transaction: PlannedTransaction? = nil) -> Outcome {
        let isOrderedAgain = transaction?.isOrderedAgain(reason) ?? false
        return Outcome(
            state: "review", reason: reason.rawValue, clientAction: isOrderedAgain ? "order_again" : "contact_support",
            transactionID: transaction?.id)
    }

    /// Cancelled, and paid: another order gets the payment.
    package static let cancelled = Outcome(state: "cancelled", reason: "order_cancelled", clientAction: "order_again")
    package static let untouched = Outcome(state: "open", clientAction: "upload_proof")
}

/// What some orders of a purchase have to come to.
package struct Expectation: Equatable, Sendable {
    package var orders: [Int]
    /// As many as orders. Which order gets which outcome is open when several race.
    package var outcomes: [Outcome]

    package init(orders: [Int], outcomes: [Outcome]) {
        self.orders = orders
        self.outcomes = outcomes
    }
}
