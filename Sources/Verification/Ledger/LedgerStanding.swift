// SPDX-License-Identifier: Apache-2.0

/// Where one candidate stands once the ledger was asked.
package enum LedgerStanding {
    /// The ledger says that it paid for the order being settled.
    case paidThisOrder
    /// It paid for another order.
    case paidAnotherOrder(LedgerFacts.Holder)
    /// It paid for nothing yet, and pays for this order of the account, for which it was made.
    case ownOrder(OrderID)
    /// It paid for nothing, and renews a subscription of another product that the account has.
    case renewal
    /// It was taken back, and paid for nothing.
    case takenBack
    /// It paid for nothing yet, and a person has to look before it does.
    case blocked(Reason)
    /// It paid for nothing yet.
    case free

    /// Weighs what is known, the certain before the doubtful.
    ///
    /// A replay is a replay also after a refund, so the holder comes before the revocation.
    package init(_ candidate: Candidate, facts: LedgerFacts, order: Order) {
        if let holder = facts.holder {
            self = holder.orderID == order.id ? .paidThisOrder : .paidAnotherOrder(holder)
        } else if facts.isRevoked && !facts.mayBeReversed(by: candidate) {
            self = .takenBack
        } else if facts.isAnotherAccounts {
            self = .blocked(.ownerMismatch)
        } else if facts.isRevoked {
            // A refund that was reversed, or never was: a person decides, and the client may not finish it.
            self = .blocked(.refundReversed)
        } else if facts.isAddition {
            self = .blocked(.seatsAdded)
        } else if facts.isPartlyRefunded {
            self = .blocked(.partlyRefunded)
        } else if facts.originalWasRevokedBefore {
            self = .blocked(.boughtAgainAfterRevocation)
        } else if facts.wasShownInTime, candidate.isPaidAtAnyAge {
            // `order_again` names this order to the client.
            self = .free
        } else if let own = facts.ownOrder {
            self = .ownOrder(own)
        } else if facts.isRenewal, candidate.transaction.productID != order.productID {
            // A period of the order's own product pays for it.
            self = .renewal
        } else if let obstacle = facts.wasShownInTime ? candidate.obstacleAtAnyAge : candidate.obstacle, obstacle != .ownerMismatch {
            self = .blocked(obstacle)
        } else {
            // A token that isn't the order's passes: the ledger found that it is of an order of the account that is settled.
            self = .free
        }
    }

    /// Whether it is a verified payment that the ledger knows nothing of.
    var isUnclaimed: Bool {
        switch self {
        case .blocked, .free, .ownOrder, .renewal: true
        case .paidThisOrder, .paidAnotherOrder, .takenBack: false
        }
    }
}
