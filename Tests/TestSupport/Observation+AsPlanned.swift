// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
@testable package import Rehearsal
import Verification

extension Observation {
    /// What a run would find in which everything came about as planned.
    ///
    /// - Parameter readsFeed: whether the feed was read, too.
    package static func asPlanned(_ plan: PurchasePlan, readsFeed: Bool = false) -> Observation {
        var observation = Observation()
        if readsFeed { observation.feed = Feed() }
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
            for life in purchase.lives { observation.add(life, of: purchase, &record) }
            observation.records[purchase.number] = record
            if readsFeed { observation.tell(of: purchase) }
        }
        return observation
    }

    /// When it is looked at.
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private mutating func add(_ life: PlannedLife, of purchase: Purchase, _ record: inout PlayRecord) {
        guard case .account(let account) = life.owner, let lived = try? life.lived(Self.now) else { return }
        let facts = SubscriptionFacts(of: lived, at: Self.now.addingTimeInterval(1), account: account)
        lives = lives ?? [:]
        lives?[life.originalTransactionID] = facts
        subscriptions[life.originalTransactionID] = facts
        record.payments.merge((try? purchase.payments(of: life, at: Self.now)) ?? [:]) { known, _ in known }
    }

    /// The feed's last words.
    private mutating func tell(of purchase: Purchase) {
        var told = feed ?? Feed()
        for order in purchase.orders {
            guard let state = outcomes[order.id]?.state, state != "open" else { continue }
            told.orders[order.id] = state == "review" ? "order_in_review" : "order_" + state
        }
        for (number, transaction) in purchase.transactions.enumerated() {
            guard case .unclaimed(let reason) = transaction.fate, reason != .beforeLedger else { continue }
            var telling = Telling(kind: reason == .renewal ? "subscription_renewed" : "payment_unclaimed")
            if let life = purchase.lives.first(where: { $0.originalTransactionID == transaction.originalID }) {
                if case .account(let account) = life.owner { telling.account = account }
                telling.productID = transaction.product.productID
                telling.originalTransactionID = transaction.originalID
                let end = records[purchase.number]?.payments[number]?.expiresDate
                telling.expiresAt = end.map { Int64($0.timeIntervalSince1970.rounded(.down)) }
            }
            told.payments[TransactionKey(transaction)] = telling
        }
        for life in purchase.lives where life.ownership == "PURCHASED" {
            told.subscriptions[life.originalTransactionID] = lives?[life.originalTransactionID]
        }
        feed = told
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
