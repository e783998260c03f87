// SPDX-License-Identifier: Apache-2.0

import Foundation
import Postgres
import Testing
import Verification
import VerificationQueue

/// How a period is called that no order claims: a renewal by Apple's word, and without it by the time. A client may finish a
/// renewal, since its subscription was delivered; whatever else is told so would be lost.
@Suite struct RenewalTests {
    private static let now = Date()

    /// This many days ago.
    private static func ago(_ days: Double) -> Date { now.addingTimeInterval(-days * 86_400) }

    private static func period(
        _ id: String, of product: String = "plus", original: String = "1", days: Double, reason: Transaction.PurchaseReason?
    ) -> Transaction {
        var period = Transaction.sample(
            id: id, original: original, product: product, kind: .autoRenewable, purchased: ago(days), webOrder: "w" + id)
        period.expiresDate = ago(days - 1)
        period.purchaseReason = reason
        return period
    }

    /// The period that is looked at is "3", shown for the order "old", which another period paid for.
    enum Story: String, CaseIterable {
        /// The next one, and nothing between them.
        case next
        /// Bought after the whole of the first was refunded.
        case afterARefund
        /// An earlier one that nobody was granted.
        case earlier
        /// Of the first plan, after another plan.
        case backFromAnotherPlan
        /// More than sixty days after the end of the last one.
        case muchLater
    }

    /// - Returns: what was shown last.
    @discardableResult
    private func play(_ story: Story, _ reason: Transaction.PurchaseReason?, _ queue: QueueFixture) async throws -> Transaction {
        try await queue.addPlans()
        let begins: Double = story == .muchLater ? 65 : 4
        try await queue.place("old", product: "plus", minutesAgo: (begins + 1) * 1_440)
        try await queue.upload("old", product: "plus")
        let first = Self.period(story == .earlier ? "2" : "1", days: begins, reason: .purchase)
        try await queue.settle(first, for: "old")
        switch story {
        case .next, .earlier, .muchLater: break
        case .afterARefund:
            try await queue.upload("old", product: "plus")
            var refunded = first
            refunded.revocation = .whole(Self.ago(3), by: .signedTransaction)
            try await queue.settle(refunded, for: "old")
            try #require(try await queue.order("old") == OrderFacts(.refunded, .refunded, by: "1"))
        case .backFromAnotherPlan:
            try await queue.place("other", product: "basic", minutesAgo: 5 * 1_440)
            try await queue.upload("other", product: "basic")
            try await queue.settle(Self.period("2", of: "basic", days: 3, reason: .purchase), for: "other")
        }
        let days: Double = [.earlier: 4.5, .muchLater: 3][story] ?? 2
        let last = Self.period("3", days: days, reason: reason)
        try await queue.upload("old", product: "plus")
        try await queue.settle(last, for: "old")
        return last
    }

    private func told(_ queue: QueueFixture) async throws -> String? {
        try await queue.text("select kind from counterfoil.changes where kind <> 'subscription_changed' order by id desc limit 1")
    }

    @Test(arguments: [
        (.next, .renewal, true), (.next, nil, true), (.next, .purchase, false),
        (.afterARefund, .renewal, true), (.afterARefund, nil, false), (.afterARefund, .purchase, false),
        (.earlier, .renewal, false), (.earlier, nil, false), (.earlier, .purchase, false),
        (.backFromAnotherPlan, .renewal, true), (.backFromAnotherPlan, nil, true), (.backFromAnotherPlan, .purchase, false),
        (.muchLater, .renewal, true), (.muchLater, nil, false), (.muchLater, .purchase, false),
    ] as [(Story, Transaction.PurchaseReason?, Bool)])
    func onlyARenewalIsFinishedWithoutAnOrder(_ story: Story, _ reason: Transaction.PurchaseReason?, isRenewal: Bool) async throws {
        try await QueueFixture.run { queue in
            try await play(story, reason, queue)

            #expect(try await queue.transaction("3") == (isRenewal ? "unclaimed finish" : "unclaimed order_again"))
            #expect(try await told(queue) == (isRenewal ? "subscription_renewed" : "payment_unclaimed"))
            #expect(try await queue.count("counterfoil.paid_not_delivered") == (isRenewal ? 0 : 1))
            #expect(try await queue.faults() == [])
        }
    }

