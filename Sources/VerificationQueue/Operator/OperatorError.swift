// SPDX-License-Identifier: Apache-2.0

package import Verification

/// Why an operator's act on an order was refused. Nothing was written.
package enum OperatorError: Error, Hashable, Sendable {
    case noSuchOrder
    /// No verified payment of this id is known to be unclaimed, and none was granted.
    case notVerified
    /// The same id stands for a payment in both environments.
    case inBothEnvironments
    /// The payment was granted to this order.
    case granted(OrderID)
    /// What stands against the payment. At least one of these objections may not be overruled, or wasn't.
    case objections([Objection])
    /// The order has no payment to refund.
    case nothingPaid
    /// There is no refund of the order's payment, or of the one that is named.
    case nothingTakenBack
    /// The order has several; one has to be named.
    case severalPayments([TransactionID])
    /// Its proofs showed these, none of which is for its product; one has to be named.
    case otherPayments([TransactionID])
    /// The time of the refund, or of its reversal, is in the future.
    case isToCome
    /// The payment was made after the time of the refund.
    case notPaidYet
    /// Apple's own word, for a later time, is that the payment stands, or a part of it.
    case outweighed
    /// A settlement changed the payment at the same moment: try again.
    case ledgerMoved
}

extension OperatorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchOrder: "there is no such order"
        case .notVerified: "no verified payment of this id is known"
        case .inBothEnvironments: "there is a payment of this id in both environments: name one with --environment"
        case .granted(let order): "the transaction was granted to order \(order.rawValue)"
        case .objections(let objections): objections.map(\.description).joined(separator: "; ")
        case .nothingPaid: "the order has no payment that could be taken back"
        case .nothingTakenBack:
            "no payment is recorded as taken back that could be given again; one that was taken back under another id of the same "
                + "purchase is named by that, with --transaction"
        case .severalPayments(let ids):
            "the order has several payments, name one with --transaction: "
                + ids.map(\.rawValue).joined(separator: ", ")
        case .otherPayments(let ids):
            "the order's proofs showed payments of other products or renewals only, name one with --transaction: "
                + ids.map(\.rawValue).joined(separator: ", ")
        case .isToCome: "the time is still to come"
        case .notPaidYet: "the payment was made after that time"
        case .outweighed: "Apple said for a later time that the payment stands, or a part of it: give a later time with --at"
        case .ledgerMoved: "the ledger moved meanwhile: look at the order, then try again"
        }
    }
}
