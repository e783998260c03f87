// SPDX-License-Identifier: Apache-2.0

import Foundation
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// An order that a payment answered follows it, whoever showed the payment first: Apple takes it back, and gives it back.
@Suite struct AnsweredOrdersTests {
    private static let paid = Date(timeIntervalSinceNow: -7_200)
    private static let token = UUID()

    private static func payment(_ first: First) -> Transaction {
        .sample(id: "1", purchased: paid, token: first == .anotherAccount ? token : nil)
    }

    private static func refunded(_ first: First) -> Transaction {
        var refunded = payment(first)
        refunded.revocation = Revocation(
            .signedTransaction, date: paid.addingTimeInterval(600), share: .whole, asOf: paid.addingTimeInterval(601))
        return refunded
    }

    /// Who showed the payment before the client of the order "mine" shows that it was refunded.
    enum First: CaseIterable {
        case nobody, itself, anotherOrder, anotherAccount, notification
    }

    private func show(_ transaction: Transaction, for order: String, account: String = "ann", _ queue: QueueFixture) async throws {
        try await queue.upload(order, account: account)
        try await queue.settle(transaction, for: order)
    }

    /// Leaves the order "mine" refunded, for the payment "1".
    private func refund(_ first: First, _ queue: QueueFixture) async throws {
        let payment = Self.payment(first)
        try await queue.place("mine", token: payment.appAccountToken, minutesAgo: 125)
        switch first {
        case .nobody: break
        case .itself:
            try await queue.change("mine", "quantity = 2")
            try await show(payment, for: "mine", queue)
            try #require(try await queue.order("mine") == OrderFacts(.review, .quantityShort, by: "1"))
        case .anotherOrder:
            try await queue.place("other", product: "pro", minutesAgo: 125)
            try await queue.upload("other", product: "pro")
            try await queue.settle(payment, for: "other")
        case .anotherAccount:
            try await queue.place("other", account: "bob", minutesAgo: 125)
            try await show(payment, for: "other", account: "bob", queue)
            try #require(try await queue.order("other") == OrderFacts(.review, .ownerMismatch, by: "1"))
        case .notification: try await tellRefund(first, queue)
        }
        try await show(Self.refunded(first), for: "mine", queue)
        try #require(try await queue.order("mine") == OrderFacts(.refunded, .refunded, by: "1"))
        #expect(try await queue.action("mine") == "finish")
        // Nothing was granted, and the whole is gone.
        #expect(try await queue.text("select refunded_share from counterfoil.order_status where order_id = 'mine'") == "100")
        #expect(try await queue.faults() == [])
    }

    private func tellRefund(_ first: First, _ queue: QueueFixture) async throws {
        try await queue.tell(Told("REFUND", Self.refunded(first), signedAt: Self.paid.addingTimeInterval(601)))
    }

    private func reverse(_ first: First, _ queue: QueueFixture) async throws {
        try await queue.tell(Told("REFUND_REVERSED", Self.payment(first), signedAt: Self.paid.addingTimeInterval(3_600)))
    }

