// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

@Suite struct SettlementStoreTests {
    private func grant(_ job: Job, _ transactions: Transaction...) -> Settlement {
        Settlement(
            job, .grantOne, payments: .init(candidates: transactions.map { ShownPayment($0, listedKind: job.order.productKind) }))
    }

    @Test func aPaymentFulfilsItsOrderAndItsJobIsGone() async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)

            let results = try await queue.settle(grant(job, .sample(id: "1")))

            let paid = ShownPayment(.sample(id: "1", purchased: results.purchaseDate), listedKind: .consumable)
            #expect(results == [.settled(.fulfilled(PaymentFacts(paid)))])
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.job(id) == nil)
            #expect(try await queue.count("counterfoil.grants where order_id = 'a' and job_id = \(id.rawValue)") == 1)
            #expect(try await queue.count("counterfoil.attempts where order_id = 'a' and disposition = 'complete'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func theVersionOfTheAppThatMadeAReceiptIsKeptWithTheAttempt() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(
                Settlement(job, .end(.review(.quantityShort, nil)), proofKind: .appReceipt, appVersion: AppVersion("42")))

            #expect(try await queue.count("counterfoil.other_attempts where app_version = '42' and reason = 'quantity_short'") == 1)
        }
    }

    @Test func uncertainAnswersAreCountedApartFromFailures() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            for isUncertain in [false, true, false, true] {
                let job = try #require(try await queue.claim().first)
                _ = try await queue.settle(
                    Settlement(
                        job, .wait(.retry(after: .zero), .unknownAnswer, lane: nil),
                        uncertain: isUncertain))
            }

            let job = try #require(try await queue.claim().first)
            #expect(job.attempt == 5)
            #expect(job.uncertainAttempts == 2)
        }
    }

    @Test func aGrantOfAnAppThatFinishesItsTransactionsLeavesAFollowUp() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await queue.submit("a", "eyJ 1")
            let job = try await queue.claim()[0]

            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate("1")])))

            let followUp = try #require(try await queue.claim().first)
            #expect(followUp.work.kind == .finish)
            #expect(followUp.grantedTransactionID?.rawValue == "1")
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    @Test func aFollowUpThatIsOverLeavesItsOrderAsItWas() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await queue.submit("a", "eyJ 1")
            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], .grantOne, payments: .init(candidates: [Sample.candidate("1")])))
            let attempts = try await queue.count("counterfoil.orders where attempts = 1")

            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], .end(.unchanged)))

            #expect(attempts == 1)
            #expect(try await queue.count("counterfoil.orders where attempts = 1 and state = 'fulfilled'") == 1)
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults().isEmpty)
        }
    }

    @Test func anAppThatLeavesFinishingToItsClientsGetsNoFollowUp() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")

            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], .grantOne, payments: .init(candidates: [Sample.candidate("1")])))

            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    @Test func aStaleLeaseTokenSettlesNothing() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let stale = try #require(try await queue.claim(lease: .zero).first)
            #expect(try await JobStore(pool: queue.pool).rescueExpired(limit: 10) == 1)
            let fresh = try #require(try await queue.claim().first)

            let late = try await queue.settle(grant(stale, .sample(id: "1")))

            #expect(late == [.leaseLost])
            #expect(try await queue.order("a") == OrderFacts(.open))
            #expect(try await queue.count("counterfoil.grants") == 0)
            #expect(fresh.lease.token == stale.lease.token + 1)
            #expect(try await queue.job(fresh.id) == "running 2 -")
        }
    }

    @Test func aRescuedJobThatNobodyClaimedYetIsNotSettledByItsLateAttempt() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let stale = try #require(try await queue.claim(lease: .zero).first)
            _ = try await JobStore(pool: queue.pool).rescueExpired(limit: 10)

            #expect(try await queue.settle(grant(stale, .sample(id: "1"))) == [.leaseLost])
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    @Test func settlingTwiceChangesNothingTheSecondTime() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(grant(job, .sample(id: "1")))

            let again = try await queue.settle(grant(job, .sample(id: "1")))

            #expect(again == [.leaseLost])
            #expect(try await queue.count("counterfoil.attempts") == 1)
        }
    }

    @Test(arguments: [
        ("ann", OrderFacts(.rejected, .alreadyGranted, by: "1")), ("bob", OrderFacts(.rejected, .grantedToAnotherAccount)),
    ])
    func oneTransactionPaysForOneOrder(account: String, expected: OrderFacts) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", account: "ann")
            try await queue.submit("b", "eyJ 1", account: account)
            let jobs = try await queue.claim()
            #expect(jobs.count == 2)

            for job in jobs {
                _ = try await queue.settle(grant(job, .sample(id: "1")))
            }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("b") == expected)
            #expect(try await queue.count("counterfoil.grants") == 1)
            #expect(try await queue.count("counterfoil.proofs where order_id = 'b'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func theNextPaymentOfAReceiptPaysWhenTheFirstIsTaken() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "MII 1")
            let jobs = try await queue.claim()
            _ = try await queue.settle(grant(jobs[0], .sample(id: "1")))

            _ = try await queue.settle(grant(jobs[1], .sample(id: "1"), .sample(id: "2"), .sample(id: "3")))

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(
                try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '3' and reason = 'no_order'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func oneBatchGrantsTheCandidatesOfOneReceiptToSeveralOrders() async throws {
        try await QueueFixture.run { queue in
            for order in ["a", "b", "c"] {
                try await queue.submit(order, "MII \(order)")
            }
            let jobs = try await queue.claim()
            let payments = ["1", "2", "3"].map { Transaction.sample(id: $0) }

            for job in jobs {
                _ = try await queue.settle(
                    Settlement(job, .grantOne, payments: .init(candidates: payments.map { ShownPayment($0) })))
            }

            #expect(try await queue.count("counterfoil.grants") == 3)
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aSecondPaymentOfAPaidOrderIsKeptAsUnclaimed() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("a", "eyJ 2")
            let first = try #require(try await queue.claim().first)
            _ = try await queue.settle(grant(first, .sample(id: "1")))
            let second = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(second, .sample(id: "2")))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(
                try await queue.count(
                    "counterfoil.unclaimed_transactions where transaction_id = '2' and reason = 'order_already_paid'") == 1)
        }
    }

    @Test func aPaymentOfACancelledOrderIsKeptAsUnclaimed() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            try await queue.admin.execute("select * from counterfoil.cancel_order('a', 'changed my mind')")

            _ = try await queue.settle(grant(job, .sample(id: "1")))

            #expect(try await queue.order("a") == OrderFacts(.cancelled, .orderCancelled))
            #expect(try await queue.count("counterfoil.unclaimed_transactions where reason = 'order_cancelled'") == 1)
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    @Test func anUnclaimedPaymentIsClaimedByALaterProofForAFittingOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(
                Settlement(
                    job, .end(.rejected(.wrongProduct, nil)),
                    payments: [SettledPayment(ShownPayment(.sample(id: "1", product: "pro", kind: .nonConsumable)), .unclaimed(.wrongProduct))]))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 1)
            try await queue.submit("b", "eyJ 1", product: "pro")
            let later = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(later, .sample(id: "1", product: "pro", kind: .nonConsumable)))

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    @Test func aRestoredPurchaseOfTheSameAccountIsAlreadyOwned() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", product: "pro")
            try await queue.submit("b", "eyJ 9", product: "pro")
            let jobs = try await queue.claim()
            _ = try await queue.settle(grant(jobs[0], .sample(id: "1", product: "pro", kind: .nonConsumable)))

            _ = try await queue.settle(grant(jobs[1], .sample(id: "9", original: "1", product: "pro", kind: nil)))

            #expect(try await queue.order("b") == OrderFacts(.rejected, .alreadyOwned, by: "9"))
            #expect(try await queue.count("counterfoil.transaction_status where status = 'granted' and order_id = 'a'") == 2)
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    @Test func aRevokedPaymentIsNeverGranted() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.admin.execute(
                """
                insert into counterfoil.revocations (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share)
                values ('\(QueueFixture.bundle)', 'production', '1', '1', 'revocation', now(), now(), 100000)
                """)
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(job, .sample(id: "1")))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    @Test func aReversedRevocationNoLongerStandsInTheWay() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.admin.execute(
                """
                insert into counterfoil.revocations (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share)
                values ('\(QueueFixture.bundle)', 'production', '1', '1', 'revocation', now() - interval '2 days', now() - interval '2 days', 100000),
                    ('\(QueueFixture.bundle)', 'production', '1', '1', 'reversal', now() - interval '1 day', now() - interval '1 day', null)
                """)
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(job, .sample(id: "1")))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    @Test func aLaterProofThatShowsARefundMakesTheOrderRefunded() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(grant(job, .sample(id: "1")))
            try await queue.submit("a", "eyJ 1 again")
            let later = try #require(try await queue.claim().first)
            let revoked = Transaction.sample(id: "1", revoked: Date())

            _ = try await queue.settle(Settlement(later, .end(.refunded(revoked)), payments: .init(revoked: [revoked])))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Whatever it was refused for: what a proof shows as taken back is recorded.
    @Test func aRefundOfASubscriptionsPeriodUnderARestoredIDIsFound() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 2", product: "plus")
            try await queue.submit("b", "eyJ 5", product: "plus")
            let jobs = try await queue.claim()
            let period = Transaction.sample(id: "2", original: "1", product: "plus", kind: .autoRenewable, webOrder: "9")
            let restored = Transaction.sample(
                id: "5", original: "1", product: "plus", kind: .autoRenewable, revoked: Date(), webOrder: "9")
            _ = try await queue.settle(grant(jobs[0], period))

            _ = try await queue.settle(
                Settlement(jobs[1], .end(.rejected(.wrongProduct, nil)), payments: .init(revoked: [restored])))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aRejectionNeverMovesAFulfilledOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("a", "eyJ forged")
            let first = try #require(try await queue.claim().first)
            _ = try await queue.settle(grant(first, .sample(id: "1")))
            let second = try #require(try await queue.claim().first)

            _ = try await queue.settle(Settlement(second, .end(.rejected(.badSignature, nil))))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    @Test func garbageDoesNotHideAnOrderFromThePersonWhoReviewsIt() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("a", "eyJ 2")
            let first = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(first, .end(.review(.ownerMismatch, nil))))
            let second = try #require(try await queue.claim().first)

            _ = try await queue.settle(Settlement(second, .end(.rejected(.badSignature, nil))))

            #expect(try await queue.order("a") == OrderFacts(.review, .ownerMismatch))
        }
    }

    @Test func aBetterProofFulfilsARejectedOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let first = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(first, .end(.rejected(.malformedProof, nil))))
            #expect(try await queue.order("a") == OrderFacts(.rejected, .malformedProof))
            try await queue.submit("a", "eyJ 2")
            let second = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(second, .sample(id: "2")))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "2"))
        }
    }

    @Test(arguments: [
        (
            Settlement.Action.wait(.retry(after: .seconds(60)), .appStoreUnavailable, lane: nil),
            "available 1 app_store_unavailable", 1
        ),
        (.wait(.snooze(for: .seconds(60)), .appStoreUnavailable, lane: nil), "available 0 app_store_unavailable", 0),
        (.wait(.release, .appStoreUnavailable, lane: nil), "available 0 app_store_unavailable", 0),
        (.discard(.appStoreUnavailable, lane: nil), "discarded 1 app_store_unavailable", 1),
    ])
    func aStayingJobsAttemptCountsByItsAction(action: Settlement.Action, job: String, attempts: Int) async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("a", "eyJ 1")
            let claimed = try #require(try await queue.claim().first)

            _ = try await queue.settle(Settlement(claimed, action))

            #expect(try await queue.job(id) == job)
            #expect(try await queue.count("counterfoil.orders where order_id = 'a' and attempts = \(attempts)") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aTokenOfAnotherAccountsOrderIsLeftToAPerson() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.submit("theirs", "eyJ 5", account: "bob")
            try await queue.admin.execute(
                "update counterfoil.orders set app_account_token = $1 where order_id = 'theirs'", [.uuid(token)])
            try await queue.submit("mine", "eyJ 1", account: "ann")
            let job = try #require(try await queue.claim().first { $0.order.id.rawValue == "mine" })

            _ = try await queue.settle(grant(job, .sample(id: "1", token: token)))

            #expect(try await queue.order("mine") == OrderFacts(.review, .ownerMismatch, by: "1"))
            // The refusal is the order's. The payment is kept as if nobody had shown it.
            #expect(try await queue.count("counterfoil.unclaimed_transactions where reason = 'no_order' and order_id is null") == 1)
        }
    }

    @Test func aRefundedPaymentOfAnotherOrderIsAReplay() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", account: "ann")
            try await queue.submit("b", "eyJ 1", account: "bob")
            let jobs = try await queue.claim()
            _ = try await queue.settle(grant(jobs[0], .sample(id: "1")))
            let revoked = Transaction.sample(id: "1", revoked: Date())

            _ = try await queue.settle(
                Settlement(jobs[1], .grantOne, payments: .init(candidates: [ShownPayment(revoked)])))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.rejected, .grantedToAnotherAccount))
        }
    }

    @Test func aRefundedPaymentOfNobodyRefundsItsOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            let revoked = Transaction.sample(id: "1", revoked: Date())

            _ = try await queue.settle(
                Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(revoked)])))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    /// Whoever logs in on a device may show what its former user was paid back.
    @Test func whatAnotherOwnerWasPaidBackLeavesTheOrderToAPerson() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            _ = try await queue.admin.execute("update counterfoil.orders set app_account_token = gen_random_uuid()")
            let job = try #require(try await queue.claim().first)
            let revoked = Transaction.sample(id: "1", token: UUID(), revoked: Date())

            _ = try await queue.settle(
                Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(revoked)])))

            #expect(try await queue.order("a") == OrderFacts(.review, .ownerMismatch, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    @Test func whatAnotherAccountShowedFirstIsLeftToAPerson() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("theirs", "eyJ 1", account: "bob")
            let first = try #require(try await queue.claim().first)
            _ = try await queue.settle(
                Settlement(
                    first, .end(.review(.quantityShort, nil)),
                    payments: [SettledPayment(ShownPayment(.sample(id: "1")), .unclaimed(.quantityShort))]))
            try await queue.submit("mine", "eyJ 1", account: "ann")
            let second = try #require(try await queue.claim().first)

            _ = try await queue.settle(grant(second, .sample(id: "1")))

            #expect(try await queue.order("mine") == OrderFacts(.review, .ownerMismatch, by: "1"))
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    /// Shows payment 1 to order a, with this share of it refunded at this many seconds from now.
    private func showRefund(_ share: Revocation.Share, at seconds: Double, _ queue: QueueFixture) async throws {
        try await queue.submit("a", "eyJ \(share)")
        let job = try #require(try await queue.claim().first)
        var payment = Transaction.sample(id: "1")
        let date = Date(timeIntervalSinceNow: seconds)
        payment.revocation = Revocation(.signedTransaction, date: date, share: share, asOf: date)
        _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(payment)])))
    }

    @Test func whatWasRefundedInPartIsUnclaimedForThat() async throws {
        try await QueueFixture.run { queue in
            try await showRefund(.part(40_000), at: -1, queue)

            #expect(try await queue.order("a") == OrderFacts(.review, .partlyRefunded, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions where reason = 'partly_refunded'") == 1)
        }
    }

    @Test func aRefundThatTurnsOutToBeOfAPartLeavesThePaymentToAPerson() async throws {
        try await QueueFixture.run { queue in
            try await showRefund(.whole, at: -2, queue)
            #expect(try await queue.order("a").state == .refunded)

            try await showRefund(.part(40_000), at: -1, queue)

            #expect(try await queue.order("a") == OrderFacts(.review, .partlyRefunded, by: "1"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions where reason = 'partly_refunded'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aProductBoughtAgainAfterItsRefundIsLeftToAPersonAndKept() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", product: "pro")
            let first = try #require(try await queue.claim().first)
            let bought = Date(timeIntervalSinceNow: -1000)
            _ = try await queue.settle(
                grant(first, .sample(id: "1", product: "pro", kind: .nonConsumable, purchased: bought)))
            try await queue.submit("b", "eyJ 2", product: "pro")
            let second = try #require(try await queue.claim().first)
            let again = Transaction.sample(id: "2", original: "1", product: "pro", kind: .nonConsumable)
            let revoked = Transaction.sample(
                id: "1", product: "pro", kind: .nonConsumable, purchased: bought, revoked: Date(timeIntervalSinceNow: -500))

            _ = try await queue.settle(
                Settlement(second, .grantOne, payments: .init(candidates: [ShownPayment(again)], revoked: [revoked])))

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.review, .boughtAgainAfterRevocation, by: "2"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '2'") == 1)
        }
    }

    @Test func concurrentSettlementsOfOnePaymentGrantItOnce() async throws {
        try await QueueFixture.run { queue in
            for order in 0..<20 {
                try await queue.submit("order-\(order)", "eyJ 1", account: "account-\(order)")
            }
            let jobs = try await queue.claim(limit: 100)
            #expect(jobs.count == 20)
            let store = SettlementStore(pool: queue.pool, workerID: queue.worker)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for job in jobs {
                    group.addTask {
                        let settlement = Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate("1")]))
                        // As a settler would: what the race refused is sent again.
                        while true {
                            do {
                                _ = try await store.settle([settlement])
                                return
                            } catch let error as PostgresError
                                where [.uniqueViolation, .deadlockDetected, .lockNotAvailable].contains(error.sqlState)
                            {
                                continue
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await queue.count("counterfoil.grants") == 1)
            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 1)
            #expect(try await queue.count("counterfoil.orders where reason = 'granted_to_another_account'") == 19)
            #expect(try await queue.faults() == [])
        }
    }
}

extension [SettlementResult.Result] {
    /// Of the first grant; the samples are bought "now".
    fileprivate var purchaseDate: Date {
        if case .settled(.fulfilled(let candidate))? = first { candidate.transaction.purchaseDate } else { .distantPast }
    }
}
