// SPDX-License-Identifier: Apache-2.0

import Foundation
import Postgres
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// `order_again`: an honest payment doesn't fit its order. The answer names an order that it fits. The same proof pays for that
/// order, however late it is uploaded.
@Suite struct OrderAgainTests {
    /// When the first order was made: three days ago, in minutes.
    private static let ordered = 3 * 1_440.0
    private static var paid: Date { Date().addingTimeInterval(-(ordered - 5) * 60) }

    enum Story: String, CaseIterable {
        case anotherProduct, fewerUnits, cancelled, paidTwice
    }

    /// Plays the story of a payment "1", shown for the order "old", and returns what it pays for.
    private static func play(_ story: Story, _ queue: QueueFixture) async throws -> (payment: Transaction, product: String, quantity: Int) {
        var payment = Transaction.sample(id: "1", purchased: paid)
        switch story {
        case .anotherProduct:
            try await queue.place("old", minutesAgo: ordered)
            payment = .sample(id: "1", product: "pro", kind: .nonConsumable, purchased: paid)
        case .fewerUnits:
            try await queue.place("old", quantity: 3, minutesAgo: ordered)
            payment.quantity = 2
        case .cancelled:
            try await queue.place("old", minutesAgo: ordered)
            try await queue.change("old", "state = 'cancelled', reason = 'order_cancelled'")
        case .paidTwice:
            try await queue.place("old", minutesAgo: ordered)
            try await queue.upload("old")
            try await queue.settle(.sample(id: "0", purchased: paid), for: "old")
        }
        try await queue.upload("old")
        try await queue.settle(payment, for: "old")
        return (payment, payment.productID.rawValue, payment.quantity)
    }

    @Test(arguments: Story.allCases)
    func theProofPaysTheOrderThatWasAskedFor(_ story: Story) async throws {
        try await QueueFixture.run { queue in
            let (payment, product, quantity) = try await Self.play(story, queue)
            let before = try await queue.orderAgain("old")
            #expect(before == (story == .paidTwice ? "finish" : "order_again \(product) \(quantity) 1"))
            #expect(try await queue.transaction("1") == "unclaimed order_again")

            try await queue.place("again-1", product: product, quantity: quantity)
            try await queue.upload("again-1", product: product)
            try await queue.settle(payment, for: "again-1")

            #expect(try await queue.order("again-1") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.orderAgain("old") == "finish")
            #expect(try await queue.count("counterfoil.open_reviews") == 0)
            let named = try await queue.admin.execute("select transaction_id from counterfoil.order_status where order_id = 'old'")
            #expect(try named[0].string(0) == (story == .paidTwice ? "0" : "1"))
            #expect(try await queue.transaction("1") == "granted finish")
            #expect(try await queue.faults() == [])
        }
    }

    /// A receipt keeps old purchases for years: it pays for the order that is made again if the job names the transaction.
    @Test(arguments: [(hint: "1", state: OrderState.fulfilled), (hint: nil, state: .open)] as [(hint: String?, state: OrderState)])
    func aReceiptPaysWhereItsJobNamesTheTransaction(_ row: (hint: String?, state: OrderState)) async throws {
        try await QueueFixture.run { queue in
            let (shown, product, _) = try await Self.play(.fewerUnits, queue)
            var payment = shown
            payment.productKind = nil
            try await queue.place("again-1", product: product, quantity: 2)
            try await queue.submit("again-1", "MII", product: product, hint: row.hint)
            let job = try #require(try await queue.claim().first)
            let judgement = OrderMatching.judge(
                VerifiedTransactions([payment], mayBeIncomplete: true), for: job.order, policy: job.policy, hint: job.work.upload?.hint)

            if case .candidates(let candidates) = judgement.verdict {
                _ = try await queue.settle(Settlement(
                    job, .grantOne, payments: .init(candidates: candidates), proofKind: .appReceipt))
            }

            #expect(try await queue.order("again-1").state == row.state)
        }
    }

