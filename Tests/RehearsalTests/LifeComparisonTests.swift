// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import Rehearsal

/// Of each kind of life, the judge notices each fact that the shop has wrong.
@Suite struct LifeComparisonTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let plan = PurchasePlan(purchases: 400, seed: 5, kinds: PurchaseKind.lives)

    private static func first(_ kind: PurchaseKind, _ condition: (Purchase) -> Bool = { _ in true }) throws -> Purchase {
        try #require(plan.purchases.first { $0.kind == kind && condition($0) })
    }

    private static func differences(of purchase: Purchase, _ change: (inout Observation) -> Void) -> [Difference] {
        let plan = PurchasePlan(seed: 5, purchases: [purchase], kills: [])
        var observation = Observation.asPlanned(plan, readsFeed: true)
        change(&observation)
        return Comparison(plan, observation).differences
    }

    @Test func whatCameAboutAsPlannedHasNoDifference() {
        #expect(Comparison(Self.plan, .asPlanned(Self.plan, readsFeed: true)).differences == [])
    }

    /// A fact of which `subscription_status` has something else.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout SubscriptionFacts) -> Void
    }

    private static let mistakes: [Mistake] = [
        Mistake(testDescription: "the owner") { $0.account = "somebody" },
        Mistake(testDescription: "no owner") { $0.account = nil },
        Mistake(testDescription: "the status") { $0.status = $0.status == "active" ? "expired" : "active" },
        Mistake(testDescription: "the ownership") { $0.ownership = "assigned" },
        Mistake(testDescription: "the current period") { $0.transactionID = "4000" },
        Mistake(testDescription: "the product") { $0.productID = "coins.100" },
        Mistake(testDescription: "the end") { $0.expiresAt? += 1 },
        Mistake(testDescription: "the access") { $0.accessUntil? -= 1 },
        Mistake(testDescription: "the grace") { $0.graceEndsAt = ($0.graceEndsAt ?? 0) + 1 },
        Mistake(testDescription: "the retries") { $0.isInBillingRetry?.toggle() },
        Mistake(testDescription: "the renewal") { $0.willRenew?.toggle() },
        Mistake(testDescription: "the next plan") { $0.renewsAs = "coins.100" },
        Mistake(testDescription: "the next period") { $0.nextTransactionID = "4000" },
        Mistake(testDescription: "the next product") { $0.nextProductID = "coins.100" },
        Mistake(testDescription: "the next beginning") { $0.nextBeginsAt = ($0.nextBeginsAt ?? 0) + 1 },
        Mistake(testDescription: "the next end") { $0.nextExpiresAt = ($0.nextExpiresAt ?? 0) + 1 },
    ]

    @Test(arguments: PurchaseKind.lives.filter { $0 != .lifeInSandbox }, mistakes)
    func aWrongFactIsADifference(_ kind: PurchaseKind, _ mistake: Mistake) throws {
        let purchase = try Self.first(kind)
        let original = purchase.lives[0].originalTransactionID

        let differences = Self.differences(of: purchase) { observation in
            guard var facts = observation.subscriptions[original] else { return }
            mistake.change(&facts)
            observation.subscriptions[original] = facts
        }

        #expect(differences.map(\.subject) == ["subscription \(original)"])
        #expect(differences.map(\.kind) == [kind])
    }

    @Test(arguments: PurchaseKind.lives.filter { $0 != .lifeInSandbox })
    func aSubscriptionThatTheShopDoesNotKnowIsADifference(_ kind: PurchaseKind) throws {
        let purchase = try Self.first(kind)
        let original = purchase.lives[0].originalTransactionID

        #expect(Self.differences(of: purchase) { $0.subscriptions[original] = nil }.map(\.got) == ["no such subscription"])
    }

    @Test func aLifeThatTheAppStoreLostIsADifference() throws {
        let purchase = try Self.first(.lifeExtended)
        let original = purchase.lives[0].originalTransactionID

        #expect(Self.differences(of: purchase) { $0.lives?[original] = nil }.map(\.expected) == ["a life at the App Store"])
    }

    @Test func aSubscriptionThatTheShopMayNotKnowIsADifference() throws {
        let purchase = try Self.first(.lifeInSandbox)
        let life = purchase.lives[0]
        let facts = SubscriptionFacts(of: try life.lived(Self.now), at: Self.now, account: nil)

        let differences = Self.differences(of: purchase) { $0.subscriptions[life.originalTransactionID] = facts }

        #expect(differences.map(\.got) == ["a row of subscription_status"])
    }

    // MARK: The feed

    /// The first payment of a life that only Apple told.
    private static func told(
        _ kind: PurchaseKind, _ reason: Reason
    ) throws -> (purchase: Purchase, key: Observation.TransactionKey) {
        let purchase = try first(kind) { $0.transactions.contains { $0.fate == .unclaimed(reason) } }
        let payment = try #require(purchase.transactions.first { $0.fate == .unclaimed(reason) })
        return (purchase, Observation.TransactionKey(payment))
    }

    /// A fact of which the feed has something else.
    struct Mistelling: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout Observation.Telling) -> Void
    }

    @Test(
        arguments: [
            (PurchaseKind.lifeChangedAtOnce, Reason.noOrder), (.lifeChangedAtRenewal, .renewal), (.lifeResubscribed, .noOrder),
            (.lifeOfAnother, .noOrder), (.lifeFailing, .renewal), (.lifeRefunded, .renewal), (.lifeOfSeats, .seatsAdded),
            (.lifePaidMonthly, .renewal),
        ],
        [
            Mistelling(testDescription: "the kind") {
                $0.kind = $0.kind == "payment_unclaimed" ? "subscription_renewed" : "payment_unclaimed"
            },
            Mistelling(testDescription: "the owner") { $0.account = "somebody" },
            Mistelling(testDescription: "the product") { $0.productID = "coins.100" },
            Mistelling(testDescription: "the subscription") { $0.originalTransactionID = nil },
            Mistelling(testDescription: "the end") { $0.expiresAt? += 1 },
        ])
    func aWrongWordOfTheFeedIsADifference(_ told: (PurchaseKind, Reason), _ mistelling: Mistelling) throws {
        let (purchase, key) = try Self.told(told.0, told.1)

        let differences = Self.differences(of: purchase) { observation in
            guard var telling = observation.feed?.payments[key] else { return }
            mistelling.change(&telling)
            observation.feed?.payments[key] = telling
        }

        #expect(differences.map(\.subject) == ["the feed's last word of transaction \(key.id)"])
    }

    @Test(arguments: PurchaseKind.lives.filter { $0 != .lifeInSandbox && $0 != .lifeShared }, mistakes)
    func aWrongStateInTheFeedIsADifference(_ kind: PurchaseKind, _ mistake: Mistake) throws {
        let purchase = try Self.first(kind)
        let original = purchase.lives[0].originalTransactionID

        let differences = Self.differences(of: purchase) { observation in
            guard var facts = observation.feed?.subscriptions[original] else { return }
            mistake.change(&facts)
            observation.feed?.subscriptions[original] = facts
        }

        #expect(differences.map(\.subject) == ["the feed's last word of subscription \(original)"])
    }

    @Test(arguments: PurchaseKind.lives.filter { $0 != .lifeInSandbox && $0 != .lifeShared })
    func aSubscriptionThatTheFeedLeavesOutIsADifference(_ kind: PurchaseKind) throws {
        let purchase = try Self.first(kind)
        let original = purchase.lives[0].originalTransactionID

        #expect(Self.differences(of: purchase) { $0.feed?.subscriptions[original] = nil }.map(\.got) == ["nothing"])
    }

    @Test(arguments: [PurchaseKind.lifeInSandbox, .lifeShared])
    func aSubscriptionThatTheFeedMayNotTellIsADifference(_ kind: PurchaseKind) throws {
        let purchase = try Self.first(kind)
        let life = purchase.lives[0]
        let facts = SubscriptionFacts(of: try life.lived(Self.now), at: Self.now, account: nil)

        let differences = Self.differences(of: purchase) { $0.feed?.subscriptions[life.originalTransactionID] = facts }

        #expect(differences.map(\.got) == ["a change"])
    }

    @Test func aPaymentThatTheFeedLeavesOutIsADifference() throws {
        let (purchase, key) = try Self.told(.lifePaidMonthly, .renewal)

        #expect(Self.differences(of: purchase) { $0.feed?.payments[key] = nil }.map(\.got) == ["nothing"])
    }

    @Test func aWordOfASandboxPaymentThatTheAppDoesNotTakeIsADifference() throws {
        let purchase = try Self.first(.lifeInSandbox)
        let key = Observation.TransactionKey(purchase.transactions[0])
        let telling = Observation.Telling(kind: "subscription_renewed")

        #expect(Self.differences(of: purchase) { $0.feed?.payments[key] = telling }.map(\.expected) == ["nothing"])
    }

    @Test(arguments: PurchaseKind.lives.filter { $0 != .lifeInSandbox })
    func anotherLastWordOfAnOrderIsADifference(_ kind: PurchaseKind) throws {
        let purchase = try Self.first(kind)
        let order = purchase.orders[0].id

        #expect(Self.differences(of: purchase) { $0.feed?.orders[order] = "order_cancelled" }.map(\.got) == ["order_cancelled"])
        #expect(Self.differences(of: purchase) { $0.feed?.orders[order] = nil }.map(\.got) == ["nothing"])
    }
}
