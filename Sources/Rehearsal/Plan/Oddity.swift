// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
package import Verification

/// A value in a genuine signed transaction that no App Store of today writes.
package enum Oddity: String, CaseIterable, Sendable {
    case idWithNUL
    case longID
    case longOriginalID
    case longLineItem
    case noUnits
    case negativeUnits
    case tooManyUnits
    case unknownOwnership
    case unknownRefundType
    case negativePurchaseDate
    case endlessPurchaseDate
    case advancedCommerce

    /// Why its order is left to a person.
    package var reason: Reason {
        switch self {
        case .unknownRefundType: .partlyRefunded
        case .advancedCommerce: .unsupportedYet
        default: .unknownAnswer
        }
    }

    /// Whether the ledger keeps the payment. All others stay in the proof.
    package var isKept: Bool {
        reason != .unknownAnswer
    }

    func write(to transaction: inout SimulatedTransaction, at moment: Date) {
        switch self {
        case .idWithNUL: transaction.transactionId += "\0"
        case .longID: transaction.transactionId = Self.long(transaction.transactionId)
        case .longOriginalID: transaction.originalTransactionId = Self.long(transaction.originalTransactionId)
        case .longLineItem: transaction.webOrderLineItemId = Self.long(transaction.transactionId)
        case .noUnits: transaction.quantity = 0
        case .negativeUnits: transaction.quantity = -1
        case .tooManyUnits: transaction.quantity = 3_000_000_000
        case .unknownOwnership: transaction.inAppOwnershipType = "RENTED"
        case .unknownRefundType: PlannedRefund(type: "REFUND_IN_KIND", percentage: 40_000).write(to: &transaction, at: moment)
        case .negativePurchaseDate: transaction.purchaseDate = Date(timeIntervalSince1970: -1)
        // In the year 33658.
        case .endlessPurchaseDate: transaction.purchaseDate = Date(timeIntervalSince1970: 1e12)
        case .advancedCommerce: transaction.requestReferenceId = "reference"
        }
    }

    private static func long(_ id: String) -> String {
        id + String(repeating: "7", count: 200 - id.count)
    }
}
