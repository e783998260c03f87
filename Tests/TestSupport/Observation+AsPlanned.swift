// SPDX-License-Identifier: Apache-2.0

@testable package import Rehearsal
import Verification

extension Observation {
    /// What a run would find in which everything came about as planned.
    package static func asPlanned(_ plan: PurchasePlan) -> Observation {
        var observation = Observation()
        for purchase in plan.purchases {
            for expectation in purchase.expectations {
                for (order, outcome) in zip(expectation.orders, expectation.outcomes) {
                    observation.outcomes[purchase.orders[order].id] = outcome
                }
            }
            for transaction in purchase.transactions { observation.add(transaction, of: purchase) }
            var record = PlayRecord()
            for refused in purchase.refusals { record.refusals[refused] = refused.constraint }
            for expectation in purchase.expectations {
                for (order, outcome) in zip(expectation.orders, expectation.outcomes) { record.notePoll(of: order, outcome) }
            }
            observation.records[purchase.number] = record
        }
        return observation
    }

    private mutating func add(_ transaction: PlannedTransaction, of purchase: Purchase) {
        let key = TransactionKey(transaction)
        partialRefunds[key] = transaction.partialRefund
        switch transaction.fate {
        case .absent:
            return
        case .granted, .grantedThenRevoked:
            let order = purchase.orders.first { outcomes[$0.id]?.transactionID == transaction.id }
            grants[key] = [Grant(orderID: order?.id ?? "", quantity: transaction.quantity)]
            grantedIDs[key] = transaction.id
            if transaction.app.finishesTransactions { finished.insert(transaction.id) }
            if transaction.fate == .grantedThenRevoked { revoked.insert(key) }
        case .unclaimed(let reason):
            unclaimed[key] = reason.rawValue
        case .sameGrant(let other, let isRevoked):
            grantedIDs[key] = purchase.transactions[other].id
            if isRevoked { revoked.insert(key) }
        case .revoked:
            revoked.insert(key)
        }
        transactionActions?[key] = transaction.clientAction
    }
}
