// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@testable import Rehearsal

@Suite struct PurchasePlanTests {
    private static func plan(_ purchases: Int, seed: UInt64 = 7, kills: Int = 3) -> PurchasePlan {
        PurchasePlan(purchases: purchases, seed: seed, workers: 2, kills: kills)
    }

    @Test func theSameSeedGivesTheSamePlan() {
        #expect(Self.plan(400) == Self.plan(400))
    }

    @Test func anotherSeedGivesAnotherPlan() {
        #expect(Self.plan(400) != Self.plan(400, seed: 8))
    }

    @Test(arguments: [120, 150, 2000])
    func fromAHundredAndTwentyOnThereIsOneOfEveryKind(purchases: Int) {
        let plan = Self.plan(purchases)

        #expect(plan.purchases.count == purchases)
        #expect(Set(plan.purchases.map(\.kind)) == Set(PurchaseKind.allCases))
    }

    @Test(arguments: [0, 1, 30])
    func fewerAreKindsOfWhichNoneComesTwice(purchases: Int) {
        let kinds = Self.plan(purchases).purchases.map(\.kind)

        #expect(kinds.count == purchases)
        #expect(Set(kinds).count == kinds.count)
    }

    @Test func twoThousandBringEveryForgedVariant() {
        let variants = Self.plan(2000).purchases.flatMap(\.steps).flatMap(\.uploads).compactMap { upload in
            if case .signed(_, let forged) = upload.proof { forged } else { nil }
        }

        #expect(Set(variants) == Set(ForgedVariant.forgeries))
    }

    @Test func twoThousandBringEveryForgedReceipt() {
        let variants = Self.plan(2000).purchases.flatMap(\.receipts).compactMap(\.forged)

        #expect(Set(variants) == Set(ForgedReceiptVariant.forgeries))
    }

    @Test func twoThousandBringEveryDamage() {
        let damages = Self.plan(2000).purchases.flatMap(\.steps).flatMap(\.uploads).compactMap { upload in
            if case .damaged(_, let damage) = upload.proof { damage } else { nil }
        }

        #expect(Set(damages) == Set(ProofDamage.allCases))
    }

    @Test func noNameIsGivenTwice() {
        let purchases = Self.plan(2000).purchases
        let orders = purchases.flatMap(\.orders).map(\.id)
        let transactions = purchases.flatMap(\.transactions).map(\.id)
        // What is restored is the billing event of another transaction.
        let paid = purchases.flatMap { purchase in
            purchase.transactions.filter {
                if case .sameGrant = $0.fate { return false }
                return purchase.kind != .refundedUnderRestoredID || $0.fate != .revoked
            }
        }
        let events = paid.compactMap(\.webOrderLineItemID)
        let receipts = purchases.flatMap(\.receipts).map(\.opaqueValue)

        #expect(Set(orders).count == orders.count)
        #expect(Set(transactions).count == transactions.count)
        #expect(Set(events).count == events.count)
        #expect(Set(receipts).count == receipts.count)
    }

    @Test func everyOrderIsExpectedToComeToSomethingOnce() {
        for purchase in Self.plan(500).purchases {
            #expect(purchase.expectations.flatMap(\.orders).sorted() == Array(purchase.orders.indices))
            #expect(purchase.expectations.allSatisfy { $0.orders.count == $0.outcomes.count })
        }
    }

    @Test func everyGrantIsNamedByOneOutcome() {
        for purchase in Self.plan(500).purchases {
            let paying = purchase.expectations.flatMap(\.outcomes)
                .filter { $0.state == "fulfilled" || $0.state == "refunded" }.compactMap(\.transactionID)
            let taken = purchase.transactions.filter {
                // There a payment may be known as taken back by another of its ids alone. A period that Apple alone told and took
                // back has no order.
                [.granted, .grantedThenRevoked].contains($0.fate)
                    || $0.fate == .revoked && !(purchase.kind.isLife && $0.isToldOnly)
                    || purchase.kind == .refundedUnderRestoredID && $0.fate == .absent
            }

            #expect(paying.sorted() == taken.map(\.id).sorted(), "\(purchase.kind)")
        }
    }

    @Test func aRestoredPeriodHasAnIDOfItsOwnAndTheOldBillingEvent() {
        for purchase in Self.plan(2000).purchases where purchase.kind == .restoreOfSubscription {
            let (period, restored) = (purchase.transactions[0], purchase.transactions[1])

            #expect(restored.id != period.id)
            #expect(restored.originalID == period.id)
            #expect(period.webOrderLineItemID != nil)
            #expect(restored.webOrderLineItemID == period.webOrderLineItemID)
            #expect(restored.fate == .sameGrant(transaction: 0))
            #expect(purchase.expectations[1].outcomes.map(\.label) == ["rejected(already_granted) → finish"])
        }
    }

    @Test func killsComeInOrderAndWhilePurchasesBegin() {
        let plan = Self.plan(200, kills: 20)
        let moments = plan.kills.map(\.purchasesBegun)

        #expect(moments.count == 20)
        #expect(moments == moments.sorted())
        #expect(moments.allSatisfy { (20...180).contains($0) })
        #expect(Set(plan.kills.map(\.worker)) == [0, 1])
    }

    @Test func whatIsAboutTheFirstSecondsComesFirst() {
        let kinds = Self.plan(500).purchases.map(\.kind)
        let early = kinds.count { $0.isEarly }

        #expect(early > 0)
        #expect(kinds.prefix(early).allSatisfy { $0.isEarly })
    }

    @Test func anAppThatWasNeverReleasedHasCustomersInTheSandboxOnly() {
        let transactions = Self.plan(2000).purchases.flatMap(\.transactions).filter { !$0.app.isReleased }

        #expect(!transactions.isEmpty)
        #expect(transactions.allSatisfy { $0.environment == .sandbox })
    }
}

extension PlayerStep {
    fileprivate var uploads: [PlannedUpload] {
        switch self {
        case .upload(let uploads): uploads
        case .cancelWhileRunning(let upload): [upload]
        default: []
        }
    }
}
