// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// A payment that another order's proof shows: it pays for the order that it was made for, or is answered as what the ledger holds.
@Suite struct OwnOrderTests {
    private static var now: Date { Date() }
    private static let tokens = [UUID(), UUID()]

    private static func ago(_ minutes: Double) -> Date { now.addingTimeInterval(-minutes * 60) }

    // MARK: An older purchase

    @Test func anUnfinishedPurchasePaysTheOrderThatItWasMadeFor() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("abandoned", minutesAgo: 70)
            try await queue.place("own", minutesAgo: 60)
            try await queue.place("after", minutesAgo: 30)
            let id = try await queue.upload("new")

            let results = try await queue.settle(.sample(id: "1", purchased: Self.ago(59)), for: "new")

            #expect(results.map(\.paidOrder) == ["own"])
            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("new") == OrderFacts(.open))
            #expect(try await queue.order("abandoned") == OrderFacts(.open))
            #expect(try await queue.action("new") == "upload_proof")
            #expect(try await queue.action("own") == "finish")
            #expect(try await queue.transaction("1") == "granted finish")
            #expect(try await queue.job(id) == nil)
            #expect(
                try await queue.history("new")
                    == ["complete another_payment 1 transaction 1 paid for order own, which it was made for"])
            #expect(try await queue.count("counterfoil.proofs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// "own" was made three hours ago, and "new" now.
    @Test(arguments: [
        (bought: 181.0, state: OrderState.open), (bought: 179, state: .fulfilled), (bought: 121, state: .fulfilled),
        (bought: 119, state: .open),
    ])
    func thePurchaseCameWithinTheHour(_ row: (bought: Double, state: OrderState)) async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 180)
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(row.bought)), for: "new")

            #expect(try await queue.order("own").state == row.state)
            #expect(try await queue.order("new").state == (row.state == .open ? .review : .open))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func theWindowIsTheApps() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set own_order_window = '90 minutes'")
            try await queue.place("own", minutesAgo: 180)
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(100)), for: "new")

            #expect(try await queue.order("own").state == .fulfilled)
        }
    }

    @Test(arguments: [
        "another account", "another product", "more units", "a token", "rejected", "cancelled", "paid",
    ])
    func anOrderThatDoesNotFitIsNotPaid(because why: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            switch why {
            case "another account": try await queue.change("own", "account_id = 'bob'")
            case "another product": try await queue.change("own", "product_id = 'pro'")
            case "more units": try await queue.change("own", "quantity = 2")
            case "a token": try await queue.change("own", "app_account_token = gen_random_uuid()")
            case "rejected": try await queue.change("own", "state = 'rejected', reason = 'wrong_app'")
            case "cancelled": try await queue.change("own", "state = 'cancelled', reason = 'order_cancelled'")
            default:
                try await queue.upload("own")
                _ = try await queue.settle(.sample(id: "0"), for: "own")
                // Whatever the order says of itself.
                try await queue.change("own", "state = 'open'")
            }
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(59)), for: "new")

            #expect(try await queue.order("new").state == .review)
            #expect(try await queue.count("counterfoil.grants where transaction_id = '1'") == 0)
            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '1'") == 1)
        }
    }

    /// Alice showed her payment; then Bob buys on the same device, where he had left an order within the hour.
    @Test func whatSomebodyElseShowedFirstPaysNothing() async throws {
        try await QueueFixture.run { queue in
            let payment = Transaction.sample(id: "1", purchased: Self.ago(50))
            try await queue.place("bob's", account: "bob", minutesAgo: 60)
            try await queue.upload("alice's", account: "alice")
            _ = try await queue.settle(payment, for: "alice's")
            try #require(try await queue.order("alice's") == OrderFacts(.review, .purchaseBeforeOrder, by: "1"))
            try await queue.upload("new", account: "bob")

            _ = try await queue.settle(payment, for: "new")

            #expect(try await queue.order("bob's") == OrderFacts(.open))
            #expect(try await queue.order("new") == OrderFacts(.review, .ownerMismatch, by: "1"))
        }
    }

    // MARK: A token

    @Test(arguments: [false, true])
    func proofsThatWereSwappedPayTheOrdersOfTheirTokens(inOneBatch: Bool) async throws {
        try await QueueFixture.run { queue in
            for (order, token) in zip(["a", "b"], Self.tokens) {
                try await queue.place(order, token: token)
                try await queue.upload(order)
            }
            let jobs = try await queue.claim()
            let settlements = zip(jobs, [("2", Self.tokens[1]), ("1", Self.tokens[0])]).map { job, payment in
                Settlement(.sample(id: payment.0, token: payment.1), shownBy: job)
            }

            let store = SettlementStore(pool: queue.pool, workerID: queue.worker)
            if inOneBatch {
                _ = try await store.settle(settlements)
            } else {
                for settlement in settlements { _ = try await store.settle([settlement]) }
            }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aPaymentForAnotherProductPaysTheOrderOfItsToken() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", product: "pro", token: Self.tokens[0])
            try await queue.place("new", token: Self.tokens[1])
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", product: "pro", kind: .nonConsumable, token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("new") == OrderFacts(.open))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aPaymentOfAnotherKindThanTheShopListedIsLeftToAnOperator() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", product: "pro", token: Self.tokens[0])
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", product: "pro", kind: .nonRenewing, token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("own") == OrderFacts(.open))
            #expect(try await queue.order("new") == OrderFacts(.review, .wrongProduct, by: "1"))
        }
    }

    /// An order without a token says nothing against the one that the token names.
    @Test(arguments: [OrderState.open, .rejected, .review])
    func theOrderOfTheTokenComesBeforeTheOneThatShowsIt(_ state: OrderState) async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", token: Self.tokens[0])
            if state != .open { try await queue.change("own", "state = '\(state.rawValue)', reason = 'bad_signature'") }
            try await queue.place("other")
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("new") == OrderFacts(.open))
        }
    }

    @Test func theTokenOfASettledOrderPasses() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("paid", token: Self.tokens[0])
            try await queue.upload("paid")
            _ = try await queue.settle(.sample(id: "0", token: Self.tokens[0]), for: "paid")
            try await queue.place("new", token: Self.tokens[1])
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("new") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Of another account's order, of orders of two accounts, and of no order at all.
    @Test(arguments: [["bob"], ["bob", "ann"], []])
    func aTokenThatDoesNotSpeakForTheAccountPaysNothing(of accounts: [String]) async throws {
        try await QueueFixture.run { queue in
            for account in accounts {
                try await queue.place(account + "'s", account: account, token: Self.tokens[0])
            }
            try await queue.place("new", token: Self.tokens[1])
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("new") == OrderFacts(.review, .ownerMismatch, by: "1"))
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    @Test func aTokenThatNoOrderBearsDoesNotPayAnOrderWithoutOne() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(59), token: UUID()), for: "new")

            #expect(try await queue.order("own") == OrderFacts(.open))
            #expect(try await queue.order("new") == OrderFacts(.review, .purchaseBeforeOrder, by: "1"))
        }
    }

    @Test func anOrderThatWasMadeAfterThePurchaseIsNotPaid() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", token: Self.tokens[0], minutesAgo: 30)
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(60), token: Self.tokens[0]), for: "new")

            #expect(try await queue.order("own") == OrderFacts(.open))
            #expect(try await queue.order("new") == OrderFacts(.review, .purchaseBeforeOrder, by: "1"))
        }
    }

    // MARK: The settlement

    @Test func theJobWaitsATurnWhileSomebodyHoldsTheOwnOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            let id = try await queue.upload("new")
            let payment = Transaction.sample(id: "1", purchased: Self.ago(59))

            let results = try await queue.admin.withTransaction { stranger in
                _ = try await stranger.execute(
                    PostgresStatement(name: "hold", sql: "select from counterfoil.orders where order_id = 'own' for update"))
                return try await queue.settle(payment, for: "new")
            }

            #expect(results == [.settled(.unchanged)])
            #expect(try await queue.job(id) == "available 0 -")
            #expect(try await queue.order("own") == OrderFacts(.open))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.history("new").map { $0.prefix(7) } == ["snooze "])
            #expect(try await queue.count("counterfoil.jobs where run_at between now() and now() + interval '5 seconds'") == 1)

            try await queue.admin.execute("update counterfoil.jobs set run_at = now()")
            _ = try await queue.settle(payment, for: "new")
            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.job(id) == nil)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func twoPaymentsOfOneBatchDoNotPayOneOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            for order in ["a", "b", "own"] { try await queue.upload(order) }
            let jobs = try await queue.claim()

            let settlements = jobs.map { job in
                Settlement(.sample(id: "\(job.id.rawValue)", purchased: Self.ago(job.order.id.rawValue == "own" ? 0 : 59)), shownBy: job)
            }
            _ = try await SettlementStore(pool: queue.pool, workerID: queue.worker).settle(settlements)

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "\(jobs[2].id.rawValue)"))
            #expect(try await queue.count("counterfoil.grants") == 1)
            #expect(try await queue.count("counterfoil.jobs where order_id <> 'own' and state = 'available'") == 2)

            try await queue.admin.execute("update counterfoil.jobs set run_at = now()")
            for job in try await queue.claim() {
                _ = try await queue.settle(
                    Settlement(.sample(id: "\(job.id.rawValue)", purchased: Self.ago(59)), shownBy: job))
                #expect(try await queue.order(job.order.id.rawValue).state == .review)
            }
            #expect(try await queue.faults() == [])
        }
    }

    /// What the batch decides about the own order by itself doesn't undo it.
    @Test func anOwnOrderOfTheSameBatchIsPaidThoughItsProofIsRefused() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            for order in ["new", "own"] { try await queue.upload(order) }
            let jobs = try await queue.claim()

            _ = try await queue.settle(
                Settlement(.sample(id: "1", purchased: Self.ago(59)), shownBy: jobs[0]),
                Settlement(jobs[1], .end(.rejected(.badSignature, nil))))

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func theFollowUpIsOfTheOwnOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await queue.place("own", minutesAgo: 60)
            try await queue.upload("new")

            _ = try await queue.settle(.sample(id: "1", purchased: Self.ago(59)), for: "new")

            let followUp = try #require(try await queue.claim().first)
            #expect(followUp.work.kind == .finish)
            #expect(followUp.order.id.rawValue == "own")
            #expect(followUp.grantedTransactionID?.rawValue == "1")
        }
    }

    @Test func aJobOfTheOwnOrderThatWaitsEndsByItself() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("own", minutesAgo: 60)
            let waiting = try await queue.upload("own")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .wait(.snooze(for: .zero), .purchaseNotInReceipt, lane: nil), missing: true))
            try await queue.upload("new")
            let jobs = try await queue.claim()

            _ = try await queue.settle(
                Settlement(.sample(id: "1", purchased: Self.ago(59)), shownBy: try #require(jobs.first { $0.id != waiting })))

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.action("own") == "finish")
            _ = try await queue.settle(Settlement(try #require(jobs.first { $0.id == waiting }), .end(.unchanged)))
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: Another product

    /// The client uploads what it finds unfinished: the old plan's periods, until the new plan's first one comes.
    @Test func afterADowngradeTheOldPlanIsFinishedAndTheNewOnePaysTheOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.addPlans()
            try await queue.place("plus", product: "plus", minutesAgo: 55)
            try await queue.upload("plus")
            _ = try await queue.settle(.period("1", of: "plus", purchased: Self.ago(50)), for: "plus")
            let shown = [
                Transaction.period("1", of: "plus", purchased: Self.ago(50)), .period("2", of: "plus", purchased: Self.ago(20)),
            ]
            for period in shown {
                try await queue.upload("basic", product: "basic")

                let results = try await queue.settle(period, for: "basic")

                #expect(results == [.settled(.anotherPayment(period))])
                #expect(try await queue.order("basic") == OrderFacts(.open))
                #expect(try await queue.action("basic") == "upload_proof")
                #expect(try await queue.transaction(period.id.rawValue)?.hasSuffix(" finish") == true)
                #expect(try await queue.count("counterfoil.jobs") == 0)
                #expect(try await queue.faults() == [])
            }
            try await queue.upload("basic", product: "basic")

            _ = try await queue.settle(.period("3", of: "basic", purchased: Self.now), for: "basic")

            #expect(try await queue.order("basic") == OrderFacts(.fulfilled, by: "3"))
            #expect(try await queue.faults() == [])
        }
    }

    /// The old plan's period, which ends at this many days from now, is shown to the new plan's order; then the chore runs.
    private func awaitRenewal(of queue: QueueFixture, endingIn days: Double) async throws {
        try await queue.addPlans()
        try await queue.place("plus", product: "plus", minutesAgo: 55)
        try await queue.upload("plus")
        var period = Transaction.period("1", of: "plus", purchased: Self.ago(50))
        period.expiresDate = Self.now.addingTimeInterval(days * 86_400)
        _ = try await queue.settle(period, for: "plus")
        try await queue.upload("basic", product: "basic")
        _ = try await queue.settle(period, for: "basic")
    }

    private func review(_ queue: QueueFixture) async throws {
        let identity = WorkerIdentity(name: "test", host: "test", processID: 1, version: "1.0.0")
        try await WorkerStore(pool: queue.pool, identity: identity).reviewAwaitedRenewals(batch: 1)
    }

    @Test(arguments: [(-59.0, OrderState.open), (-61, .review)])
    func sixtyDaysAfterThePeriodAPersonLooks(endsIn days: Double, state: OrderState) async throws {
        try await QueueFixture.run { queue in
            try await awaitRenewal(of: queue, endingIn: days)

            try await review(queue)

            #expect(try await queue.order("basic") == OrderFacts(state, state == .open ? nil : .anotherPayment))
            let isReviewed = state == .review
            #expect(try await queue.count("counterfoil.orders_in_review where order_id = 'basic'") == (isReviewed ? 1 : 0))
            #expect(try await queue.count("counterfoil.awaited_renewals") == (isReviewed ? 0 : 1))
            #expect(try await queue.order("plus").state == .fulfilled)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aRenewalThatComesLateStillPays() async throws {
        try await QueueFixture.run { queue in
            try await awaitRenewal(of: queue, endingIn: -61)
            try await review(queue)
            try await queue.upload("basic", product: "basic")

            _ = try await queue.settle(.period("3", of: "basic", purchased: Self.now), for: "basic")

            #expect(try await queue.order("basic") == OrderFacts(.fulfilled, by: "3"))
        }
    }

    @Test func anOrderThatIsPaidOrHasAPendingProofIsNotReviewed() async throws {
        try await QueueFixture.run { queue in
            try await awaitRenewal(of: queue, endingIn: -61)
            try await queue.upload("basic", product: "basic")
            try await review(queue)
            #expect(try await queue.order("basic") == OrderFacts(.open))
            #expect(try await queue.count("counterfoil.awaited_renewals") == 1)
            _ = try await queue.settle(.period("3", of: "basic", purchased: Self.now), for: "basic")

            try await review(queue)

            #expect(try await queue.order("basic") == OrderFacts(.fulfilled, by: "3"))
            #expect(try await queue.count("counterfoil.awaited_renewals") == 0)
            #expect(try await queue.count("counterfoil.orders_in_review") == 0)
        }
    }

    /// Of another account, bought by the customer, and after a refund.
    @Test(arguments: ["bob's", "bought", "another plan", "refunded"])
    func whatRenewsNothingOfTheAccountIsLeftToAnOperator(_ why: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.addPlans()
            try await queue.place("plus", account: why == "bob's" ? "bob" : "ann", product: "plus", minutesAgo: 55)
            try await queue.upload("plus")
            _ = try await queue.settle(.period("1", of: "plus", purchased: Self.ago(50)), for: "plus")
            if why == "refunded" {
                try await queue.place("refund", product: "plus", minutesAgo: 55)
                try await queue.upload("refund")
                _ = try await queue.settle(.period("1", of: "plus", purchased: Self.ago(50), revoked: Self.ago(40)), for: "refund")
            }
            try await queue.upload("coins")

            var shown = Transaction.period("2", of: why == "another plan" ? "basic" : "plus", purchased: Self.ago(20))
            if ["bought", "another plan"].contains(why) { shown.purchaseReason = .purchase }
            _ = try await queue.settle(shown, for: "coins")

            #expect(try await queue.order("coins") == OrderFacts(.review, why == "bob's" ? .ownerMismatch : .wrongProduct, by: "2"))
            // It renews bob's subscription, whoever shows it.
            #expect(try await queue.transaction("2") == (why == "bob's" ? "unclaimed finish" : "unclaimed contact_support"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aRefundOfAnotherProductLeavesTheOrderOpen() async throws {
        try await QueueFixture.run { queue in
            let payment = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            try await queue.upload("pro", product: "pro")
            _ = try await queue.settle(payment, for: "pro")
            try await queue.upload("coins")
            var refunded = payment
            refunded.revocation = .whole(Self.now, by: .signedTransaction)

            _ = try await queue.settle(refunded, for: "coins")

            #expect(try await queue.order("coins") == OrderFacts(.open))
            #expect(try await queue.order("pro") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.transaction("1") == "revoked finish")
            #expect(try await queue.faults() == [])
        }
    }

    @Test func anUnclaimedPaymentForAnotherProductIsNeverFinished() async throws {
        try await QueueFixture.run { queue in
            let payment = Transaction.sample(id: "1", product: "pro", kind: .nonConsumable)
            try await queue.upload("coins")

            _ = try await queue.settle(payment, for: "coins")

            #expect(try await queue.order("coins") == OrderFacts(.review, .wrongProduct, by: "1"))
            #expect(try await queue.action("coins") == "order_again")
            #expect(try await queue.transaction("1") == "unclaimed order_again")
            #expect(try await queue.history("coins", outcome: true) == ["review"])

            // Its refund says nothing of an order for something else.
            try await queue.upload("pro", product: "pro")
            var refunded = payment
            refunded.revocation = .whole(Self.now, by: .signedTransaction)
            _ = try await queue.settle(refunded, for: "pro")
            #expect(try await queue.order("coins") == OrderFacts(.review, .wrongProduct, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }
}

extension SettlementResult.Result {
    fileprivate var paidOrder: String? {
        guard case .settled(.paidAnother(let order, _)) = self else { return nil }
        return order.rawValue
    }
}

extension Transaction {
    fileprivate static func period(_ id: String, of product: String, purchased: Date, revoked: Date? = nil) -> Transaction {
        .sample(
            id: id, original: "1", product: product, kind: .autoRenewable, purchased: purchased, revoked: revoked, webOrder: "w" + id)
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

    /// The attempts of an order: "disposition reason transaction message", or what they came to.
    fileprivate func history(_ order: String, outcome: Bool = false) async throws -> [String] {
        let wanted = outcome
            ? "counterfoil.attempt_outcome(disposition, reason, transaction_id)"
            : "concat_ws(' ', disposition, reason, transaction_id, message)"
        return try await admin.execute(
            "select \(wanted) from counterfoil.attempts where order_id = $1 order by finished_at", [.text(order)]
        ).map { try $0.string(0) }
    }
}