    /// The word keeps a payment from no order: one order a period is a way to deliver.
    @Test(arguments: Story.allCases, [nil, .purchase, .renewal] as [Transaction.PurchaseReason?])
    func anOrderThatIsMadeForAPeriodIsPaidByIt(_ story: Story, _ reason: Transaction.PurchaseReason?) async throws {
        try await QueueFixture.run { queue in
            let last = try await play(story, reason, queue)
            try await queue.place("again-3", product: "plus", minutesAgo: 0)
            try await queue.change("again-3", "recovery = true")
            try await queue.upload("again-3", product: "plus")

            try await queue.settle(last, for: "again-3")

            #expect(try await queue.order("again-3") == OrderFacts(.fulfilled, by: "3"))
            #expect(try await queue.transaction("3") == "granted finish")
            let kept = try await queue.text("select purchase_reason from counterfoil.payments where transaction_id = '3'")
            #expect(kept == reason?.rawValue)
            #expect(try await queue.faults() == [])
        }
    }

    /// A receipt shows all periods at once: what was paid with the one that pays here is called by the same rule.
    @Test(arguments: [nil, .purchase, .renewal] as [Transaction.PurchaseReason?])
    func periodsBesideTheOneThatPaysAreCalledByTheSameRule(_ reason: Transaction.PurchaseReason?) async throws {
        try await QueueFixture.run { queue in
            try await queue.addPlans()
            try await queue.place("old", product: "plus", minutesAgo: 5 * 1_440)
            try await queue.submit("old", "MII", product: "plus", hint: "1")
            let job = try #require(try await queue.claim().first)
            let shown = [Self.period("1", days: 4, reason: .purchase), Self.period("3", days: 2, reason: reason)]
            let judgement = OrderMatching.judge(
                VerifiedTransactions(shown, mayBeIncomplete: true), for: job.order, policy: job.policy,
                hint: TransactionID(rawValue: "1"))
            guard case .candidates(let candidates) = judgement.verdict else { return #expect(Bool(false), "\(judgement.verdict)") }

            _ = try await queue.settle(
                Settlement(
                    job, .grantOne, payments: .init(candidates: candidates, others: judgement.others), proofKind: .appReceipt))

            #expect(try await queue.order("old") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.transaction("3") == (reason == .purchase ? "unclaimed order_again" : "unclaimed finish"))
            #expect(try await queue.faults() == [])
        }
    }

    /// What a receipt leaves to a guess ends with the signed text, and no receipt brings it back.
    @Test func aSignedPurchaseEndsAGuess() async throws {
        try await QueueFixture.run { queue in
            let guessed = try await play(.next, nil, queue)
            try #require(try await queue.transaction("3") == "unclaimed finish")
            var signed = guessed
            signed.purchaseReason = .purchase

            for shown in [signed, guessed] {
                try await queue.upload("old", product: "plus")
                try await queue.settle(shown, for: "old")

                #expect(try await queue.transaction("3") == "unclaimed order_again")
                #expect(try await told(queue) == "payment_renamed")
            }
            #expect(try await queue.faults() == [])
        }
    }

    /// Bob has an order that is paid, and shows the renewal of Ann's subscription for it: before she does, or after.
    @Test(arguments: [true, false], [nil, .renewal] as [Transaction.PurchaseReason?])
    func aStrangersShowingMakesHimNoOwner(isFirst: Bool, _ reason: Transaction.PurchaseReason?) async throws {
        try await QueueFixture.run { queue in
            try await queue.addPlans()
            for (order, account, original) in [("ann's", "ann", "1"), ("bob's", "bob", "8")] {
                try await queue.place(order, account: account, product: "plus", minutesAgo: 5 * 1_440)
                try await queue.upload(order, account: account, product: "plus")
                try await queue.settle(Self.period(original, original: original, days: 4, reason: .purchase), for: order)
            }
            let renewal = Self.period("3", days: 2, reason: reason)
            for (order, account) in isFirst ? [("bob's", "bob"), ("ann's", "ann")] : [("ann's", "ann"), ("bob's", "bob")] {
                try await queue.upload(order, account: account, product: "plus")
                try await queue.settle(renewal, for: order)
                if order == "bob's", isFirst {
                    let reason = try await queue.text("select reason from counterfoil.payments where transaction_id = '3'")
                    #expect(reason == "renewal")
                    #expect(try await queue.transaction("3") == "unclaimed finish")
                    #expect(try await queue.count("counterfoil.payments where transaction_id = '3' and account_id = 'ann'") == 1)
                }
            }

            #expect(try await queue.transaction("3") == "unclaimed finish")
            let owner = try await queue.text("select account_id from counterfoil.transaction_status where transaction_id = '3'")
            #expect(owner == "ann")
            #expect(try await queue.order("bob's") == OrderFacts(.fulfilled, by: "8"))
            #expect(try await queue.faults() == [])
        }
    }
}

extension QueueFixture {
    fileprivate func addPlans() async throws {
        try await admin.execute(
            """
            insert into counterfoil.products (bundle_id, product_id, kind)
            values ('\(Self.bundle)', 'plus', 'auto_renewable'), ('\(Self.bundle)', 'basic', 'auto_renewable')
            """)
    }
}