    /// The order would be asked for in vain, or for somebody else's payment.
    @Test(arguments: [
        "older than its order", "of before the ledger", "refunded", "refunded in part", "another's token", "of another kind", "no token",
    ])
    func whereAPersonHasToLookNothingIsOrderedAgain(because why: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            let isTokenless = why == "no token"
            try await queue.place("old", token: isTokenless ? token : nil, minutesAgo: Self.ordered)
            if isTokenless { try await queue.admin.execute("update counterfoil.apps set absent_token_policy = 'review'") }
            if why == "another's token" { try await queue.place("bob's", account: "bob", token: token, minutesAgo: Self.ordered) }
            var payment = Transaction.sample(
                id: "1", product: "pro", kind: why == "of another kind" ? .consumable : .nonConsumable, purchased: Self.paid,
                token: why == "another's token" ? token : nil)
            if why == "older than its order" { payment.purchaseDate = Self.paid.addingTimeInterval(-3_600) }
            if why == "refunded in part" {
                payment.revocation = Revocation(.signedTransaction, date: Date(), share: .part(50_000), type: "REFUND_PRORATED")
            }
            try await queue.upload("old")
            try await queue.settle(payment, for: "old")
            if why == "of before the ledger" { try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now()") }
            if why == "refunded" {
                try await queue.place("refund", product: "pro")
                try await queue.upload("refund", product: "pro")
                var refunded = payment
                refunded.revocation = .whole(Date(), by: .signedTransaction)
                try await queue.settle(refunded, for: "refund")
            }

            // What is another's by its token is that account's to show.
            let told = ["refunded": "revoked finish", "another's token": "unclaimed upload_proof"][why]
            #expect(try await queue.transaction("1") == told ?? "unclaimed contact_support")
            #expect(try await queue.orderAgain("old").hasPrefix("order_again") == false)

            try await queue.place("again-1", product: "pro", token: isTokenless ? token : nil)
            try await queue.upload("again-1", product: "pro")
            try await queue.settle(payment, for: "again-1")
            #expect(try await queue.order("again-1").state != .fulfilled)
            #expect(try await queue.faults() == [])
        }
    }

    /// Bob shows the payment that Ann showed first: her order's age says nothing for him.
    @Test func whatAnotherAccountShowedFirstStaysItsOwn() async throws {
        try await QueueFixture.run { queue in
            let (payment, product, _) = try await Self.play(.anotherProduct, queue)

            try await queue.place("bob's", account: "bob", product: product)
            try await queue.upload("bob's", account: "bob", product: product)
            try await queue.settle(payment, for: "bob's")

            #expect(try await queue.order("bob's") == OrderFacts(.review, .ownerMismatch, by: "1"))
            #expect(try await queue.orderAgain("bob's") == "contact_support")
            #expect(try await queue.orderAgain("old") == "order_again pro 1 1")
        }
    }

    /// An order of the same account is no excuse for another product, or for more than was paid.
    @Test(arguments: [("coins", 1), ("pro", 2)])
    func anotherOrderThanTheOneThatWasAskedForIsNotPaid(product: String, quantity: Int) async throws {
        try await QueueFixture.run { queue in
            let (payment, _, _) = try await Self.play(.anotherProduct, queue)

            try await queue.place("again", product: product, quantity: quantity)
            try await queue.upload("again", product: product)
            try await queue.settle(payment, for: "again")

            #expect(try await queue.order("again").state == .review)
            #expect(try await queue.orderAgain("again") == "order_again pro 1 1")
        }
    }

    /// Whatever became of the order that shows it, a further order for it would go to review.
    @Test(arguments: [OrderState.fulfilled, .cancelled, .open])
    func aPurchaseThroughAdvancedCommerceIsNeverOrderedAgain(_ state: OrderState) async throws {
        try await QueueFixture.run { queue in
            try await queue.place("old", minutesAgo: Self.ordered)
            if state == .fulfilled {
                try await queue.upload("old")
                try await queue.settle(.sample(id: "0", purchased: Self.paid), for: "old")
            }
            if state == .cancelled { try await queue.change("old", "state = 'cancelled', reason = 'order_cancelled'") }
            var payment = Transaction.sample(id: "1", purchased: Self.paid)
            payment.isAdvancedCommerce = true
            try await queue.upload("old")
            try await queue.settle(payment, for: "old")

            #expect(try await queue.transaction("1") == "unclaimed contact_support")
            #expect(try await queue.orderAgain("old") == (state == .fulfilled ? "finish" : "contact_support"))
            #expect(try await queue.text("select reason from counterfoil.payments where transaction_id = '1'") == "unsupported_yet")
            #expect(try await queue.faults() == [])
        }
    }