    @Test(arguments: First.allCases)
    func anOrderIsLeftToAnOperatorWhenItsRefundIsReversed(_ first: First) async throws {
        try await QueueFixture.run { queue in
            try await refund(first, queue)

            try await reverse(first, queue)

            #expect(try await queue.order("mine") == OrderFacts(.review, .refundReversed, by: "1"))
            // A stranger showed it first: Apple's word brings it to the order that its token names. Or to the one that showed it.
            let isJudgedAgain = first == .anotherAccount || first == .itself
            #expect(try await queue.action("mine") == (isJudgedAgain ? "wait" : "contact_support"))
            #expect(try await queue.text("select refunded_share from counterfoil.order_status where order_id = 'mine'") == nil)
            #expect(try await queue.count("counterfoil.orders_in_review where order_id = 'mine'") == 1)
            // Where no proof showed it as paid, its client may do so now.
            let isUnseen = first == .nobody || first == .notification
            #expect(
                try await queue.transaction("1")
                    == (isUnseen || first == .anotherAccount ? "unclaimed upload_proof" : "unclaimed contact_support"))
            #expect(try await queue.faults() == [])
            guard !isUnseen else {
                try await show(Self.payment(first), for: "mine", queue)
                #expect(try await queue.order("mine") == OrderFacts(.fulfilled, by: "1"))
                return #expect(try await queue.faults() == [])
            }
            let store = SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0))
            _ = try await store.assign(
                TransactionID(rawValue: "1"), in: nil, to: OrderID(rawValue: "mine"), overrides: true,
                by: OperatorAct(who: "eve", why: "a test"))
            #expect(try await queue.order("mine") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// By an operator, in place of Apple's notification, and without a transaction's name.
    @Test(arguments: First.allCases)
    func anOperatorReversesTheRefundByTheOrderAlone(_ first: First) async throws {
        try await QueueFixture.run { queue in
            try await refund(first, queue)
            let store = SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0))

            let given = try await store.reverseRefund(
                OrderID(rawValue: "mine"), transaction: nil, by: OperatorAct(who: "eve", why: "a test"))

            #expect(given.state == .review)
            #expect(try await queue.order("mine") == OrderFacts(.review, .refundReversed, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// As an order that was left behind before all orders followed: the check finds it, and the command mends it.
    @Test func anOrderThatStayedRefundedIsFoundAndMended() async throws {
        try await QueueFixture.run { queue in
            try await refund(.notification, queue)
            try await queue.admin.execute("delete from counterfoil.answered_orders")
            try await queue.admin.execute("update counterfoil.payments set shown_by_number = null, account_id = null")
            try await reverse(.nobody, queue)
            try #require(try await queue.order("mine").state == .refunded)
            #expect(try await queue.faults() == ["refunded_orders_whose_payment_stands"])
            try await queue.admin.execute("insert into counterfoil.answered_orders values ('1', \(orderNumber("mine")))")
            let store = SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0))
            let act = OperatorAct(who: "eve", why: "a test")

            let given = try await store.reverseRefund(OrderID(rawValue: "mine"), transaction: nil, by: act)

            #expect(given.transactions.map(\.rawValue) == ["1"] && given.state == .review)
            #expect(try await queue.faults() == [])
            await #expect(throws: OperatorError.nothingTakenBack) {
                try await store.reverseRefund(OrderID(rawValue: "mine"), transaction: nil, by: act)
            }
        }
    }

    /// Each order of the account that showed the refund.
    @Test func allOrdersFollow() async throws {
        try await QueueFixture.run { queue in
            try await refund(.notification, queue)
            try await queue.place("second", minutesAgo: 125)
            try await show(Self.refunded(.nobody), for: "second", queue)

            try await reverse(.nobody, queue)

            for order in ["mine", "second"] {
                #expect(try await queue.order(order) == OrderFacts(.review, .refundReversed, by: "1"))
            }
            #expect(try await queue.faults() == [])
        }
    }

    /// An order that has another answer, or another payment, since stays as it is.
    @Test func whatWasAnsweredAnewDoesNotFollow() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("mine", minutesAgo: 125)
            try await queue.change("mine", "quantity = 2")
            try await show(Self.payment(.nobody), for: "mine", queue)
            try await queue.place("other", quantity: 2, minutesAgo: 125)
            try await show(Self.payment(.nobody), for: "other", queue)
            var two = Transaction.sample(id: "2", purchased: Self.paid)
            two.quantity = 2
            try await show(two, for: "other", queue)
            try #require(try await queue.order("other") == OrderFacts(.fulfilled, by: "2"))

            try await tellRefund(.nobody, queue)

            #expect(try await queue.order("mine") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.order("other") == OrderFacts(.fulfilled, by: "2"))
            try await reverse(.nobody, queue)
            #expect(try await queue.order("mine") == OrderFacts(.review, .refundReversed, by: "1"))
            #expect(try await queue.order("other") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    /// A grant is reversed as before, and lists nothing.
    @Test func aGrantIsListedNowhere() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("mine", minutesAgo: 125)
            try await show(Self.payment(.nobody), for: "mine", queue)
            #expect(try await queue.count("counterfoil.answered_orders") == 0)

            try await tellRefund(.nobody, queue)
            #expect(try await queue.order("mine") == OrderFacts(.refunded, .refunded, by: "1"))
            try await reverse(.nobody, queue)

            #expect(try await queue.order("mine") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.answered_orders") == 0)
            #expect(try await queue.faults() == [])
        }
    }
}
