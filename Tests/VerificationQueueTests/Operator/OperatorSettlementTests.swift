// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What operators settle by hand: through the ledger's own rules, each with who and why.
@Suite struct OperatorSettlementTests {
    private let act = OperatorAct(who: "eve", why: "the customer called")

    private func store(_ queue: QueueFixture) -> SettlementStore {
        SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0))
    }

    /// An order in review whose payment was verified and is unclaimed.
    private func review(
        _ queue: QueueFixture, _ order: String, _ payment: Transaction, account: String = "ann",
        reason: Reason = .ownerMismatch
    ) async throws {
        try await queue.submit(order, "eyJ \(order)", account: account)
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(
            Settlement(
                job, .end(.review(reason, payment.id)), payments: [SettledPayment(ShownPayment(payment), .unclaimed(reason))]))
    }

    private func assign(
        _ queue: QueueFixture, _ id: String, to order: String, fetched: Transaction? = nil, overrides: Bool = false
    ) async throws -> [Objection] {
        try await store(queue).assign(
            TransactionID(rawValue: id), in: nil, fetched: fetched, to: OrderID(rawValue: order), overrides: overrides, by: act)
    }

    /// Order `a` of ann, which transaction 1 was granted to.
    private let firstHolder = LedgerFacts.Holder(
        orderID: OrderID(rawValue: "a"), accountID: AccountID(rawValue: "ann"), transactionID: TransactionID(rawValue: "1"))

    /// Order `a` is granted and refunded, and `b` is there for the purchase that follows.
    private func buyAgainAfterARefund(_ queue: QueueFixture, _ kind: ProductKind) async throws -> Transaction {
        try await order("a", queue)
        let refunded = Transaction.sample(id: "1", kind: kind, purchased: Date(timeIntervalSinceNow: -600))
        _ = try await assign(queue, "1", to: "a", fetched: refunded)
        _ = try await refund(queue, "a")
        try await order("b", queue)
        return Transaction.sample(id: "2", original: "1", kind: kind, purchased: Date())
    }

    private func events(_ queue: QueueFixture) async throws -> [String] {
        try await queue.admin.execute("select order_id, kind, who, why from counterfoil.order_events order by id").map { row in
            "\(try row.string(0)) \(try row.string(1)) \(try row.string(2)) \(try row.string(3))"
        }
    }

    private func order(_ id: String, _ queue: QueueFixture) async throws {
        _ = try await queue.admin.execute(
            "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ($1, $2, 'coins', 'ann')",
            [.text(id), .text(QueueFixture.bundle)])
    }

    @Test func anUnclaimedPaymentIsGranted() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))

            #expect(try await assign(queue, "1", to: "a") == [])

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.count("counterfoil.grants where job_id is null and order_id = 'a'") == 1)
            #expect(try await events(queue) == ["a assigned eve transaction 1 of production: the customer called"])
            #expect(try await queue.faults() == [])
        }
    }

    /// The kept row of a restore has no original date: the reason says that it was paid before the ledger began.
    @Test(arguments: [true, false], [true, false])
    func whatWasPaidBeforeTheLedgerBeganNeedsAnOverride(isRestored: Bool, isFetched: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now() - interval '5 days'")
            var restored = Transaction.sample(id: "2", original: isRestored ? "1" : "2", product: "pro", kind: .nonConsumable)
            if isRestored { restored.originalPurchaseDate = Date(timeIntervalSinceNow: -30 * 86_400) }
            try await queue.submit("a", "eyJ a", product: "pro")
            let job = try #require(try await queue.claim().first)
            let reason: Reason = isRestored ? .beforeLedger : .ownerMismatch
            _ = try await queue.settle(
                Settlement(
                    job, .end(.review(reason, restored.id)),
                    payments: [SettledPayment(ShownPayment(restored), .unclaimed(reason))]))
            let fetched = isFetched ? restored : nil

            if isRestored {
                await #expect(throws: OperatorError.objections([.beforeLedger])) {
                    try await assign(queue, "2", to: "a", fetched: fetched)
                }
            }
            let overridden = try await assign(queue, "2", to: "a", fetched: fetched, overrides: isRestored)
            #expect(overridden == (isRestored ? [.beforeLedger] : []))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aGrantedPaymentIsRefusedByNamingItsOrder() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))
            _ = try await assign(queue, "1", to: "a")
            try await order("b", queue)

            await #expect(throws: OperatorError.granted(OrderID(rawValue: "a"))) {
                try await assign(queue, "1", to: "b", overrides: true)
            }
            await #expect(throws: OperatorError.granted(OrderID(rawValue: "a"))) {
                try await assign(queue, "1", to: "b", fetched: .sample(id: "1"), overrides: true)
            }
            #expect(try await queue.order("b") == OrderFacts(.open))
            #expect(try await events(queue).count == 1)
        }
    }

    @Test func whatNobodyVerifiedIsNotGranted() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)

            await #expect(throws: OperatorError.notVerified) { try await assign(queue, "9", to: "a", overrides: true) }
            await #expect(throws: OperatorError.noSuchOrder) { try await assign(queue, "9", to: "nothing") }
            #expect(try await queue.order("a") == OrderFacts(.open))
        }
    }

    @Test func whatAppleToldJustNowIsGranted() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)

            _ = try await assign(queue, "7", to: "a", fetched: .sample(id: "7"))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "7"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anotherAccountsPaymentNeedsAnOverride() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"), account: "bob", reason: .quantityShort)
            try await order("b", queue)

            await #expect(throws: OperatorError.objections([.anotherOwner])) { try await assign(queue, "1", to: "b") }
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 1)

            #expect(try await assign(queue, "1", to: "b", overrides: true) == [.anotherOwner])
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("a") == OrderFacts(.review, .quantityShort, by: "1"))
            #expect(
                try await events(queue) == [
                    "b assigned eve transaction 1 of production, although the payment seems to be another account's: the customer called"
                ])
        }
    }

    @Test func aTokenOfAnotherAccountsOrderIsGoneOverAsWell() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await review(queue, "a", .sample(id: "1", token: token), account: "bob")
            _ = try await queue.admin.execute(
                "update counterfoil.orders set app_account_token = $1 where order_id = 'a'", [.uuid(token)])
            try await order("b", queue)

            _ = try await assign(queue, "1", to: "b", overrides: true)

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "1"))
            // The ledger keeps what Apple signed, whoever decided.
            let keeps = try await queue.admin.execute("select app_account_token = $1 from counterfoil.grants", [.uuid(token)])
            #expect(try keeps[0].bool(0))
            #expect(try await queue.faults() == [])
        }
    }

    /// Of refunds the ledger's word counts, and the proof's own is the older one.
    @Test func anOrderThatWasRefundedForWhatStandsNowIsPaidByItsNextProof() async throws {
        try await QueueFixture.run { queue in
            try await order("b", queue)
            let refunded = Transaction.sample(
                id: "1", purchased: Date(timeIntervalSinceNow: -500), revoked: Date(timeIntervalSinceNow: -300))
            func show() async throws {
                try await queue.submit("a", "eyJ 1")
                let job = try #require(try await queue.claim().first)
                _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(refunded)])))
            }
            try await show()
            try #require(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            _ = try await store(queue).reverseRefund(
                OrderID(rawValue: "b"), transaction: TransactionID(rawValue: "1"), by: act)
            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "1"))

            try await show()

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Apple's share may become smaller.
    @Test func anOrderThatWasRefundedForWhatWentBackInPartIsLeftToAPerson() async throws {
        try await QueueFixture.run { queue in
            func show(_ share: Revocation.Share, asOf seconds: TimeInterval) async throws {
                var shown = Transaction.sample(id: "1", purchased: Date(timeIntervalSinceNow: -500))
                let date = Date(timeIntervalSinceNow: -300)
                shown.revocation = Revocation(
                    .signedTransaction, date: date, share: share, asOf: Date(timeIntervalSinceNow: seconds))
                try await queue.submit("a", "eyJ 1")
                let job = try #require(try await queue.claim().first)
                _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(shown)])))
            }
            try await show(.whole, asOf: -200)
            try #require(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))

            try await show(.part(50_000), asOf: -100)

            #expect(try await queue.order("a") == OrderFacts(.review, .partlyRefunded, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// What is bought for good is known by its original transaction, whose key the first payment holds.
    @Test func whatWasBoughtAgainAfterARefundIsGranted() async throws {
        try await QueueFixture.run { queue in
            let again = try await buyAgainAfterARefund(queue, .nonConsumable)

            await #expect(throws: OperatorError.objections([.boughtAgain])) {
                try await assign(queue, "2", to: "b", fetched: again)
            }
            #expect(try await assign(queue, "2", to: "b", fetched: again, overrides: true) == [.boughtAgain])

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Each period paid after a refund is a payment of its own.
    @Test func whatWasSubscribedAgainAfterARefundNeedsNoOverride() async throws {
        try await QueueFixture.run { queue in
            let again = try await buyAgainAfterARefund(queue, .autoRenewable)

            #expect(try await assign(queue, "2", to: "b", fetched: again) == [])

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Its product was listed as a consumable by mistake, and the list was corrected since, or not.
    @Test(arguments: [true, false])
    func aRestoreOfWhatWasGrantedAsAConsumableIsNotGrantedAgain(isCorrected: Bool) async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            _ = try await assign(queue, "1", to: "a", fetched: .sample(id: "1"))
            try await review(queue, "b", .sample(id: "2", original: "1", kind: nil), reason: .productKindMismatch)
            if isCorrected { _ = try await queue.admin.execute("update counterfoil.products set kind = 'non_consumable'") }

            await #expect(
                throws: OperatorError.objections(
                    [.granted(firstHolder)] + (isCorrected ? [] : [.restoresConsumable(TransactionID(rawValue: "1"))]))
            ) {
                try await assign(queue, "2", to: "b", overrides: true)
            }
            #expect(try await queue.count("counterfoil.grants") == 1)
        }
    }

    @Test func whatWasListedAsAConsumableIsAssignedOnceTheListIsCorrected() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "b", .sample(id: "2", original: "1", kind: nil), reason: .productKindMismatch)
            _ = try await queue.admin.execute("update counterfoil.products set kind = 'non_consumable'")

            #expect(try await assign(queue, "2", to: "b") == [])

            #expect(try await queue.count("counterfoil.grants where grant_key = 'original:1'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anotherProductAndFewerUnitsNeedAnOverride() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            _ = try await queue.admin.execute("update counterfoil.orders set quantity = 2")
            let payment = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            let objections: [Objection] = [
                .anotherProduct(paid: ProductID(rawValue: "pro"), ordered: ProductID(rawValue: "coins")),
                .tooFew(paid: 1, ordered: 2),
            ]

            await #expect(throws: OperatorError.objections(objections)) { try await assign(queue, "1", to: "a", fetched: payment) }
            #expect(try await assign(queue, "1", to: "a", fetched: payment, overrides: true) == objections)

            #expect(try await queue.count("counterfoil.grants where grant_key = 'original:1' and product_id = 'pro'") == 1)
            // A check doesn't complain of what an operator decided.
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anOrderIsAssignedOnce() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)

            let results = await withTaskGroup(of: Bool.self) { group in
                for id in 1...6 {
                    group.addTask {
                        (try? await assign(queue, "\(id)", to: "a", fetched: .sample(id: "\(id)"))) != nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            #expect(results.count { $0 } == 1)
            #expect(try await queue.count("counterfoil.grants") == 1)
            #expect(try await events(queue).count == 1)
        }
    }

    @Test func aPaymentIsAssignedOnce() async throws {
        try await QueueFixture.run { queue in
            for order in 1...6 { try await self.order("o\(order)", queue) }

            let results = await withTaskGroup(of: Bool.self) { group in
                for order in 1...6 {
                    group.addTask {
                        (try? await assign(queue, "1", to: "o\(order)", fetched: .sample(id: "1"))) != nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            #expect(results.count { $0 } == 1)
            #expect(try await queue.count("counterfoil.grants") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func appleIsToldOfWhatWasAssigned() async throws {
        try await QueueFixture.run { queue in
            _ = try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await order("a", queue)

            _ = try await assign(queue, "1", to: "a", fetched: .sample(id: "1"))

            #expect(try await queue.count("counterfoil.jobs where kind = 'finish' and transaction_id = '1'") == 1)
        }
    }

    // MARK: Refunds

    /// The transaction that was taken back and the order's state, such as `1 refunded`.
    private func refund(
        _ queue: QueueFixture, _ order: String, _ id: String? = nil, at moment: Date? = nil
    ) async throws -> String {
        let taken = try await store(queue).refund(
            OrderID(rawValue: order), transaction: id.map(TransactionID.init(rawValue:)), at: moment, by: act)
        return "\(taken.transaction.rawValue) \(taken.state.rawValue)"
    }

    /// A proof of order `a` showed these payments, none of which was granted.
    private func show(_ queue: QueueFixture, _ payments: [(payment: Transaction, reason: Reason)]) async throws {
        try await queue.submit("a", "eyJ a")
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(
            Settlement(
                job, .end(.review(.ownerMismatch, nil)),
                payments: payments.map { SettledPayment(ShownPayment($0.payment), .unclaimed($0.reason)) }))
    }

    @Test func aFulfilledOrderIsRefunded() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            _ = try await assign(queue, "1", to: "a", fetched: .sample(id: "1"))

            #expect(try await refund(queue, "a") == "1 refunded")

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await events(queue).last == "a refunded eve transaction 1 of production: the customer called")
            #expect(try await queue.faults() == [])
            await #expect(throws: OperatorError.objections([.orderIsOver(.refunded)])) { try await refund(queue, "a") }
        }
    }

    @Test func anOrderWhosePaymentWasNeverGrantedIsRefunded() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))

            _ = try await refund(queue, "a")

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.faults() == [])
            await #expect(throws: OperatorError.objections([.orderIsOver(.refunded), .refundReversed])) {
                try await assign(queue, "1", to: "a", fetched: .sample(id: "1"), overrides: true)
            }
        }
    }

    @Test func ofSeveralPaymentsOneIsNamed() async throws {
        try await QueueFixture.run { queue in
            try await show(queue, [(.sample(id: "1"), .ownerMismatch), (.sample(id: "2"), .ownerMismatch)])

            await #expect(throws: OperatorError.severalPayments(["1", "2"].map(TransactionID.init(rawValue:)))) {
                try await refund(queue, "a")
            }
            // The other may still fulfil the order.
            #expect(try await refund(queue, "a", "2") == "2 review")
            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '1'") == 1)
        }
    }

    /// The customer paid twice, and got one payment back.
    @Test func theSecondPaymentOfAFulfilledOrderIsTakenBackAlone() async throws {
        try await QueueFixture.run { queue in
            try await show(queue, [(.sample(id: "1"), .ownerMismatch), (.sample(id: "2"), .orderAlreadyPaid)])
            _ = try await assign(queue, "1", to: "a")

            await #expect(throws: OperatorError.severalPayments(["1", "2"].map(TransactionID.init(rawValue:)))) {
                try await refund(queue, "a")
            }
            #expect(try await refund(queue, "a", "2") == "2 fulfilled")

            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aPaymentThatARefundedOrderDidNotNeedIsTakenBack() async throws {
        try await QueueFixture.run { queue in
            try await show(queue, [(.sample(id: "1"), .ownerMismatch), (.sample(id: "2"), .orderAlreadyPaid)])
            _ = try await assign(queue, "1", to: "a")
            #expect(try await refund(queue, "a", "1") == "1 refunded")

            #expect(try await refund(queue, "a", "2") == "2 refunded")

            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            await #expect(throws: OperatorError.objections([.orderIsOver(.refunded)])) { try await refund(queue, "a", "1") }
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: What is decided meanwhile

    /// Runs `act` until it waits for payment 1, which another settlement holds; that one does `change` and commits.
    private func decide<Success: Sendable>(
        _ queue: QueueFixture, _ act: @escaping @Sendable () async throws -> Success, meanwhile change: String
    ) async throws -> Success {
        let (isHeld, held) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Success?.self) { group in
            group.addTask {
                try await queue.admin.withTransaction { connection in
                    _ = try await connection.execute(
                        SQLFile.lockPayments.statement,
                        [.textArray(["1"]), .textArray([QueueFixture.bundle]), .textArray(["production"])])
                    held.finish()
                    try await connection.waitUntilALockIsWaitedFor("transactionid")
                    _ = try await connection.execute(change)
                }
                return nil
            }
            group.addTask {
                for await _ in isHeld {}
                return try await act()
            }
            var success: Success?
            for try await result in group { success = result ?? success }
            return try #require(success)
        }
    }

    @Test func whatAnotherSettlementTookMeanwhileIsNotTakenBack() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))

            await #expect(throws: OperatorError.nothingPaid) {
                try await decide(
                    queue, { try await refund(queue, "a") },
                    meanwhile: """
                        update counterfoil.payments
                        set order_number = 999999, granted_at = now(), reason = null, product_kind = 'consumable'
                        """)
            }

            #expect(try await queue.count("counterfoil.revocations") == 0)
            #expect(try await queue.order("a") == OrderFacts(.review, .ownerMismatch, by: "1"))
        }
    }

    @Test func whatWasReversedMeanwhileIsNotReversedAgain() async throws {
        try await QueueFixture.run { queue in
            try await show(queue, [(.sample(id: "1"), .ownerMismatch)])
            _ = try await refund(queue, "a", "1")

            _ = try await decide(
                queue, { try await reverse(queue, "a", "1") },
                meanwhile: """
                    insert into counterfoil.revocations
                        (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of)
                    select bundle_id, environment, transaction_id, original_transaction_id, 'reversal', now(), now()
                    from counterfoil.revocations
                    """)

            // Nobody had moved the order.
            #expect(try await queue.count("counterfoil.revocations where kind = 'reversal'") == 1)
            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "1"))
        }
    }

    // MARK: Refunds that were reversed

    /// What nothing stands against any more and the order's state, such as `1 fulfilled`.
    private func reverse(
        _ queue: QueueFixture, _ order: String, _ id: String? = nil, at moment: Date? = nil
    ) async throws -> String {
        let given = try await store(queue).reverseRefund(
            OrderID(rawValue: order), transaction: id.map(TransactionID.init(rawValue:)), at: moment, by: act)
        return given.transactions.map(\.rawValue).joined(separator: ",") + " \(given.state.rawValue)"
    }

    /// Also a non-consumable's, which is revoked by its original transaction.
    @Test(arguments: [ProductKind.consumable, .nonConsumable])
    func anOrderWhoseRefundWasReversedIsFulfilledAgain(_ kind: ProductKind) async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            _ = try await assign(
                queue, "1", to: "a",
                fetched: .sample(id: "1", kind: kind, purchased: Date(timeIntervalSinceNow: -600)), overrides: true)
            _ = try await refund(queue, "a")

            #expect(try await reverse(queue, "a") == "1 fulfilled")

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await events(queue).last == "a refund_reversed eve transaction 1: the customer called")
            #expect(try await queue.faults() == [])
            await #expect(throws: OperatorError.nothingTakenBack) { try await reverse(queue, "a") }
        }
    }

    @Test func aSecondPaymentWhoseRefundWasReversedIsUnclaimedAgain() async throws {
        try await QueueFixture.run { queue in
            try await show(queue, [(.sample(id: "1"), .ownerMismatch), (.sample(id: "2"), .orderAlreadyPaid)])
            _ = try await assign(queue, "1", to: "a")
            _ = try await refund(queue, "a", "2")

            #expect(try await reverse(queue, "a", "2") == "2 fulfilled")

            #expect(
                try await queue.count("counterfoil.paid_not_delivered where transaction_id = '2' and reason = 'order_already_paid'")
                    == 1)
            #expect(try await queue.count("counterfoil.payment_states where state = 'taken_back'") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// It was taken back under two ids, and one still stands.
    @Test func whatStillStandsTakenBackIsNotUnclaimedAgain() async throws {
        try await QueueFixture.run { queue in
            let pro = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            try await show(queue, [(pro, .noOrder)])
            _ = try await refund(queue, "a", "1")
            _ = try await queue.admin.execute(
                """
                insert into counterfoil.revocations
                    (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share)
                select bundle_id, environment, '2', original_transaction_id, kind, occurred_at, as_of, share
                from counterfoil.revocations
                """)
            _ = try await queue.admin.execute(
                """
                insert into counterfoil.payments (
                    transaction_id, bundle_id, environment, original_transaction_id, payment_key, product_id, product_kind, quantity,
                    purchased_at, reason
                )
                select '2', bundle_id, environment, '1', payment_key, product_id, product_kind, quantity, purchased_at, 'refunded'
                from counterfoil.payments
                """)

            #expect(try await reverse(queue, "a", "1") == "1 review")
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)

            #expect(try await reverse(queue, "a", "2") == "2 review")
            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '1'") == 1)
        }
    }

    /// A signed transaction gave a part, for a later date than the operator's.
    @Test(arguments: [true, false])
    func aRefundThatAppleOutweighsIsRefused(isGranted: Bool) async throws {
        try await QueueFixture.run { queue in
            var payment = Transaction.sample(id: "1", purchased: Date(timeIntervalSinceNow: -600))
            try await review(queue, "a", payment, reason: .quantityShort)
            if isGranted { _ = try await assign(queue, "1", to: "a", overrides: true) }
            let before = try await queue.order("a")
            payment.revocation = Revocation(
                .signedTransaction, date: Date(timeIntervalSinceNow: -100), share: .part(40_000), asOf: Date(timeIntervalSinceNow: -50))
            try await queue.submit("b", "eyJ b")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .end(.rejected(.wrongProduct, nil)), payments: .init(revoked: [payment])))

            await #expect(throws: OperatorError.outweighed) {
                try await refund(queue, "a", at: Date(timeIntervalSinceNow: -200))
            }

            #expect(try await queue.order("a") == before)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aReversalNamesTheOrderThatWasRefunded() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            try await order("b", queue)
            _ = try await assign(queue, "1", to: "a", fetched: .sample(id: "1"))
            _ = try await refund(queue, "a")

            await #expect(throws: OperatorError.granted(OrderID(rawValue: "a"))) {
                try await reverse(queue, "b", "1")
            }

            #expect(try await reverse(queue, "a") == "1 fulfilled")
            #expect(try await queue.faults() == [])
        }
    }

    /// A payment of its own, which Apple names by the first one's id: either refund may be reversed without the other.
    @Test func whatWasBoughtAgainIsNotTakenForTheFirstPayment() async throws {
        try await QueueFixture.run { queue in
            let again = try await buyAgainAfterARefund(queue, .nonConsumable)
            try await review(queue, "b", again, reason: .boughtAgainAfterRevocation)
            _ = try await refund(queue, "b")

            #expect(try await reverse(queue, "a") == "1 fulfilled")
            #expect(try await queue.order("b") == OrderFacts(.refunded, .refunded, by: "2"))
            #expect(try await queue.faults() == [])

            #expect(try await reverse(queue, "b", "2") == "2 review")
            #expect(try await queue.count("counterfoil.paid_not_delivered where transaction_id = '2'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// Order `a` is in review for its payment, of which Apple takes back a restore.
    private func refundUnderARestoredID(_ queue: QueueFixture) async throws {
        let bought = Date(timeIntervalSinceNow: -600)
        try await review(queue, "a", .sample(id: "1", kind: .nonConsumable, purchased: bought))
        var restored = Transaction.sample(id: "2", original: "1", kind: .nonConsumable, purchased: bought)
        restored.revocation = .whole(Date(timeIntervalSinceNow: -60), by: .receipt)
        try await queue.submit("a", "eyJ a")
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(
            Settlement(job, .end(.refunded(.sample(id: "1"))), payments: .init(revoked: [restored])))
        try #require(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
    }

    /// It was refunded under the id of a restore, which nobody has to name.
    @Test func aPaymentThatWasRefundedUnderAnotherIDIsLeftToAPersonAgain() async throws {
        try await QueueFixture.run { queue in
            try await refundUnderARestoredID(queue)

            #expect(try await reverse(queue, "a") == "2 review")

            #expect(try await queue.count("counterfoil.paid_not_delivered where transaction_id = '1'") == 1)
        }
    }

    /// Order `a` showed the payment first.
    @Test func everyOrderThatWasRefundedForThePaymentIsLeftToAPersonAgain() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"), reason: .quantityShort)
            var refunded = Transaction.sample(id: "1")
            refunded.revocation = .whole(Date(), by: .receipt)
            try await queue.submit("b", "eyJ b")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .end(.refunded(refunded)), payments: .init(revoked: [refunded])))
            try #require(try await queue.order("b") == OrderFacts(.refunded, .refunded, by: "1"))

            #expect(try await reverse(queue, "b") == "1 review")

            for order in ["a", "b"] {
                #expect(try await queue.order(order) == OrderFacts(.review, .refundReversed, by: "1"))
            }
            #expect(try await queue.count("counterfoil.orders_in_review") == 2)
        }
    }

    /// A refund of another payment was reversed; its own stands, under the id of a restore.
    @Test func anOrderWhoseOwnRefundStandsStaysRefunded() async throws {
        try await QueueFixture.run { queue in
            try await refundUnderARestoredID(queue)
            try await review(queue, "b", .sample(id: "5"))
            _ = try await refund(queue, "b")

            #expect(try await reverse(queue, "a", "5") == "5 refunded")
        }
    }

    /// A refund was recorded by hand as of now; Apple tells an earlier date, from before this purchase.
    @Test func anOrderThatWasRefundedForAnotherPaymentMovesBackByItself() async throws {
        try await QueueFixture.run { queue in
            try await review(
                queue, "a", .sample(id: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -600)),
                reason: .tokenMissing)
            try await order("b", queue)
            _ = try await assign(
                queue, "2", to: "b",
                fetched: .sample(
                    id: "2", original: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -300)))
            var refunded = Transaction.sample(id: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -600))
            for (time, order) in [(-30.0, OrderFacts(.refunded, .refunded, by: "2")), (-450, OrderFacts(.fulfilled, by: "2"))] {
                refunded.revocation = .whole(Date(timeIntervalSinceNow: time), by: .receipt)
                try await queue.submit("a", "eyJ \(time)")
                let job = try #require(try await queue.claim().first)
                _ = try await queue.settle(
                    Settlement(job, .end(.refunded(refunded)), payments: .init(revoked: [refunded])))
                #expect(try await queue.order("b") == order)
                #expect(try await queue.faults() == [])
            }

            await #expect(throws: OperatorError.nothingTakenBack) { try await reverse(queue, "b") }
        }
    }

    /// Order `a` was paid ten minutes ago; the same was had again, under another id, five minutes ago.
    private func restoreLater(_ queue: QueueFixture) async throws -> Transaction {
        try await order("a", queue)
        _ = try await assign(
            queue, "1", to: "a", fetched: .sample(id: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -600)))
        return .sample(id: "2", original: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -300))
    }

    /// Nothing listens to Apple's notifications: a refund is recorded late, and what was bought after it is no restore.
    @Test func aRefundThatIsRecordedLateTakesBackNoLaterPurchase() async throws {
        try await QueueFixture.run { queue in
            let again = try await restoreLater(queue)
            try await queue.submit("b", "eyJ b")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(again)])))
            try #require(try await queue.order("b") == OrderFacts(.rejected, .alreadyOwned, by: "2"))

            #expect(try await refund(queue, "a", at: Date(timeIntervalSinceNow: -450)) == "1 refunded")

            #expect(try await queue.count("counterfoil.paid_not_delivered where transaction_id = '2'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// A restore of what stood again by then, though that is recorded later, is no payment of its own.
    @Test(arguments: [-400.0, nil])
    func aReversalCountsFromWhenItWasMade(seconds: Double?) async throws {
        try await QueueFixture.run { queue in
            let again = try await restoreLater(queue)
            _ = try await refund(queue, "a", at: Date(timeIntervalSinceNow: -500))

            _ = try await reverse(queue, "a", at: seconds.map { Date(timeIntervalSinceNow: $0) })

            try await order("b", queue)
            await #expect(
                throws: OperatorError.objections(seconds == nil ? [.boughtAgain] : [.granted(firstHolder)])
            ) {
                try await assign(queue, "2", to: "b", fetched: again)
            }
        }
    }

    @Test func aRefundIsNeitherToComeNorBeforeItsPayment() async throws {
        try await QueueFixture.run { queue in
            _ = try await restoreLater(queue)

            await #expect(throws: OperatorError.isToCome) {
                try await refund(queue, "a", at: Date(timeIntervalSinceNow: 600))
            }
            await #expect(throws: OperatorError.notPaidYet) {
                try await refund(queue, "a", at: Date(timeIntervalSinceNow: -700))
            }
            #expect(try await refund(queue, "a") == "1 refunded")
            await #expect(throws: OperatorError.isToCome) {
                try await reverse(queue, "a", at: Date(timeIntervalSinceNow: 600))
            }
        }
    }

    /// Apple has dated purchases an hour ahead of their signature.
    @Test(arguments: [true, false])
    func aPurchaseThatIsDatedAheadMayBeRefundedBeforeItsDate(namesTheTime: Bool) async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            let ahead = Transaction.sample(id: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: 3600))
            _ = try await assign(queue, "1", to: "a", fetched: ahead)

            await #expect(throws: OperatorError.notPaidYet) { try await refund(queue, "a", at: Date(timeIntervalSinceNow: -600)) }
            #expect(try await refund(queue, "a", at: namesTheTime ? Date() : nil) == "1 refunded")

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func theRefundOfWhatWasBoughtAgainLeavesTheFirstPaymentAlone() async throws {
        try await QueueFixture.run { queue in
            let again = try await buyAgainAfterARefund(queue, .nonConsumable)
            try await review(queue, "b", again, reason: .boughtAgainAfterRevocation)
            _ = try await reverse(queue, "a")

            #expect(try await refund(queue, "b") == "2 refunded")

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Neither was granted, and either may be taken back last.
    @Test(arguments: [true, false])
    func aFirstPaymentIsUnclaimedAgainAlthoughTheNextOneIsTakenBack(isReversedLast: Bool) async throws {
        try await QueueFixture.run { queue in
            let first = Transaction.sample(id: "1", kind: .nonConsumable, purchased: Date(timeIntervalSinceNow: -600))
            try await review(queue, "a", first)
            _ = try await refund(queue, "a")
            let again = Transaction.sample(
                id: "2", original: "1", kind: .nonConsumable, purchased: Date())
            try await review(queue, "b", again, reason: .boughtAgainAfterRevocation)

            if isReversedLast { _ = try await refund(queue, "b") }
            #expect(try await reverse(queue, "a") == "1 review")
            if !isReversedLast { _ = try await refund(queue, "b") }

            #expect(try await queue.count("counterfoil.paid_not_delivered where transaction_id = '1'") == 1)
            #expect(try await queue.count("counterfoil.payment_states where transaction_id = '2' and state = 'taken_back'") == 1)
        }
    }

    /// Another system had delivered that period, under another id.
    @Test func whatTheLedgerHoldsByItsKeyIsNotUnclaimedAgain() async throws {
        try await QueueFixture.run { queue in
            var period = Transaction.sample(id: "3", original: "1", product: "plus", kind: .autoRenewable)
            period.webOrderLineItemID = "w1"
            try await show(queue, [(period, .noOrder)])
            _ = try await refund(queue, "a", "3")
            _ = try await queue.admin.execute(
                """
                select counterfoil.import_grants('\(QueueFixture.bundle)', 'production', jsonb_build_array(jsonb_build_object(
                    'order_id', 'c', 'account_id', 'ann', 'product_id', 'plus', 'product_kind', 'auto_renewable',
                    'transaction_id', '4', 'original_transaction_id', '1', 'web_order_line_item_id', 'w1', 'purchased_at', now())))
                """)

            #expect(try await reverse(queue, "c") == "3 fulfilled")

            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// Signed between the refund and its reversal.
    @Test func anOldProofOfTheRefundTakesNothingBackAgain() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)
            _ = try await assign(queue, "1", to: "a", fetched: .sample(id: "1"))
            _ = try await refund(queue, "a")
            _ = try await reverse(queue, "a")

            try await queue.submit("b", "eyJ b")
            let job = try #require(try await queue.claim().first)
            var refunded = Transaction.sample(id: "1")
            refunded.revocation = .whole(Date(timeIntervalSinceNow: -60), by: .receipt)
            _ = try await queue.settle(
                Settlement(job, .end(.rejected(.alreadyGranted, nil)), payments: .init(revoked: [refunded])))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.revocations where kind = 'revocation'") == 2)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aPaymentThatWasRefundedBeforeItsGrantIsLeftToAPersonAndGranted() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))
            _ = try await refund(queue, "a")

            #expect(try await reverse(queue, "a") == "1 review")
            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "1"))
            #expect(try await queue.count("counterfoil.orders_in_review where order_id = 'a'") == 1)
            // As it was before: nobody has to ask Apple.
            _ = try await assign(queue, "1", to: "a")

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func whatAppleConfirmsThoughItWasTakenBackIsNotFinished() async throws {
        try await QueueFixture.run { queue in
            try await review(queue, "a", .sample(id: "1"))
            _ = try await refund(queue, "a")
            try await queue.submit("b", "eyJ b")
            let job = try #require(try await queue.claim().first)
            let confirmed = ShownPayment(.sample(id: "1"), isConfirmed: true)

            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [confirmed])))

            #expect(try await queue.order("b") == OrderFacts(.review, .refundReversed, by: "1"))
            #expect(try await queue.count("counterfoil.proofs where order_id = 'b' and reason = 'refund_reversed'") == 1)
            #expect(try await reverse(queue, "b", "1") == "1 review")
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anotherProductsPaymentIsNotTheOrdersOwn() async throws {
        try await QueueFixture.run { queue in
            let pro = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            try await show(queue, [(pro, .noOrder), (.sample(id: "2"), .ownerMismatch)])

            #expect(try await refund(queue, "a") == "2 refunded")

            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '1'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func whatIsNotTheOrdersOwnIsTakenBackWhenItIsNamed() async throws {
        try await QueueFixture.run { queue in
            let pro = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            try await show(queue, [(pro, .noOrder), (.sample(id: "2"), .renewal)])

            await #expect(throws: OperatorError.otherPayments(["1", "2"].map(TransactionID.init(rawValue:)))) {
                try await refund(queue, "a")
            }
            #expect(try await queue.count("counterfoil.revocations") == 0)

            #expect(try await refund(queue, "a", "1") == "1 review")
            #expect(try await queue.count("counterfoil.revocations where transaction_id = '1'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anOrderWithoutAPaymentIsNotRefunded() async throws {
        try await QueueFixture.run { queue in
            try await order("a", queue)

            await #expect(throws: OperatorError.nothingPaid) { try await refund(queue, "a") }
            await #expect(throws: OperatorError.noSuchOrder) { try await refund(queue, "nothing") }
        }
    }
}
