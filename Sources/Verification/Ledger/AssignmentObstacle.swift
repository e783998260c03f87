// SPDX-License-Identifier: Apache-2.0

/// What stands against a person's wish to give a payment to an order.
///
/// The ledger has the last word on most; an operator may go over what is only doubtful.
package enum AssignmentObstacle: Hashable, Sendable {
    // Nobody goes over these.
    case wrongApp(BundleID)
    /// The payment was granted already.
    case granted(OrderID)
    /// The payment was taken back.
    case takenBack
    /// The order is paid, refunded or cancelled.
    case orderIs(OrderState)
    /// Nobody paid: a test purchase where none counts.
    case sandboxNotAllowed
    /// Somebody else paid: a family member, or who assigned a seat.
    case familyShared
    /// Neither Apple nor the shop says of which kind the product is, so there is no telling what one grant of it is.
    case unknownKind(ProductID)
    /// It restores or renews another purchase, which a consumable never does: its product was listed as of another kind.
    case restores(TransactionID)

    // An operator may know better.
    /// Apple signed it, and these facts of it can't be read: ``OddProof/faults``.
    case odd([String])
    /// A part of it was refunded, or Apple leaves open how much.
    case partlyRefunded
    case wrongProduct(paid: ProductID, ordered: ProductID)
    case quantityShort(paid: Int, ordered: Int)
    /// Its original transaction was refunded before. Where the ledger holds that one under the same key, as of what is bought
    /// once, it is ``granted(_:)`` as well.
    case boughtAgainAfterRevocation
    /// It was made before the ledger began: another system may have delivered it.
    case beforeLedger
    /// A token, or whose proof showed it first, speaks for another account.
    case ownerMismatch

    /// Whether an operator may go over it.
    package var canBeOverridden: Bool {
        switch self {
        case .odd, .partlyRefunded, .wrongProduct, .quantityShort, .boughtAgainAfterRevocation, .beforeLedger, .ownerMismatch: true
        case .wrongApp, .granted, .takenBack, .orderIs, .sandboxNotAllowed, .familyShared, .unknownKind, .restores: false
        }
    }

    /// Whether the ledger's own statement refuses it too, unless it is told that a person decided.
    package var isForTheLedgerToDecide: Bool {
        self == .partlyRefunded || self == .boughtAgainAfterRevocation || self == .ownerMismatch
    }

    /// All that stands against giving a verified transaction to an order, the gravest first.
    ///
    /// - Parameters:
    ///   - kind: what Apple signed, else what the shop listed for the product that was paid; nil when neither says.
    ///   - facts: what the ledger says, read with the order and the payment locked.
    ///   - faults: the facts of the transaction that can't be read; it is the rest of an odd one then.
    ///   - kept: why the ledger keeps it ungranted, where the transaction is made of the ledger's facts: these lack the date of a
    ///     restore's purchase.
    package static func all(
        for transaction: Transaction, kind: ProductKind?, facts: LedgerFacts, order: Order, policy: AppPolicy,
        faults: [String] = [], kept: Reason? = nil
    ) -> [AssignmentObstacle] {
        var obstacles: [AssignmentObstacle] = []
        if let holder = facts.holder { obstacles.append(.granted(holder.orderID)) }
        if transaction.bundleID != order.bundleID { obstacles.append(.wrongApp(transaction.bundleID)) }
        let state = facts.orderState ?? order.state
        if !state.canBeFulfilled { obstacles.append(.orderIs(state)) }
        if facts.isRevoked || transaction.isRefunded { obstacles.append(.takenBack) }
        if transaction.ownership != .purchased { obstacles.append(.familyShared) }
        if transaction.environment == .sandbox && !policy.allowsSandbox { obstacles.append(.sandboxNotAllowed) }
        if kind == nil { obstacles.append(.unknownKind(transaction.productID)) }
        if kind == .consumable && transaction.originalID != transaction.id {
            obstacles.append(.restores(transaction.originalID))
        }

        if !faults.isEmpty { obstacles.append(.odd(faults)) }
        if facts.isPartlyRefunded || transaction.isPartlyRefunded { obstacles.append(.partlyRefunded) }
        if transaction.productID != order.productID {
            obstacles.append(.wrongProduct(paid: transaction.productID, ordered: order.productID))
        }
        if transaction.quantity < order.quantity {
            obstacles.append(.quantityShort(paid: transaction.quantity, ordered: order.quantity))
        }
        if facts.originalWasRevokedBefore { obstacles.append(.boughtAgainAfterRevocation) }
        if let start = policy.ledgerStartsAt, kept == .beforeLedger || transaction.paymentDate(as: kind ?? .consumable) < start {
            obstacles.append(.beforeLedger)
        }
        let lacksToken = order.appAccountToken != nil && transaction.appAccountToken == nil
        if facts.isAnotherAccounts || lacksToken && policy.absentToken == .review {
            obstacles.append(.ownerMismatch)
        }
        return obstacles
    }
}

extension AssignmentObstacle: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongApp(let app): "the transaction belongs to the app \(app.rawValue)"
        case .granted(let order): "the transaction was granted to order \(order.rawValue)"
        case .takenBack: "the payment was taken back"
        case .odd(let faults): "in the transaction that Apple signed, the " + faults.joined(separator: ", the ")
        case .partlyRefunded: "a part of the payment was refunded, or Apple leaves open how much"
        case .boughtAgainAfterRevocation: "its original transaction was refunded before"
        case .orderIs(let state): "the order is \(state.rawValue)"
        case .sandboxNotAllowed: "it is a sandbox purchase, which doesn't count for this account"
        case .familyShared: "somebody else paid for it: a family member, or who assigned a seat"
        case .unknownKind(let product):
            "nothing says of which kind the product \(product.rawValue) is: add it with counterfoil products add"
        case .restores(let original):
            "it restores or renews \(original.rawValue), as no consumable does: mend its product's kind by counterfoil products add"
        case .beforeLedger: "it was made before the ledger began, so another system may have delivered it"
        case .wrongProduct(let paid, let ordered): "\(paid.rawValue) was paid, \(ordered.rawValue) was ordered"
        case .quantityShort(let paid, let ordered): "\(paid) were paid, \(ordered) were ordered"
        case .ownerMismatch: "the payment seems to be another account's"
        }
    }
}
