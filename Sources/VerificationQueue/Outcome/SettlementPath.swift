// SPDX-License-Identifier: Apache-2.0

import Verification

/// The statements by which an attempt is settled. A value without I/O.
enum SettlementPath: String, CaseIterable {
    /// One statement, in one round trip: for the grant of one payment that nothing in its proof stands against, and of which the
    /// ledger is not known to have a word. Most attempts end so.
    case short
    /// Those of ``SettlementStore/settle(_:locksOrders:)``, which settle everything.
    case careful

    /// The path to try first. What the short one leaves out, or can't write, takes the careful one.
    ///
    /// The short one writes no line about the attempt, and no payment beside the granted one.
    init(_ settlement: Settlement) {
        guard settlement.isLoneGrant, settlement.message == nil, let payment = settlement.candidates.first?.transaction,
            settlement.shownTransactionIDs(besides: payment.id) == nil
        else {
            self = .careful
            return
        }
        self = .short
    }
}
