// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// What the feed tells of a subscription and of payments that no order has; and that it takes back by the same way what is over.
@Suite struct ToldSubscriptionTests {
    private static let now = Date()

    private static func at(_ hours: Double) -> Date { now.addingTimeInterval(hours * 3600) }

    private static func period(
        _ id: String, of product: String = "plus", from begin: Double, until end: Double,
        reason: Transaction.PurchaseReason? = .renewal, token: UUID? = nil
    ) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: product, kind: .autoRenewable, purchased: at(begin), token: token, webOrder: "w" + id)
        period.expiresDate = at(end)
        period.endAsOf = at(begin)
        period.purchaseReason = reason
        return period
    }

    private static let first = period("1", from: -100, until: -10, reason: .purchase)

    private static func refunded(_ period: Transaction, share: Revocation.Share = .whole, at hour: Double) -> Transaction {
        var refunded = period
        refunded.revocation = Revocation(.signedTransaction, date: at(hour), share: share, asOf: at(hour))
        refunded.endAsOf = at(hour)
        return refunded
    }

    private static func renewal(signed hour: Double, will: Bool = true, grace: Double? = nil) -> Renewal {
        Renewal(
            originalID: TransactionID(rawValue: "1"), productID: ProductID(rawValue: "plus"), willRenew: will,
            isInBillingRetry: grace != nil, graceEndsAt: grace.map(at), signedAt: at(hour))
    }

    private func addPlans(_ queue: QueueFixture) async throws {
        try await queue.admin.execute(
            """
            insert into counterfoil.products (bundle_id, product_id, kind)
            select '\(QueueFixture.bundle)', p, 'auto_renewable' from unnest(array['plus', 'basic']) p
            """)
    }

    /// Ann's first period is granted to her order `a`.
    private func subscribe(_ queue: QueueFixture, _ first: Transaction = first) async throws {
        try await queue.place(
            "a", product: first.productID.rawValue, minutesAgo: Self.now.timeIntervalSince(first.purchaseDate) / 60 + 5)
        try await queue.upload("a", product: first.productID.rawValue)
        try await queue.settle(first, for: "a")
        try #require(try await queue.order("a").state == .fulfilled)
    }

    private func tell(
        _ queue: QueueFixture, _ period: Transaction, signed hour: Double? = nil, type: String = "DID_RENEW",
        renewal: Renewal? = nil
    ) async throws {
        var period = period
        if let hour { period.endAsOf = Self.at(hour) }
        var told = Told(type, period, signedAt: period.endAsOf ?? Self.now)
        told.renewal = renewal
        try await queue.tell(told)
    }

    /// What was told since it was asked last, a line a change.
    private func news(_ queue: QueueFixture, _ read: inout Int64) async throws -> [String] {
        let rows = try await queue.admin.execute(
            """
            select
                c.id,
                concat_ws(
                    ' ', c.kind, c.transaction_id, c.account_id, trim_scale(c.refunded_share),
                    case c.kind
                        when 'subscription_changed' then concat_ws(
                            ' ', c.details ->> 'status', c.details ->> 'product_id', 'until',
                            round(extract(epoch from (c.details ->> 'access_until')::timestamptz - now()) / 3600),
                            case c.details ->> 'will_renew' when 'true' then 'renews' when 'false' then 'ends' end,
                            'next ' || (c.details ->> 'next_transaction_id'))
                        when 'payment_renamed' then concat_ws(
                            ' ', c.details #>> '{before,name}', c.details #>> '{before,account_id}', '->',
                            c.details #>> '{after,name}', c.details #>> '{after,account_id}', c.details #>> '{after,order_id}')
                    end)
            from counterfoil.changes_since(counterfoil.changes_from('-infinity')) c
            where c.id > $1 and c.kind not like 'order%'
            order by c.id
            """, [.int8(read)])
        if let last = rows.last { read = try last.int64(0) }
        return try rows.map { try $0.string(1) }
    }

    @Test func eachDifferenceOfASubscriptionIsToldOnceAndWhole() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            try await addPlans(queue)
            try await subscribe(queue)
            #expect(try await news(queue, &read) == ["subscription_changed 1 ann expired plus until -10"])

            let second = Self.period("2", from: -10, until: 20)
            for _ in 1...2 { try await tell(queue, second, renewal: Self.renewal(signed: -10)) }
            #expect(
                try await news(queue, &read) == [
                    "subscription_renewed 2 ann", "subscription_changed 2 ann active plus until 20 renews",
                ])

            try await tell(queue, second, type: "DID_CHANGE_RENEWAL_STATUS", renewal: Self.renewal(signed: -5, will: false))
            #expect(try await news(queue, &read) == ["subscription_changed 2 ann active plus until 20 ends"])

            // Signed before it begins: the reader has to know when.
            let third = Self.period("3", of: "basic", from: 20, until: 740)
            try await tell(queue, third, signed: -4, renewal: Self.renewal(signed: -4))
            #expect(
                try await news(queue, &read) == [
                    "subscription_renewed 3 ann", "subscription_changed 2 ann active plus until 20 renews next 3",
                ])

            // An older word, and one about what was told.
            try await tell(queue, second, signed: -9, renewal: Self.renewal(signed: -9, will: false))
            #expect(try await news(queue, &read) == [])

            try await tell(queue, Self.refunded(second, at: -2), type: "REFUND")
            #expect(
                try await news(queue, &read) == [
                    "payment_refunded 2 ann 100", "subscription_changed 2 ann revoked plus until -2 renews next 3",
                ])
            try await tell(queue, second, signed: -1, type: "REFUND_REVERSED")
            #expect(
                try await news(queue, &read) == [
                    "payment_refund_reversed 2 ann", "subscription_changed 2 ann active plus until 20 renews next 3",
                ])
            #expect(try await queue.faults() == [])
        }
    }

    @Test func graceIsToldAndItsEnd() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            try await addPlans(queue)
            try await subscribe(queue)
            _ = try await news(queue, &read)

            try await tell(queue, Self.first, type: "DID_FAIL_TO_RENEW", renewal: Self.renewal(signed: -9, grace: 300))
            try await tell(queue, Self.first, type: "GRACE_PERIOD_EXPIRED", renewal: Self.renewal(signed: -1))

            #expect(
                try await news(queue, &read) == [
                    "subscription_changed 1 ann grace plus until 300 renews", "subscription_changed 1 ann expired plus until -10 renews",
                ])
        }
    }

    /// Apple told of it before anybody knew whose it is. The grant of an earlier period says so.
    @Test func aPaymentThatIsAnAccountsRenewalAfterAllIsToldSo() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            try await addPlans(queue)
            try await tell(queue, Self.period("2", from: -10, until: 700))
            #expect(
                try await news(queue, &read) == ["payment_unclaimed 2", "subscription_changed 2 active plus until 700"])

            try await subscribe(queue)

            #expect(
                try await news(queue, &read) == [
                    "payment_renamed 2 ann unclaimed -> renewal ann", "subscription_changed 2 ann active plus until 700",
                ])
        }
    }

    /// A token in a later renewal says whose the run is. The first customer's later renewals aren't another's.
    @Test func aTokenThatSpeaksForEarlierPeriodsRenamesThem() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            let token = UUID()
            try await addPlans(queue)
            try await queue.place("of bob", account: "bob", token: token)
            for (id, begin) in [("1", -101.0), ("2", -51)] {
                try await tell(
                    queue, Self.period(id, from: begin, until: begin + 50, reason: id == "1" ? .purchase : .renewal))
            }
            _ = try await news(queue, &read)

            try await tell(queue, Self.period("3", from: -1, until: 700, token: token))

            #expect(
                try await news(queue, &read).sorted() == [
                    "payment_renamed 1 bob unclaimed -> unclaimed bob", "payment_renamed 2 bob unclaimed -> renewal bob",
                    "subscription_changed 3 bob active plus until 700", "subscription_renewed 3 bob",
                ].sorted())
        }
    }

    /// One order a period is a way to deliver.
    @Test func aRenewalThatPaysAnOrderIsNoRenewalAnyMore() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            try await addPlans(queue)
            try await subscribe(queue)
            let second = Self.period("2", from: -10, until: 700)
            try await tell(queue, second)
            _ = try await news(queue, &read)

            try await queue.place("b", product: "plus", minutesAgo: 0)
            try await queue.change("b", "recovery = true")
            try await queue.upload("b", product: "plus")
            try await queue.settle(second, for: "b")

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await news(queue, &read) == ["payment_renamed 2 ann renewal ann -> granted ann b"])
            // Its refund is the order's.
            try await tell(queue, Self.refunded(second, at: -1), type: "REFUND")
            #expect(try await news(queue, &read) == ["subscription_changed 2 ann revoked plus until -1"])
        }
    }

    /// Of any payment without an order: what stands of its refunds. The reversal of nothing is told by nothing.
    @Test func aRefundOfWhatNobodyOrderedIsToldAndItsReversal() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            let paid = Transaction.sample(id: "7", purchased: Self.at(-10))
            try await queue.tell(Told("ONE_TIME_CHARGE", paid, signedAt: Self.at(-10)))
            try await queue.tell(Told("REFUND_REVERSED", paid, signedAt: Self.at(-9)))
            #expect(try await news(queue, &read) == ["payment_unclaimed 7"])

            var part = paid
            part.revocation = Revocation(.signedTransaction, date: Self.at(-8), share: .part(30_000), asOf: Self.at(-8))
            var whole = paid
            whole.revocation = Revocation(.signedTransaction, date: Self.at(-7), share: .whole, asOf: Self.at(-7))
            for refund in [part, part, whole] {
                try await queue.tell(Told("REFUND", refund, signedAt: refund.revocation!.asOf!))
            }
            try await queue.tell(Told("REFUND_REVERSED", paid, signedAt: Self.at(-6)))

            #expect(
                try await news(queue, &read) == [
                    "payment_refunded 7 30", "payment_refunded 7 100", "payment_refund_reversed 7",
                ])
            #expect(try await queue.faults() == [])
        }
    }

    /// An operator's word, and Apple's answer, are told as a notification's are.
    @Test func whatOperatorsAndLookUpsLearnIsTold() async throws {
        try await QueueFixture.run { queue in
            var read: Int64 = 0
            try await addPlans(queue)
            try await subscribe(queue)
            _ = try await news(queue, &read)
            let store = SettlementStore(pool: queue.pool, workerID: queue.worker)
            let (order, act) = (OrderID(rawValue: "a"), OperatorAct(who: "olga", why: "a test"))

            _ = try await store.refund(order, transaction: nil, by: act)
            #expect(try await news(queue, &read) == ["subscription_changed 1 ann revoked plus until -10"])
            _ = try await store.reverseRefund(order, transaction: nil, by: act)
            let reversed = try await news(queue, &read)
            #expect(reversed == ["refund_reversed 1 ann", "subscription_changed 1 ann expired plus until -10"])

            let second = Self.period("2", from: -10, until: 700)
            let word = SubscriptionWord(
                status: 1,
                told: StoreNotification(
                    type: "", bundleID: Sample.bundleID, environment: .production,
                    contents: .transaction(second, signedAt: Self.at(-1), text: "eyJ"), renewal: Self.renewal(signed: -1)))
            for _ in 1...2 { _ = try await store.record([word]) }
            #expect(
                try await news(queue, &read) == [
                    "subscription_renewed 2 ann", "subscription_changed 2 ann active plus until 700 renews",
                ])

            try await queue.place("b", product: "plus")
            _ = try await store.assign(second.id, in: nil, to: OrderID(rawValue: "b"), overrides: true, by: act)
            #expect(try await news(queue, &read) == ["payment_renamed 2 ann renewal ann -> granted ann b"])
        }
    }
}
