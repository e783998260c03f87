// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What Apple answers about subscriptions, where no notification told it.
@Suite struct SubscriptionLookUpTests {
    private static let now = Date()

    private static func at(_ hours: Double) -> Date { now.addingTimeInterval(hours * 3600) }

    private static func period(
        _ id: String, from begin: Double, until end: Double, environment: AppStoreEnvironment = .production, signed: Double? = nil
    ) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: "plus", environment: environment, kind: .autoRenewable, purchased: at(begin),
            webOrder: "w" + id)
        period.expiresDate = at(end)
        period.endAsOf = at(signed ?? begin)
        period.purchaseReason = id == "1" ? .purchase : .renewal
        return period
    }

    private static func word(
        _ transaction: Transaction, signed: Double, willRenew: Bool = true, renewsAt: Double? = nil
    ) -> SubscriptionWord {
        SubscriptionWord(
            status: 1,
            told: StoreNotification(
                type: "", bundleID: Sample.bundleID, environment: transaction.environment,
                contents: .transaction(transaction, signedAt: at(signed), text: "eyJ"),
                renewal: Renewal(
                    originalID: transaction.originalID, productID: transaction.productID, willRenew: willRenew,
                    renewsAt: renewsAt.map(at), signedAt: at(signed))))
    }

    /// Ann's first period ended ten hours ago; Apple had told that it renews.
    private func subscribe(_ queue: QueueFixture) async throws {
        try await queue.listPlus()
        try await queue.place("a", product: "plus", minutesAgo: 101 * 60)
        try await queue.upload("a", product: "plus")
        try await queue.settle(Self.period("1", from: -100, until: -10), for: "a")
        try #require(try await queue.order("a").state == .fulfilled)
        var told = Told("DID_CHANGE_RENEWAL_STATUS", Self.period("1", from: -100, until: -10), signedAt: Self.at(-100))
        told.renewal = Self.word(Self.period("1", from: -100, until: -10), signed: -100, renewsAt: -10).told.renewal
        try await queue.tell(told)
    }

    private func status(_ queue: QueueFixture) async throws -> String? {
        try await queue.text(
            """
            select concat_ws(' ', status, account_id, transaction_id, will_renew) from counterfoil.subscription_status
            where original_transaction_id = '1'
            """)
    }

    /// The notification of the renewal never came, and Apple's history doesn't have it.
    @Test func aSilentSubscriptionIsAskedAboutOnce() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            #expect(try await status(queue) == "expired ann 1 t")
            let verifier = ScriptedVerifier(
                history: [QueueFixture.notificationText("TEST")],
                statuses: ["1": [Self.word(Self.period("2", from: -10, until: 90), signed: 0, renewsAt: 90)]])
            let catchUp = NotificationCatchUp(pool: queue.pool, verifier: verifier, logger: .test)

            try await catchUp.run()

            #expect(verifier.askedSubscriptions == ["1"])
            #expect(try await status(queue) == "active ann 2 t")
            #expect(
                try await queue.text("select state || ' ' || account_id from counterfoil.payment_states where transaction_id = '2'")
                    == "renewal ann")
            #expect(try await queue.text("select failure from counterfoil.catch_ups where environment = 'production'") == nil)
            #expect(
                try await queue.count(
                    "counterfoil.budgets where endpoint = 'get_all_subscription_statuses' and next_call_at > '-infinity'")
                    > 0)

            try await queue.admin.execute("update counterfoil.catch_ups set due_at = now()")
            try await catchUp.run()
            #expect(verifier.askedSubscriptions == ["1"])
            #expect(try await queue.faults() == [])
        }
    }

    /// Apple knows no more than we do: asked again a day later, not at each catch-up. One that won't renew isn't asked about.
    @Test(arguments: [true, false])
    func nobodyIsAskedAboutTwiceADayNorAboutWhatEnds(willRenew: Bool) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            if !willRenew { try await queue.admin.execute("update counterfoil.subscriptions set will_renew = false") }
            let verifier = ScriptedVerifier(history: [QueueFixture.notificationText("TEST")])
            let catchUp = NotificationCatchUp(pool: queue.pool, verifier: verifier, logger: .test)

            for _ in 1...2 {
                try await queue.admin.execute("update counterfoil.catch_ups set due_at = now()")
                try await catchUp.run()
            }

            #expect(verifier.askedSubscriptions == (willRenew ? ["1"] : []))
        }
    }

    /// Of what Apple answers a refund counts, an older text changes nothing, and a payment without its refund reverses none.
    @Test func anAnswerCountsAsItsTextsWereSigned() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            let store = SettlementStore(pool: queue.pool, workerID: queue.worker)
            var refunded = Self.period("1", from: -100, until: -10)
            refunded.revocation = Revocation(.signedTransaction, date: Self.at(-5), share: .whole, asOf: Self.at(-4))

            #expect(try await store.record([Self.word(refunded, signed: -4, willRenew: false)]) == 1)
            #expect(try await queue.order("a").state == .refunded)
            #expect(try await status(queue) == "revoked ann 1 f")

            #expect(try await store.record([Self.word(Self.period("1", from: -100, until: -10), signed: -50)]) == 1)
            #expect(try await store.record([Self.word(Self.period("1", from: -100, until: -10), signed: -1)]) == 1)

            #expect(try await queue.order("a").state == .refunded)
            #expect(try await status(queue) == "revoked ann 1 t")
            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// As if a notification had told of it. A payment without a token is kept for its client.
    @Test(arguments: [true, false])
    func aPaymentThatAppleAnswersWithGoesToTheOrderThatItsTokenNames(bearsToken: Bool) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.listPlus()
            try await queue.place("a", product: "plus", token: token, minutesAgo: 11 * 60)
            var sample = Transaction.sample(
                id: "1", original: "1", product: "plus", kind: .autoRenewable, purchased: Self.at(-10),
                token: bearsToken ? token : nil, webOrder: "w1")
            sample.expiresDate = Self.at(90)
            sample.purchaseReason = .purchase
            let paid = sample

            for _ in 1...2 {
                _ = try await SettlementStore(pool: queue.pool, workerID: queue.worker).record([Self.word(paid, signed: -9)])
            }
            try await queue.work { _ in paid }

            #expect(try await queue.order("a") == (bearsToken ? OrderFacts(.fulfilled, by: "1") : OrderFacts(.open)))
            let why = try await queue.text("select string_agg(why, ' ') from counterfoil.order_events where kind = 'found'")
            #expect(
                why == (bearsToken ? "an answer about its subscription showed transaction 1: its token names the order" : nil))
            #expect(try await queue.faults() == [])
        }
    }

    /// Renewal info that nobody can read: the payment beside it counts.
    @Test func whatIsReadableOfAnAnswerCounts() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            let second = Self.period("2", from: -10, until: 90)
            let word = SubscriptionWord(
                status: 1,
                told: StoreNotification(
                    type: "", bundleID: Sample.bundleID, environment: .production,
                    contents: .transaction(second, signedAt: Self.at(-1), text: "eyJ"), renewalFault: "its renewal info is no text"))

            let taken = try await SettlementStore(pool: queue.pool, workerID: queue.worker).record([word])

            #expect(taken == 1)
            #expect(try await status(queue) == "active ann 2 t")
        }
    }

    /// A text that nobody can read, and the sandbox's where the app takes none, have no effect.
    @Test(arguments: ["unreadable", "of the sandbox"])
    func whatTheAppDoesNotTakeHasNoEffect(why: String) async throws {
        try await QueueFixture.run { queue in
            let word =
                why == "unreadable"
                ? SubscriptionWord(
                    status: 1,
                    told: StoreNotification(
                        type: "", bundleID: Sample.bundleID, environment: .production, contents: .unusable("no signature")))
                : Self.word(Self.period("1", from: -10, until: 90, environment: .sandbox), signed: -10)

            let taken = try await SettlementStore(pool: queue.pool, workerID: queue.worker).record([word])

            #expect(taken == 0)
            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.count("counterfoil.subscriptions") == 0)
        }
    }
}
