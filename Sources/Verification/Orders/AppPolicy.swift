// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What an app's operator decided, as it applies to one order at the moment of the claim.
package struct AppPolicy: Sendable {
    /// What to do when the order names an app account token and the transaction has none.
    package enum AbsentToken: String, Sendable, CaseIterable {
        case accept
        case review
    }

    /// Whether a sandbox purchase may fulfil this order: the app's sandbox policy applied to the order's account now.
    package var allowsSandbox: Bool

    package var absentToken: AbsentToken

    /// How much earlier than its order a purchase may lie, in seconds.
    package var purchaseTimeTolerance: TimeInterval

    /// Purchases from before this moment were granted by another system, unless they are in the ledger.
    package var ledgerStartsAt: Date?

    package var receiptRoute: ReceiptRoute

    /// Whether signed transactions are confirmed by Apple.
    package var confirmation: Confirmation

    /// Whether Apple is told that a granted transaction is finished.
    package var finishesTransactions: Bool

    /// Rises with each change of a policy that decides whether a payment pays for an order. Answers that were kept under another
    /// number don't hold.
    package var number: Int

    /// Whether the app's transactions may be asked of the App Store Server API.
    package var usesServerAPI: Bool { receiptRoute == .localThenAPI || confirmation != .never }

    package init(
        allowsSandbox: Bool = false, absentToken: AbsentToken = .accept, purchaseTimeTolerance: TimeInterval = 600,
        ledgerStartsAt: Date? = nil, receiptRoute: ReceiptRoute = .verifyReceipt, confirmation: Confirmation = .never,
        finishesTransactions: Bool = false, number: Int = 0
    ) {
        self.allowsSandbox = allowsSandbox
        self.absentToken = absentToken
        self.purchaseTimeTolerance = purchaseTimeTolerance
        self.ledgerStartsAt = ledgerStartsAt
        self.receiptRoute = receiptRoute
        self.confirmation = confirmation
        self.finishesTransactions = finishesTransactions
        self.number = number
    }
}
