// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// The objections that an operator overrules by assigning a payment: plainly, with an override, or never.
@Suite struct OverruledObjectionTests {
    private let act = OperatorAct(who: "eve", why: "the customer called")

    private func store(_ queue: QueueFixture) -> SettlementStore {
        SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0))
    }

    private func order(_ id: String, _ queue: QueueFixture) async throws {
        try await queue.admin.execute(
            "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ($1, $2, 'coins', 'ann')",
            [.text(id), .text(QueueFixture.bundle)])
    }

    /// The ledger keeps the payment, and its order `a` is in review.
    private func keep(_ queue: QueueFixture, _ payment: Transaction, as reason: Reason) async throws {
        try await queue.submit("a", "eyJ a", product: payment.productID.rawValue)
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(
            Settlement(
                job, .end(.review(reason, payment.id)), payments: [SettledPayment(ShownPayment(payment), .unclaimed(reason))]))
    }

    /// Assigns payment 1.
    private func assign(
        _ queue: QueueFixture, to order: String = "a", fetched: Transaction? = nil, overrides: Bool = false
    ) async throws -> [Objection] {
        try await store(queue).assign(
            TransactionID(rawValue: "1"), in: nil, fetched: fetched, to: OrderID(rawValue: order), overrides: overrides, by: act)
    }

    /// Payment 1 is assigned to order `a` with an override, and not without. The order's history names the objection.
    private func expectOverride(of objection: Objection, _ queue: QueueFixture, fetched: Transaction? = nil) async throws {
        await #expect(throws: OperatorError.objections([objection])) { try await assign(queue, fetched: fetched) }
        #expect(try await queue.count("counterfoil.grants") == 0)

        #expect(try await assign(queue, fetched: fetched, overrides: true) == [objection])

        #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        let events = try await queue.admin.execute("select why from counterfoil.order_events where kind = 'assigned'")
        #expect(try events.map { try $0.string(0) } == ["transaction 1 of production, although \(objection): the customer called"])
        #expect(try await queue.faults() == [])
    }

    // MARK: With an override

    @Test(arguments: [true, false])
    func advancedCommerceNeedsAnOverride(isFetched: Bool) async throws {
        try await QueueFixture.run { queue in
            var payment = Transaction.sample(id: "1")
            payment.isAdvancedCommerce = true
            if isFetched {
                try await order("a", queue)
            } else {
                try await keep(queue, payment, as: .unsupportedYet)
            }

            try await expectOverride(of: .advancedCommerce, queue, fetched: isFetched ? payment : nil)
        }
    }

    @Test func anUndocumentedOwnershipNeedsAnOverride() async throws {
        try await QueueFixture.run { queue in
            var payment = Transaction.sample(id: "1")
            payment.ownership = .unknown
            try await order("a", queue)

            try await expectOverride(of: .unknownOwnership, queue, fetched: payment)
        }
    }

    /// It doesn't seem to be another account's.
    @Test func aMissingTokenNeedsAnOverride() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set absent_token_policy = 'review'")
            try await keep(queue, .sample(id: "1"), as: .tokenMissing)
            try await queue.admin.execute("update counterfoil.orders set app_account_token = $1", [.uuid(UUID())])

            try await expectOverride(of: .noToken, queue)
        }
    }

    @Test func aTokenThatAnotherProofShowedIsNotMissing() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.admin.execute("update counterfoil.apps set absent_token_policy = 'review'")
            try await keep(queue, .sample(id: "1", token: token), as: .quantityShort)
            try await queue.admin.execute("update counterfoil.orders set app_account_token = $1", [.uuid(token)])

            #expect(try await assign(queue, fetched: .sample(id: "1")) == [])

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    /// The ledger knows when a restore was paid, whatever it is kept for.
    @Test func aRestoreOfWhatWasPaidBeforeTheLedgerNeedsAnOverride() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now() - interval '5 days'")
            var restored = Transaction.sample(id: "1", original: "0", product: "pro", kind: .nonConsumable)
            restored.originalPurchaseDate = Date(timeIntervalSinceNow: -30 * 86_400)
            try await keep(queue, restored, as: .quantityShort)

            try await expectOverride(of: .beforeLedger, queue)
        }
    }

    /// The row lacks the time by which it was judged. Its reason stands for that while the app's ledger has a start.
    @Test(arguments: [true, false])
    func whatIsKeptAsOlderThanTheLedgerNeedsAnOverride(hasStart: Bool) async throws {
        try await QueueFixture.run { queue in
            try await keep(queue, .sample(id: "1"), as: .beforeLedger)

            if hasStart {
                try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now() - interval '5 days'")
                try await expectOverride(of: .beforeLedger, queue)
            } else {
                #expect(try await assign(queue) == [])
            }
        }
    }

    /// Apple's answer is recorded before the ledger is asked. The refund is written with the grant, or not at all.
    @Test func aPartThatAppleShowsAsRefundedNeedsAnOverride() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            var payment = Transaction.sample(id: "1", purchased: Date(timeIntervalSinceNow: -500))
            payment.revocation = Revocation(
                .signedTransaction, date: Date(timeIntervalSinceNow: -300), share: .part(40_000),
                asOf: Date(timeIntervalSinceNow: -200))

            try await expectOverride(of: .partlyRefunded, queue, fetched: payment)

            #expect(try await queue.count("counterfoil.order_status where order_id = 'a' and refunded_share = 40") == 1)
        }
    }

    // MARK: Never

    @Test(arguments: [Transaction.Ownership.purchased, .unknown])
    func whatAppleShowsAsRefundedIsNotAssigned(_ ownership: Transaction.Ownership) async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            var payment = Transaction.sample(
                id: "1", purchased: Date(timeIntervalSinceNow: -500), revoked: Date(timeIntervalSinceNow: -300))
            payment.ownership = ownership
            let fetched = payment
            let objections: [Objection] = ownership == .unknown ? [.takenBack, .unknownOwnership] : [.takenBack]

            await #expect(throws: OperatorError.objections(objections)) {
                try await assign(queue, fetched: fetched, overrides: true)
            }

            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.count("counterfoil.revocations") == 0)
        }
    }

    /// No refund is recorded of what nobody paid for here.
    @Test func whatAFamilyMemberPaidForIsNotAssigned() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            var payment = Transaction.sample(
                id: "1", purchased: Date(timeIntervalSinceNow: -500), revoked: Date(timeIntervalSinceNow: -300))
            payment.ownership = .familyShared
            let fetched = payment

            await #expect(throws: OperatorError.objections([.paidBySomebodyElse(.familyShared)])) {
                try await assign(queue, fetched: fetched, overrides: true)
            }
        }
    }

    /// The refund is reversed first, by an act of its own.
    @Test func aRefundThatAppleDeniesIsNotOverruled() async throws {
        try await QueueFixture.run { queue in
            try await keep(queue, .sample(id: "1"), as: .quantityShort)
            _ = try await store(queue).refund(OrderID(rawValue: "a"), transaction: nil, by: act)
            try await order("b", queue)

            await #expect(throws: OperatorError.objections([.refundReversed])) {
                try await assign(queue, to: "b", fetched: .sample(id: "1"), overrides: true)
            }
            #expect(try await queue.count("counterfoil.grants") == 0)

            _ = try await store(queue).reverseRefund(OrderID(rawValue: "a"), transaction: nil, by: act)
            #expect(try await assign(queue, to: "b") == [])
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    // MARK: Plainly

    /// A kept payment, and the kind that the shop lists for its product.
    struct Plain: CustomTestStringConvertible, Sendable {
        let payment: Transaction
        let reason: Reason
        var listed = ProductKind.consumable

        var testDescription: String { reason.rawValue }

        static let all = [
            Plain(payment: .sample(id: "1", kind: .nonRenewing), reason: .productKindMismatch),
            Plain(payment: .sample(id: "1", kind: .autoRenewable), reason: .subscriptionUnconfirmed, listed: .autoRenewable),
            Plain(payment: .sample(id: "1", purchased: Date(timeIntervalSinceNow: -3_600)), reason: .purchaseBeforeOrder),
            Plain(payment: seats, reason: .seatsAdded, listed: .autoRenewable),
        ]

        private static var seats: Transaction {
            var seats = Transaction.sample(id: "1", kind: .autoRenewable, webOrder: "9")
            seats.additionalReason = .seatAddition
            return seats
        }
    }

    /// Nothing is overridden, and the order's history names no objection.
    @Test(arguments: Plain.all)
    func whatAnOperatorOverrulesByAssigningIsNotNamed(_ plain: Plain) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute(
                "update counterfoil.products set kind = $1 where product_id = 'coins'", [.text(plain.listed.rawValue)])
            try await keep(queue, plain.payment, as: plain.reason)

            #expect(try await assign(queue) == [])

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.order_events where why like '%although%'") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// Beside an objection that does need an override, it isn't named either.
    @Test func anOverrideNamesOnlyWhatNeedsIt() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            var payment = Transaction.sample(id: "1", purchased: Date(timeIntervalSinceNow: -3_600))
            payment.isAdvancedCommerce = true

            try await expectOverride(of: .advancedCommerce, queue, fetched: payment)
        }
    }
}
