// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator

/// All that is played in one run: the same for the same numbers, on every machine.
package struct PurchasePlan: Equatable, Sendable {
    package let seed: UInt64
    /// In the order in which they begin.
    package let purchases: [Purchase]

    /// Workers that are killed: when as many purchases have begun, and which worker.
    package let kills: [Kill]

    package struct Kill: Equatable, Sendable {
        package var purchasesBegun: Int
        package var worker: Int
    }

    /// Plans one purchase of each kind, if there is room for all, and fills up by the kinds' weights.
    package init(purchases count: Int, seed: UInt64, workers: Int, kills killCount: Int) {
        var generator = PlanGenerator(seed: seed)
        self.seed = seed
        let kinds = Self.kinds(count, using: &generator)
        var forgedTransactions = VariantDeck(ForgedVariant.forgeries)
        var forgedReceipts = VariantDeck(ForgedReceiptVariant.forgeries)
        purchases = kinds.enumerated().map { number, kind in
            var draft = PurchaseDraft(number: number + 1, kind: kind, generator: PlanGenerator(seed: generator.next()))
            switch kind {
            case .forgedTransactions: draft.forgedTransactions(forgedTransactions.draw(Self.variantsAtOnce, using: &generator))
            case .forgedReceipts: draft.forgedReceipts(forgedReceipts.draw(Self.variantsAtOnce, using: &generator))
            default: draft.write(kind)
            }
            return draft.purchase
        }
        kills = (0..<killCount).map { _ in
            Kill(
                purchasesBegun: Int.random(in: count / 10...max(count / 10, count * 9 / 10), using: &generator),
                worker: Int.random(in: 0..<max(workers, 1), using: &generator))
        }
        .sorted { $0.purchasesBegun < $1.purchasesBegun }
    }

    /// Plans purchases of some kinds only, by their weights; there is one of each if there is room for all.
    package init(purchases count: Int, seed: UInt64, kinds: [PurchaseKind]) {
        var generator = PlanGenerator(seed: seed)
        let lottery = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
        var drawn = Array(kinds.shuffled(using: &generator).prefix(count))
        while drawn.count < count { drawn.append(generator.pick(lottery)) }
        drawn.shuffle(using: &generator)
        self.seed = seed
        kills = []
        purchases = drawn.enumerated().map { number, kind in
            var draft = PurchaseDraft(number: number + 1, kind: kind, generator: PlanGenerator(seed: generator.next()))
            draft.write(kind)
            return draft.purchase
        }
    }

    /// Forged variants that one forger tries.
    package static let variantsAtOnce = 7

    /// The kinds in playing order. What depends on the first seconds comes first.
    private static func kinds(_ count: Int, using generator: inout PlanGenerator) -> [PurchaseKind] {
        var kinds = PurchaseKind.allCases.shuffled(using: &generator)
        if count < kinds.count { return Array(kinds.prefix(count)) }
        let lottery = PurchaseKind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
        while kinds.count < count { kinds.append(generator.pick(lottery)) }
        kinds.shuffle(using: &generator)
        let early = kinds.filter(\.isEarly)
        return early + kinds.filter { !$0.isEarly }
    }

    /// Orders of all purchases.
    package var orderCount: Int { purchases.reduce(0) { $0 + $1.orders.count } }
}

