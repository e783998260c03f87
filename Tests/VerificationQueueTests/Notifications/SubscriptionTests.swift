// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// Where a subscription is, from what Apple and clients show of it, in whatever order: its owner, its current period and its end.
@Suite struct SubscriptionTests {
    private static let now = Date()

    private static func at(_ hours: Double) -> Date { now.addingTimeInterval(hours * 3600) }

    /// A period that begins this many hours from now, and whose end Apple signed then, or at another hour.
    private static func period(
        _ id: String, of product: String = "plus", from begin: Double, until end: Double,
        reason: Transaction.PurchaseReason? = .renewal, token: UUID? = nil, signed: Double? = nil
    ) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: product, kind: .autoRenewable, purchased: at(begin), token: token, webOrder: "w" + id)
        period.expiresDate = at(end)
        period.endAsOf = at(signed ?? begin)
        period.purchaseReason = reason
        return period
    }

    private static func refunded(_ period: Transaction, share: Revocation.Share = .whole, at hour: Double) -> Transaction {
        var refunded = period
        refunded.revocation = Revocation(.signedTransaction, date: at(hour), share: share, asOf: at(hour))
        refunded.endAsOf = at(hour)
        return refunded
    }

    /// Ann's first period, by default a month from 100 hours ago, was granted to her order `a`.
    private func subscribe(
        _ queue: QueueFixture, _ first: Transaction = period("1", from: -100, until: 620, reason: .purchase)
    ) async throws {
        try await queue.admin.execute(
            """
            insert into counterfoil.products (bundle_id, product_id, kind)
            select '\(QueueFixture.bundle)', p, 'auto_renewable' from unnest(array['plus', 'basic', 'year']) p
            """)
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

    private static func renewal(signed hour: Double, grace: Double? = nil, renewsAt: Double? = nil, will: Bool = true) -> Renewal {
        Renewal(
            originalID: TransactionID(rawValue: "1"), productID: ProductID(rawValue: "plus"), willRenew: will,
            isInBillingRetry: grace != nil, graceEndsAt: grace.map(at), renewsAt: renewsAt.map(at), signedAt: at(hour))
    }

    /// "status account product transaction end", the end in hours from now.
    private func state(_ queue: QueueFixture, of account: String = "ann") async throws -> String? {
        try await queue.text(
            """
            select concat_ws(
                ' ', s.status, s.account_id, s.product_id, s.transaction_id,
                round(extract(epoch from s.expires_at - now()) / 3600))
            from counterfoil.subscription_status_of('\(QueueFixture.bundle)', 'production', '1', '\(account)') s
            """)
    }

    private func value(_ queue: QueueFixture, _ column: String) async throws -> String? {
        try await queue.text("select \(column) from counterfoil.subscription_status where original_transaction_id = '1'")
    }

    // MARK: The owner

    /// Apple keeps the original transaction while plans change. One plan the shop doesn't list.
    @Test(arguments: ["plus", "basic", "unlisted"])
    func aRenewalIsItsSubscriptionsAccountsWhateverItsProduct(product: String) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", from: -100, until: -10, reason: .purchase))

            try await tell(queue, Self.period("2", of: product, from: -10, until: 90))

            #expect(try await state(queue) == "active ann \(product) 2 90")
            #expect(
                try await queue.text("select state || ' ' || account_id from counterfoil.payment_states where transaction_id = '2'")
                    == "renewal ann")
            #expect(
                try await queue.text("select string_agg(kind, ',' order by id) from counterfoil.changes")
                    == "order_fulfilled,subscription_changed,subscription_renewed,subscription_changed")
            // Nobody else is answered.
            #expect(try await state(queue, of: "bob") == nil)
            #expect(try await queue.faults() == [])
        }
    }

    /// What the customer bought is no renewal, and is the account's all the same: no client has shown it yet.
    @Test func aPurchaseOfAnotherPlanIsTheAccountsAndNoRenewal() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)

            try await tell(
                queue, Self.period("2", of: "basic", from: -10, until: 710, reason: .purchase), type: "DID_CHANGE_RENEWAL_PREF")

            #expect(
                try await queue.text(
                    """
                    select concat_ws(' ', state, reason, account_id) from counterfoil.payment_states where transaction_id = '2'
                    """) == "unclaimed no_order ann")
            #expect(try await queue.transaction("2") == "unclaimed upload_proof")
            #expect(try await state(queue) == "active ann basic 2 710")
        }
    }

    /// Another customer's token takes the subscription over; without one, or with one that speaks for nobody, it stays.
    @Test(arguments: [("ann's", "ann"), ("bob's", "bob"), ("of both", "ann"), ("unknown", "ann"), ("none", "ann")])
    func aTokenTellsWhoSubscribedAgain(bears: String, owner: String) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", from: -100, until: -50, reason: .purchase))
            let (ann, bob, both) = (UUID(), UUID(), UUID())
            for (order, account, token) in [("b", "ann", ann), ("c", "bob", bob), ("d", "ann", both), ("e", "bob", both)] {
                try await queue.place(order, account: account, token: token)
            }
            let token = ["ann's": ann, "bob's": bob, "of both": both, "unknown": UUID()][bears]

            try await tell(queue, Self.period("2", from: -10, until: 710, reason: .purchase, token: token), type: "SUBSCRIBED")

            #expect(try await state(queue, of: owner) == "active \(owner) plus 2 710")
            #expect(try await state(queue, of: owner == "ann" ? "bob" : "ann") == nil)
        }
    }

    /// A run is one account's: a token in a later renewal speaks for the periods before it. Without the word it renews nothing.
    @Test(arguments: [(Transaction.PurchaseReason.renewal, true), (.purchase, false), (nil, false)])
    func aTokenSpeaksForItsRun(reason: Transaction.PurchaseReason?, speaks: Bool) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("of ann", token: token)
            try await tell(queue, Self.period("1", from: -100, until: -50, reason: .purchase), type: "SUBSCRIBED")
            try await tell(queue, Self.period("2", from: -50, until: 670, reason: reason, token: token))

            let owner = try await queue.text("select account_id from counterfoil.payment_states where transaction_id = '1'")
            #expect(owner == (speaks ? "ann" : nil))
            // Bob shows what is Ann's: the first period, too.
            try await queue.submit("bob's", "eyJ", account: "bob", product: "plus")
            try await queue.change("bob's", "recovery = true")
            try await queue.settle(Self.period("1", from: -100, until: -50, reason: .purchase), for: "bob's")
            #expect(try await queue.order("bob's").reason == (speaks ? .ownerMismatch : nil))
        }
    }

    /// Told before anybody knew whose it is: it follows from what is known now.
    @Test func theAccountOfWhatWasToldIsNeverKeptFromItsFirstWord() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await tell(queue, Self.period("1", from: -100, until: -50, reason: .purchase, token: token), type: "SUBSCRIBED")
            try await tell(queue, Self.period("2", from: -50, until: 670, token: token))
            #expect(try await queue.transaction("2") == "unclaimed upload_proof")
            #expect(try await value(queue, "account_id") == nil)

            try await queue.place("later", account: "ann", product: "coins", token: token)

            #expect(try await state(queue) == "active ann plus 2 670")
            #expect(try await queue.transaction("2") == "unclaimed finish")
        }
    }

    /// It speaks for nobody, also where the order of a stranger bears it too.
    @Test func aTokenOfTwoAccountsTakesNoRenewalAway() async throws {
        try await QueueFixture.run { queue in
            let both = UUID()
            try await subscribe(queue, Self.period("1", from: -100, until: -50, reason: .purchase))
            try await queue.place("of ann", account: "ann", token: both)
            try await queue.place("bob's", account: "bob", product: "plus", token: both, minutesAgo: 51 * 60)

            try await queue.upload("bob's", account: "bob", product: "plus")
            try await queue.settle(Self.period("2", from: -50, until: 670, token: both), for: "bob's")

            #expect(try await queue.order("bob's").reason == .ownerMismatch)
            #expect(try await state(queue) == "active ann plus 2 670")
        }
    }

    /// A renewal inherits its token from the purchase.
    @Test(arguments: [(Transaction.PurchaseReason.renewal, OrderState.open), (.purchase, .fulfilled)])
    func aRenewalsTokenNamesItsAccountAndNoOrder(reason: Transaction.PurchaseReason, ends: OrderState) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await subscribe(queue)
            try await queue.place("named", account: "ann", product: "plus", token: token, minutesAgo: 11 * 60)
            let told = Self.period("2", from: -10, until: 710, reason: reason, token: token)

            try await tell(queue, told)
            try await queue.work { _ in told }

            #expect(try await queue.order("named").state == ends)
            #expect(try await state(queue) == "active ann plus 2 710")
        }
    }

    // MARK: The current period

    /// A year that another plan replaced ends when that one begins, also if that one is refunded.
    @Test(arguments: [nil, Revocation.Share.part(40_000), .whole])
    func aPeriodThatWasReplacedEndsThen(refund share: Revocation.Share?) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", of: "year", from: -100, until: 8_000, reason: .purchase))
            let upgrade = Self.period("2", from: -10, until: 710, reason: .purchase)

            try await tell(queue, upgrade)
            if let share { try await tell(queue, Self.refunded(upgrade, share: share, at: -1), type: "REFUND") }

            #expect(try await state(queue) == (share == .whole ? "revoked" : "active") + " ann plus 2 710")
            let end = try await queue.text(
                "select round(extract(epoch from expires_at - now()) / 3600) from counterfoil.order_status where order_id = 'a'")
            #expect(end == "-10")
            let access = try await value(queue, "round(extract(epoch from access_until - now()) / 3600)")
            #expect(access == (share == .whole ? "-1" : "710"))
        }
    }

    /// A renewal that is refunded leaves the period that still runs.
    @Test func whatStillRunsIsCurrentIfALaterPeriodIsRefunded() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            let renewal = Self.period("2", from: -2, until: 718)
            try await tell(queue, renewal)
            #expect(try await state(queue) == "active ann plus 2 718")

            try await tell(queue, Self.refunded(renewal, at: -1), type: "REFUND")
            #expect(try await state(queue) == "active ann plus 1 620")
            try await tell(queue, renewal, signed: 0, type: "REFUND_REVERSED")
            #expect(try await state(queue) == "active ann plus 2 718")
        }
    }

    /// A receipt shows the refunds of all its periods, as of the same time.
    @Test func accessEndsWithTheRefundOfItsOwnPeriod() async throws {
        try await QueueFixture.run { queue in
            var first = Self.period("1", from: -100, until: -50, reason: .purchase)
            var second = Self.period("2", from: -50, until: 670)
            try await subscribe(queue, first)
            try await tell(queue, second)

            second.revocation = Revocation(.signedTransaction, date: Self.at(-10), share: .whole, asOf: Self.at(-1))
            first.revocation = Revocation(.signedTransaction, date: Self.at(-5), share: .whole, asOf: Self.at(-1))
            try await tell(queue, second, signed: -1, type: "REFUND")
            try await tell(queue, first, signed: -1, type: "REFUND")

            #expect(try await state(queue) == "revoked ann plus 2 670")
            #expect(try await value(queue, "round(extract(epoch from access_until - now()) / 3600)") == "-10")
        }
    }

    /// Apple signs a renewal up to a day before it begins.
    @Test(arguments: [false, true])
    func aPeriodThatHasNotBegunIsTheNextOne(isRefunded: Bool) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", from: -100, until: 20, reason: .purchase))
            let next = Self.period("2", of: "basic", from: 20, until: 740, signed: -1)

            try await tell(queue, next)
            if isRefunded { try await tell(queue, Self.refunded(next, at: 0), type: "REFUND") }

            #expect(try await state(queue) == "active ann plus 1 20")
            #expect(
                try await value(
                    queue,
                    """
                    nullif(concat_ws(
                        ' ', next_transaction_id, next_product_id, round(extract(epoch from next_begins_at - now()) / 3600),
                        round(extract(epoch from next_expires_at - now()) / 3600)), '')
                    """) == (isRefunded ? nil : "2 basic 20 740"))
        }
    }

    /// Apple renews what runs: an earlier period that nobody told is no reason to end access.
    @Test func aSubscriptionOfWhichOnlyTheNextPeriodIsKnownIsActive() async throws {
        try await QueueFixture.run { queue in
            try await tell(queue, Self.period("2", from: 20, until: 740, signed: -1))

            #expect(try await value(queue, "concat_ws(' ', status, transaction_id, next_transaction_id)") == "active 2")
        }
    }

    /// Seats that are bought in mid-period have a transaction of their own. The period stands while the payment of any seat does.
    @Test(arguments: [([], "active"), (["2"], "active"), (["3"], "active"), (["2", "3"], "revoked")] as [([String], String)])
    func addedSeatsAreNoPeriod(_ refunds: [String], status: String) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", from: -800, until: -80, reason: .purchase))
            var period = Self.period("2", from: -80, until: 640)
            var added = Self.period("3", from: -40, until: 640, reason: .purchase)
            period.additionalReason = .seatAddition
            added.additionalReason = .seatAddition

            for told in [period, added] {
                try await tell(queue, told)
                if refunds.contains(told.id.rawValue) { try await tell(queue, Self.refunded(told, at: -1), type: "REFUND") }
            }

            #expect(try await state(queue) == "\(status) ann plus 2 640")
        }
    }

    /// Apple may show one payment under two ids: the one that was granted names the period.
    @Test func anotherNameOfAPeriodIsNoPeriod() async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)
            var name = Self.period("1a", from: -99, until: 620, reason: .purchase)
            name.webOrderLineItemID = "w1"

            try await tell(queue, name)

            #expect(try await state(queue) == "active ann plus 1 620")
        }
    }

    // MARK: The end

    /// The newest word counts, by the time for which Apple said it. Of two words for one time the later end does.
    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]])
    func theEndIsTheNewestWordInEveryOrder(_ order: [Int]) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue, Self.period("1", from: -100, until: -20, reason: .purchase, signed: -100))
            let words: [(end: Double, signed: Double)] = [(-20, -90), (300, -50), (310, -50), (200, -60)]

            for word in order.map({ words[$0] }) {
                try await tell(
                    queue, Self.period("1", from: -100, until: word.end, reason: .purchase, signed: word.signed),
                    type: "RENEWAL_EXTENDED")
            }

            #expect(try await state(queue) == "active ann plus 1 310")
            let end = try await queue.text(
                "select round(extract(epoch from expires_at - now()) / 3600) from counterfoil.order_status where order_id = 'a'")
            #expect(end == "310")
            // What was granted never changes.
            #expect(
                try await queue.text("select round(extract(epoch from expires_at - now()) / 3600) from counterfoil.grants")
                    == "-20")
            #expect(try await queue.count("counterfoil.period_ends") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// The proof that pays may be older than what Apple told before.
    @Test func aGrantByAnOldProofTakesNoDaysAway() async throws {
        try await QueueFixture.run { queue in
            try await tell(
                queue, Self.period("1", from: -100, until: 300, reason: .purchase, signed: -50), type: "RENEWAL_EXTENDED")

            try await subscribe(queue, Self.period("1", from: -100, until: -20, reason: .purchase, signed: -100))

            #expect(try await state(queue) == "active ann plus 1 300")
        }
    }

    /// Before its beginning, or more than two years after it.
    @Test(arguments: [(-101, 620), (17_468, 620), (17_396, 17_396)] as [(Double, Double)])
    func anOddEndChangesNothing(_ end: Double, _ expected: Double) async throws {
        try await QueueFixture.run { queue in
            try await subscribe(queue)

            try await tell(queue, Self.period("1", from: -100, until: end, reason: .purchase, signed: -1), type: "RENEWAL_EXTENDED")
            try await tell(
                queue, Self.period("1", from: -100, until: 620, reason: .purchase, signed: -90), type: "DID_CHANGE_RENEWAL_STATUS",
                renewal: Self.renewal(signed: -1, renewsAt: end))

            #expect(try await state(queue) == "active ann plus 1 \(Int(expected))")
        }
    }

    /// Renewal info names no transaction: its end is a word about the latest period before it.
    @Test func theEndInRenewalInfoIsOfTheLatestPeriod() async throws {
        try await QueueFixture.run { queue in
            let first = Self.period("1", from: -800, until: -80, reason: .purchase)
            try await subscribe(queue, first)
            try await tell(queue, Self.period("2", from: -80, until: -1))

            try await tell(
                queue, Self.refunded(first, at: -2), type: "REFUND", renewal: Self.renewal(signed: -2, renewsAt: 100))

            #expect(try await state(queue) == "active ann plus 2 100")
        }
    }

    /// Grace is no end of a period. A newer word without it, a refund and a later period end it.
    @Test(arguments: ["nothing", "a newer word without it", "an older word without it", "a refund", "a later period"])
    func graceIsOfItsPeriodAlone(followedBy next: String) async throws {
        try await QueueFixture.run { queue in
            let first = Self.period("1", from: -100, until: -20, reason: .purchase)
            try await subscribe(queue, first)
            try await tell(queue, first, type: "DID_FAIL_TO_RENEW", renewal: Self.renewal(signed: -19, grace: 300))

            switch next {
            case "a newer word without it": try await tell(queue, first, renewal: Self.renewal(signed: -1))
            case "an older word without it": try await tell(queue, first, renewal: Self.renewal(signed: -20))
            case "a refund": try await tell(queue, Self.refunded(first, at: -1), type: "REFUND")
            case "a later period": try await tell(queue, Self.period("2", from: -5, until: -1))
            default: break
            }

            let expected = [
                "a newer word without it": "expired ann plus 1 -20", "a refund": "revoked ann plus 1 -20",
                "a later period": "expired ann plus 2 -1",
            ]
            #expect(try await state(queue) == expected[next] ?? "grace ann plus 1 -20")
            let access = try await value(queue, "round(extract(epoch from access_until - now()) / 3600)")
            let until = ["a newer word without it": "-20", "a refund": "-20", "a later period": "-1"]
            #expect(access == until[next] ?? "300")
        }
    }

    /// Two texts of one time: whichever comes first, one counts.
    @Test(arguments: [false, true])
    func ofTwoRenewalInfosOfOneTimeOneCounts(isReversed: Bool) async throws {
        try await QueueFixture.run { queue in
            let first = Self.period("1", from: -100, until: -20, reason: .purchase)
            try await subscribe(queue, first)
            let infos = [Self.renewal(signed: -19, grace: 300), Self.renewal(signed: -19, will: false)]

            for info in isReversed ? infos.reversed() : infos { try await tell(queue, first, renewal: info) }

            #expect(try await value(queue, "concat_ws(' ', status, will_renew)") == "grace t")
        }
    }

    // MARK: Renewal or purchase

    /// Without Apple's word: what ended at most sixty days before, and wasn't refunded as a whole before.
    @Test(arguments: [
        (-20, nil, true), (1_396, nil, true), (1_444, nil, false), (-40, nil, false), (0, -10, false), (0, 10, true),
    ] as [(Double, Double?, Bool)])
    func withoutTheWordTheTimeTells(_ begin: Double, refundedAt: Double?, isRenewal: Bool) async throws {
        try await QueueFixture.run { queue in
            let shift = -2_000.0
            let first = Self.period("1", from: shift - 100, until: shift - 20, reason: .purchase)
            try await subscribe(queue, first)

            try await tell(queue, Self.period("2", of: "basic", from: shift + begin, until: shift + begin + 720, reason: nil))
            if let refundedAt { try await tell(queue, Self.refunded(first, at: shift + refundedAt), type: "REFUND") }

            let account = try await queue.text(
                """
                select counterfoil.renewed_account(p.bundle_id, p.environment, '1', p.purchased_at, p.expires_at, null, null)
                from counterfoil.payments p where p.transaction_id = '2'
                """)
            #expect(account == (isRenewal ? "ann" : nil))
        }
    }
}
