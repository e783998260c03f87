// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@testable import Rehearsal

/// What is true of a life, by the App Store's records: each rule by one life, days after its beginning.
@Suite struct LifeTruthTests {
    private static let begin = Date(timeIntervalSince1970: 1_800_000_000)
    private static let silver = SimulatedPlan("silver", level: 2)
    private static let gold = SimulatedPlan("gold", level: 1)

    private static func day(_ number: Double) -> Date { begin.addingTimeInterval(number * 86_400) }
    private static func seconds(_ number: Double) -> Int64 { Int64(day(number).timeIntervalSince1970) }

    private static func life(_ events: (Double, SubscriptionEvent)..., seats: Int? = nil) throws -> SimulatedSubscription {
        var life = SimulatedSubscription(silver, seats: seats, at: begin, seed: 7)
        for (number, event) in events { try life.apply(event, at: day(number)) }
        return life
    }

    private static func truth(of life: SimulatedSubscription, on number: Double) throws -> SubscriptionFacts {
        try #require(SubscriptionFacts(of: life, at: day(number), account: "ann"))
    }

    private static func first(_ life: SimulatedSubscription) -> String { life.transactions[0].transactionId }

    @Test func aPeriodRunsToItsEndAndIsNamed() throws {
        let life = try Self.life()

        let truth = try Self.truth(of: life, on: 29)
        #expect(truth.account == "ann")
        #expect(truth.status == "active")
        #expect(truth.transactionID == Self.first(life))
        #expect(truth.productID == "silver")
        #expect(truth.expiresAt == Self.seconds(30))
        #expect(truth.accessUntil == Self.seconds(30))
        #expect(truth.willRenew == true)
        #expect(truth.renewsAs == "silver")
        #expect(truth.ownership == "purchased")
        #expect(try Self.truth(of: life, on: 31).status == "expired")
    }

    @Test func aPeriodThatHasNotBegunIsNext() throws {
        let life = try Self.life((10, .change(to: Self.gold, starts: .atRenewal)), (29.5, .renew))

        let before = try Self.truth(of: life, on: 29.6)
        #expect(before.productID == "silver")
        #expect(before.expiresAt == Self.seconds(30))
        #expect(before.nextTransactionID == life.transactions[1].transactionId)
        #expect(before.nextProductID == "gold")
        #expect(before.nextBeginsAt == Self.seconds(30))
        #expect(before.nextExpiresAt == Self.seconds(60))
        let after = try Self.truth(of: life, on: 30.1)
        #expect(after.productID == "gold")
        #expect(after.nextTransactionID == nil)
    }

    @Test func aRefundOfTheNextPeriodLeavesTheCurrentOne() throws {
        let life = try Self.life((29.5, .renew), (29.6, .refund()))

        let truth = try Self.truth(of: life, on: 29.7)
        #expect(truth.status == "active")
        #expect(truth.nextTransactionID == nil)
        #expect(truth.willRenew == false)
    }

    @Test func aRefundedPeriodIsRevokedFromItsRefundOn() throws {
        let life = try Self.life((10, .refund()))

        let truth = try Self.truth(of: life, on: 11)
        #expect(truth.status == "revoked")
        #expect(truth.expiresAt == Self.seconds(30))
        #expect(truth.accessUntil == Self.seconds(10))
    }

    @Test func anEarlierPeriodThatStandsAndRunsTakesARefundedOnesPlace() throws {
        let longer = SimulatedPlan("silver", length: 60 * 86_400, level: 2)
        var life = SimulatedSubscription(longer, at: Self.begin, seed: 7)
        try life.apply(.redeem(.freeWeek), at: Self.day(10))
        try life.apply(.refund(), at: Self.day(11))

        let truth = try Self.truth(of: life, on: 12)
        #expect(truth.status == "active")
        #expect(truth.transactionID == Self.first(life))
        #expect(truth.expiresAt == Self.seconds(60))
    }

    @Test func whatGaveWayToAnotherProductDoesNotComeBackByARefund() throws {
        let life = try Self.life((10, .change(to: Self.gold)), (11, .refund()))

        let truth = try Self.truth(of: life, on: 12)
        #expect(truth.status == "revoked")
        #expect(truth.productID == "gold")
    }

