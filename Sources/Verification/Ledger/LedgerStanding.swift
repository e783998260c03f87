// SPDX-License-Identifier: Apache-2.0

/// Where one candidate stands once the ledger was asked.
enum LedgerStanding {
    /// The ledger says that it paid for the order being settled.
    case paidThisOrder
    /// It paid for another order.
    case paidAnotherOrder(LedgerFacts.Holder)
    /// It was taken back, and paid for nothing.
    case takenBack
    /// It paid for nothing yet, and a person has to look before it does.
    case blocked(Reason)
    /// It paid for nothing yet.
    case free

    /// Weighs what is known, the certain before the doubtful.
    ///
    /// A replay is a replay also after a refund, so the holder comes before the revocation.
    init(_ candidate: Candidate, facts: LedgerFacts, order: Order) {
        if let holder = facts.holder {
            self = holder.orderID == order.id ? .paidThisOrder : .paidAnotherOrder(holder)
        } else if facts.isRevoked {
            // A refund that was reversed, or never was: a person decides, and the client may not finish it.
            let stands = candidate.isConfirmed && !candidate.transaction.isRefunded
            self = stands ? .blocked(.refundReversed) : .takenBack
        } else if facts.isAnotherAccounts {
            self = .blocked(.ownerMismatch)
        } else if facts.isAddition {
            self = .blocked(.seatsAdded)
        } else if facts.isPartlyRefunded {
            self = .blocked(.partlyRefunded)
        } else if facts.originalWasRevokedBefore {
            self = .blocked(.boughtAgainAfterRevocation)
        } else if let obstacle = candidate.obstacle {
            self = .blocked(obstacle)
        } else {
            self = .free
        }
    }

    /// Whether it is a verified payment that the ledger knows nothing of.
    var isUnclaimed: Bool {
        switch self {
        case .blocked, .free: true
        case .paidThisOrder, .paidAnotherOrder, .takenBack: false
        }
    }
}