    /// A receipt doesn't say that it was sold through Advanced Commerce: only the signed text of the order that is made does.
    @Test func whatTurnsOutToBeAdvancedCommerceIsOrderedAgainOnce() async throws {
        try await QueueFixture.run { queue in
            let (shown, product, quantity) = try await Self.play(.paidTwice, queue)
            try #require(try await queue.transaction("1") == "unclaimed order_again")
            var payment = shown
            payment.isAdvancedCommerce = true
            try await queue.place("again-1", product: product, quantity: quantity)
            try await queue.upload("again-1", product: product)

            try await queue.settle(payment, for: "again-1")

            #expect(try await queue.order("again-1") == OrderFacts(.review, .unsupportedYet, by: "1"))
            #expect(try await queue.orderAgain("again-1") == "contact_support")
            #expect(try await queue.transaction("1") == "unclaimed contact_support")
        }
    }

    /// The signed transaction shows the token that the order asks for, and a receipt doesn't: any proof's token counts.
    @Test func theTokenThatAnotherProofShowedPaysForTheOrderThatWasAskedFor() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.admin.execute("update counterfoil.apps set absent_token_policy = 'review'")
            try await queue.place("old", token: token, minutesAgo: Self.ordered)
            let signed = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable, purchased: Self.paid, token: token)
            try await queue.upload("old")
            try await queue.settle(signed, for: "old")
            try #require(try await queue.orderAgain("old") == "order_again pro 1 1")
            try await queue.place("again-1", product: "pro", token: token)
            try await queue.submit("again-1", "MII", product: "pro", hint: "1")
            let job = try #require(try await queue.claim().first)
            var bare = signed
            bare.appAccountToken = nil
            let judgement = OrderMatching.judge(
                VerifiedTransactions([bare], mayBeIncomplete: true), for: job.order, policy: job.policy,
                hint: job.work.upload?.hint)
            guard case .candidates(let candidates) = judgement.verdict else { return #expect(Bool(false), "\(judgement.verdict)") }
            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: candidates), proofKind: .appReceipt))

            #expect(try await queue.order("again-1") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.orderAgain("again-1") == "finish")
            #expect(try await queue.faults() == [])
        }
    }

    /// While something is verified for the order, its client waits.
    @Test func aPendingProofComesFirst() async throws {
        try await QueueFixture.run { queue in
            _ = try await Self.play(.anotherProduct, queue)
            try await queue.upload("old")

            #expect(try await queue.orderAgain("old") == "wait")
        }
    }

    // MARK: Another account's payment

    /// On a device that two accounts use, a receipt from before the purchase shows the other account's.
    @Test(arguments: [
        (ProofKind.appReceipt, ProductKind.consumable, String?.none, "resend_proof"), (.appReceipt, .nonConsumable, nil, "contact_support"),
        (.appReceipt, .consumable, "1", "contact_support"), (.signedTransaction, .consumable, nil, "contact_support"),
    ])
    func aReceiptFromBeforeThePurchaseIsAskedForAgain(
        _ proof: ProofKind, _ kind: ProductKind, _ hint: String?, _ action: String
    ) async throws {
        try await QueueFixture.run { queue in
            let product = kind == .consumable ? "coins" : "pro"
            let payment = Transaction.sample(id: "1", product: product, kind: kind)
            try await queue.upload("bob's", account: "bob", product: product)
            try await queue.settle(payment, for: "bob's")
            try await queue.submit("ann's", "MII", product: product, hint: hint)
            let job = try #require(try await queue.claim().first)

            let shown = ShownPayment(payment, isReceipt: proof == .appReceipt)
            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [shown]), proofKind: proof))

            #expect(try await queue.orderAgain("ann's") == action)
        }
    }

    // MARK: One upload

    @Test func theSecondPaymentOfAnOrderIsToldToWhoUploadedIt() async throws {
        try await QueueFixture.run { queue in
            let (payment, _, _) = try await Self.play(.paidTwice, queue)
            let upload = try await queue.upload("old")
            #expect(try await queue.uploadStatus(upload) == ["(pending,,wait,,,)"])

            try await queue.settle(payment, for: "old")

            #expect(try await queue.uploadStatus(upload) == ["(over,,order_again,1,unclaimed,)"])
            #expect(try await queue.uploadStatus(upload, of: "bob") == [])
        }
    }

    @Test func eachPaymentOfAReceiptIsTold() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("old", minutesAgo: Self.ordered)
            let upload = try await queue.upload("old")
            let job = try #require(try await queue.claim().first)
            let two = Transaction.sample(id: "2", purchased: Self.paid.addingTimeInterval(60))
            _ = try await queue.settle(
                Settlement(
                    job, .grantOne,
                    payments: .init(
                        candidates: [ShownPayment(.sample(id: "1", purchased: Self.paid), isReceipt: true)],
                        others: [ShownPayment(two, isReceipt: true)]),
                    proofKind: .appReceipt))

            #expect(
                try await queue.uploadStatus(upload) == ["(over,,finish,1,granted,old)", "(over,,order_again,2,unclaimed,)"])
        }
    }

    @Test func anUploadWithoutAPaymentSaysWhatItsOrderSays() async throws {
        try await QueueFixture.run { queue in
            let upload = try await queue.upload("old")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .end(.rejected(.malformedProof, nil))))

            #expect(try await queue.uploadStatus(upload) == ["(over,malformed_proof,resend_proof,,,)"])
            #expect(try await queue.uploadStatus(JobID(rawValue: upload.rawValue + 1)) == [])
        }
    }

    @Test func anothersPaymentIsNotTold() async throws {
        try await QueueFixture.run { queue in
            try await queue.upload("bob's", account: "bob")
            try await queue.settle(.sample(id: "1"), for: "bob's")
            let upload = try await queue.upload("old")

            try await queue.settle(.sample(id: "1"), for: "old")

            #expect(try await queue.uploadStatus(upload) == ["(over,granted_to_another_account,contact_support,,,)"])
        }
    }

    @Test func aLongReceiptTellsItsLatestPurchases() throws {
        let bought = (1...150).map {
            ShownPayment(.sample(id: "\($0)", purchased: Date(timeIntervalSince1970: Double($0))))
        }
        let settlement = Settlement(Sample.job(), .end(.unchanged), payments: .init(others: bought))

        let shown = try #require(settlement.shownTransactionIDs(besides: nil)).split(separator: "\n")

        #expect(shown.count == 100)
        #expect(shown.first == "150")
        #expect(settlement.shownTransactionIDs(besides: TransactionID(rawValue: "7")) != nil)
        let alone = Settlement(Sample.job(), .end(.unchanged), payments: .init(others: [bought[6]]))
        #expect(alone.shownTransactionIDs(besides: TransactionID(rawValue: "7")) == nil)
    }

    /// The client asks from two devices, under the id that is made of the transaction's.
    @Test func askedTwiceAtOnceOneOrderIsMade() async throws {
        try await QueueFixture.run { queue in
            _ = try await Self.play(.anotherProduct, queue)
            let submit = "select order_id from counterfoil.submit('again-1', '\(QueueFixture.bundle)', 'pro', 'ann', 'eyJ')"

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await PostgresConnection.withConnection(to: queue.adminURL) { _ = try await $0.execute(submit) }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await queue.count("counterfoil.orders where order_id = 'again-1'") == 1)
        }
    }
}

extension QueueFixture {
    /// "action product quantity transaction" of an order.
    fileprivate func orderAgain(_ order: String) async throws -> String {
        try await admin.execute(
            """
            select concat_ws(' ', client_action, order_again_product_id, order_again_quantity, order_again_transaction_id)
            from counterfoil.order_status where order_id = $1
            """, [.text(order)])[0].string(0)
    }

    /// The rows of `upload_status`: "(state,reason,action,transaction,status,paid order)".
    fileprivate func uploadStatus(_ job: JobID, of account: String = "ann") async throws -> [String] {
        try await admin.execute(
            """
            select (state, reason, client_action, transaction_id, status, paid_order_id)::text
            from counterfoil.upload_status($1, $2)
            """, [.int8(job.rawValue), .text(account)]
        ).map { try $0.string(0) }
    }
}