extension PurchaseDraft {
    /// Writes the story of a kind. A forger's is told by the variants that it is given.
    fileprivate mutating func write(_ kind: PurchaseKind) {
        switch kind {
        case .signedTransaction: signedTransaction()
        case .receipt: receiptOfOne()
        case .severalUnits: severalUnits()
        case .unlistedProduct: unlistedProduct()
        case .ownToken: ownToken()
        case .hintedTransaction: hintedTransaction()
        case .lostOrderID: lostOrderID()
        case .repeatedProof: repeatedProof()
        case .damagedProof: damagedProof()
        case .wrappedProof: wrappedProof()
        case .mangledThenWhole: mangledThenWhole()
        case .forgedThenHonest: forgedThenHonest()
        case .sandboxAllowed: sandboxAllowed()
        case .sandboxListed: sandboxListed()
        case .fillsLater: fillsLater()
        case .arrivesLater: arrivesLater()
        case .refreshedReceipt: refreshedReceipt()
        case .threeAtOnce: threeAtOnce()
        case .hintedAtOnce: hintedAtOnce()
        case .uselessHint: uselessHint()
        case .oneAfterTheOther: oneAfterTheOther()
        case .receiptWithHistory: receiptWithHistory()
        case .subscriptionRenewed: subscriptionRenewed()
        case .subscriptionWithHistory: subscriptionWithHistory()
        case .confirmedTransaction: confirmedTransaction()
        case .confirmedReceipt: confirmedReceipt()
        case .confirmedSubscription: confirmedSubscription()
        case .threeConfirmedAtOnce: threeAtOnce(of: .harbor)
        case .missingAtFirst: missingAtFirst()
        case .receiptOfSilentApp: receiptOfSilentApp()
        case .sha1Receipt: sha1Receipt()
        case .sha384Receipt: sha384Receipt()
        case .receiptOfFourCertificates: receiptOfFourCertificates()
        case .bareIDWithToken: bareIDWithToken()
        case .unreleasedApp: unreleasedApp()
        case .wrongAPIKey: wrongAPIKey()
        case .recovery: recovery()
        case .recoveryAfterReview: recoveryAfterReview()
        case .olderPurchase: olderPurchase()
        case .tokensSwapped: tokensSwapped()
        case .downgraded: downgraded()
        case .wrongSharedSecret: receiptOfOne(of: .atlas)
        case .replayBySameAccount: replayBySameAccount()
        case .replayByAnotherAccount: replayByAnotherAccount()
        case .replayAtOnce: replayAtOnce()
        case .restoreBySameAccount: restoreBySameAccount()
        case .restoreByAnotherAccount: restoreByAnotherAccount()
        case .restoreOfSubscription: restoreOfSubscription()
        case .renewalOfAnother: renewalOfAnother()
        case .paidTwice: paidTwice()
        case .wrongProduct: wrongProduct()
        case .wrongProductInReceipt: wrongProductInReceipt()
        case .foreignApp: foreignApp()
        case .foreignReceipt: foreignReceipt()
        case .sandboxDenied: sandboxDenied()
        case .familyShared: familyShared()
        case .assignedSeat: assignedSeat()
        case .missingForEver: missingForEver()
        case .forgedTransactions: forgedTransactions([])
        case .forgedReceipts: forgedReceipts([])
        case .forgedReceipt: forgedReceipt()
        case .xcodeReceipt: xcodeReceipt()
        case .mangledProof: mangledProof()
        case .nonsense: nonsense()
        case .customerGone: customerGone()
        case .unknownID: unknownID()
        case .refundedTransaction: refundedTransaction()
        case .refundedReceipt: refundedReceipt()
        case .refundedUnseen: refundedUnseen()
        case .refundedAfterGrant: refundedAfterGrant()
        case .refundedUnderRestoredID: refundedUnderRestoredID()
        case .proratedBeforeGrant: proratedBeforeGrant()
        case .proratedAfterGrant: proratedAfterGrant()
        case .sharesAfterGrant: sharesAfterGrant()
        case .sharesSwapped: sharesSwapped()
        case .refundReversed: refundReversed()
        case .upgradedInReceipt: upgradedInReceipt()
        case .resubscribed: resubscribed()
        case .cancelledWhileRunning: cancelledWhileRunning()
        case .lostWithToken: lostWithToken()
        case .lostThenBack: lostThenBack()
        case .lostOfKnownCustomer: lostOfKnownCustomer()
        case .lostOfNobody: lostOfNobody()
        case .lostWithAccountsToken: lostWithAccountsToken()
        case .twoAccountsOnOnePhone: twoAccountsOnOnePhone()
        case .refundTold: refundTold()
        case .reversalToldFirst: reversalToldFirst()
        case .refundToldFirst: refundToldFirst()
        case .partialRefundTold: partialRefundTold()
        case .renewalTold: renewalTold()
        case .familyAccessTold: familyAccessTold()
        case .lifeChangedAtOnce: lifeChangedAtOnce()
        case .lifeChangedAtRenewal: lifeChangedAtRenewal()
        case .lifeResubscribed: lifeResubscribed()
        case .lifeOfAnother: lifeOfAnother()
        case .lifeExtended: lifeExtended()
        case .lifeFailing: lifeFailing()
        case .lifeRefunded: lifeRefunded()
        case .lifeOrderedEachPeriod: lifeOrderedEachPeriod()
        case .lifeShared: lifeShared()
        case .lifeOfSeats: lifeOfSeats()
        case .lifePaidMonthly: lifePaidMonthly()
        case .lifeInSandbox: lifeInSandbox()
        case .quantityShort: quantityShort()
        case .oddValues: oddValues()
        case .oddlySigned: oddlySigned()
        case .foreignToken: foreignToken()
        case .tokenOfAnotherOrder: tokenOfAnotherOrder()
        case .unlistedProductInReceipt: unlistedProductInReceipt()
        case .kindMismatch: kindMismatch()
        case .unconfirmedSubscription: unconfirmedSubscription()
        case .paidBeforeOrder: paidBeforeOrder()
        case .paidBeforeLedger: paidBeforeLedger()
        case .bareTransactionID: bareTransactionID()
        case .idOfAnotherAccount: idOfAnotherAccount()
        case .refusedInsert: refusedInsert()
        }
    }
}

extension PurchasePlan {
    /// The same plan with one expectation that can't come true: shows that a difference is noticed.
    package var expectingSomethingWrong: PurchasePlan {
        var purchases = purchases
        let number = purchases.firstIndex { !$0.expectations.isEmpty }
        if let number { purchases[number].expectations[0].outcomes[0].state = "never" }
        return PurchasePlan(seed: seed, purchases: purchases, kills: kills)
    }

    package init(seed: UInt64, purchases: [Purchase], kills: [Kill]) {
        self.seed = seed
        self.purchases = purchases
        self.kills = kills
    }
}