    @Test func aPartRefundedTakesNothingAway() throws {
        let life = try Self.life((10, .refund(part: 50_000)))

        #expect(try Self.truth(of: life, on: 11).status == "active")
    }

    @Test func aReversalGivesThePeriodBack() throws {
        let life = try Self.life((10, .refund()), (11, .reverseRefund()))

        #expect(try Self.truth(of: life, on: 12).status == "active")
    }

    @Test func anExtensionMovesTheEnd() throws {
        let life = try Self.life((10, .extend(by: 5 * 86_400)))

        #expect(try Self.truth(of: life, on: 31).status == "active")
        #expect(try Self.truth(of: life, on: 31).expiresAt == Self.seconds(35))
    }

    @Test func graceIsAccessAndNoEnd() throws {
        let life = try Self.life((30.1, .failToRenew(grace: 16 * 86_400)))

        let truth = try Self.truth(of: life, on: 31)
        #expect(truth.status == "grace")
        #expect(truth.expiresAt == Self.seconds(30))
        #expect(truth.graceEndsAt == Self.seconds(46))
        #expect(truth.accessUntil == Self.seconds(46))
        #expect(truth.isInBillingRetry == true)
    }

    @Test func withoutGraceAppleOnlyTriesAgain() throws {
        let life = try Self.life((30.1, .failToRenew()))
        var recovered = life
        try recovered.apply(.recover, at: Self.day(32))
        var ended = life
        try ended.apply(.expire(), at: Self.day(32))

        #expect(try Self.truth(of: life, on: 31).status == "billing_retry")
        #expect(try Self.truth(of: life, on: 31).accessUntil == Self.seconds(30))
        #expect(try Self.truth(of: recovered, on: 33).status == "active")
        #expect(try Self.truth(of: recovered, on: 33).isInBillingRetry == false)
        #expect(try Self.truth(of: ended, on: 33).status == "expired")
        #expect(try Self.truth(of: ended, on: 33).willRenew == false)
    }

    @Test func addedSeatsAreNoPeriod() throws {
        let life = try Self.life((10, .addSeats(2)), seats: 4)

        let truth = try Self.truth(of: life, on: 11)
        #expect(truth.transactionID == Self.first(life))
        #expect(truth.expiresAt == Self.seconds(30))
    }

    @Test func aMembersAccessEndsWithItsRevocation() throws {
        var life = try Self.life().member("FAMILY_SHARED", at: Self.day(5), seed: 8)
        try life.apply(.revoke, at: Self.day(6))

        let truth = try Self.truth(of: life, on: 7)
        #expect(truth.ownership == "family_shared")
        #expect(truth.status == "revoked")
        #expect(truth.accessUntil == Self.seconds(6))
    }

    /// Without this, what the judge compares could be one thing over and over.
    @Test func plannedLivesEndInEveryWay() throws {
        let plan = PurchasePlan(purchases: 400, seed: 5, kinds: PurchaseKind.lives)
        let lives = plan.purchases.flatMap(\.lives)
        let facts = try lives.compactMap { life in
            SubscriptionFacts(of: try life.lived(Self.begin), at: Self.begin.addingTimeInterval(1), account: nil)
        }

        #expect(Set(facts.map(\.status)) == ["active", "grace", "billing_retry", "expired", "revoked"])
        #expect(facts.contains { $0.nextTransactionID != nil && $0.nextProductID != $0.productID })
        #expect(facts.contains { $0.status == "revoked" && $0.nextTransactionID != nil })
        #expect(facts.contains { $0.ownership == "family_shared" })
        #expect(lives.contains { $0.token != nil })
        for kind in PurchaseKind.lives where kind != .lifeInSandbox {
            let strangers = plan.purchases.filter { $0.kind == kind }.flatMap(\.orders).filter { !$0.accountID.hasPrefix("buyer") }
            #expect(!strangers.isEmpty || kind == .lifeShared, "no stranger among \(kind)")
        }
    }
}
