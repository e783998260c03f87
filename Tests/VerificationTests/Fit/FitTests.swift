// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// Whether a payment pays for an order, an older order or a new one, and what renews.
@Suite struct FitTests {
    private func objections(_ change: (inout FitCase) -> Void) -> [Objection] {
        var facts = FitCase()
        change(&facts)
        return facts.objections
    }

    // MARK: Facts

    @Test(arguments: [OrderState.open, .rejected, .review])
    func anOrderThatIsNotPaidMayBePaid(_ state: OrderState) {
        #expect(objections { $0.order.state = state } == [])
        #expect(objections { $0.orderState = state } == [])
    }

    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled])
    func theLedgersWordForTheOrderCounts(_ state: OrderState) {
        #expect(objections { $0.order.state = state } == [.orderIsOver(state)])
        #expect(objections { $0.orderState = state } == [.orderIsOver(state)])
        #expect(
            objections {
                $0.order.state = state
                $0.orderState = .open
            } == [])
    }

    /// The proof's own refund is in the ledger, as of its time; a newer reversal is there too.
    @Test func refundsAreTheLedgersWord() {
        var facts = FitCase()
        facts.transaction.revocationDate = moment(5)

        #expect(facts.objections == [])
        #expect(Fit.objections(to: PaymentFacts(facts.shown), for: facts.order, under: facts.policy) == [.takenBack])
        facts.transaction.ownership = .unknown
        #expect(Fit.objections(to: PaymentFacts(facts.shown), for: facts.order, under: facts.policy) == [.unknownOwnership])
    }

    @Test(arguments: [Revocation.Share.part(40_000), .unknown])
    func aPartOfARefundIsTheLedgersWord(_ share: Revocation.Share) {
        var facts = FitCase()
        facts.transaction.revocation = refund(share)

        #expect(facts.objections == [])
        #expect(Fit.objections(to: PaymentFacts(facts.shown), for: facts.order, under: facts.policy) == [.partlyRefunded])
    }

    @Test func aProofFromBeforeTheRefundCannotDenyIt() {
        let refund = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61))

        #expect(
            objections {
                $0.refund = refund
                $0.signedAt = moment(60)
            } == [.takenBack])
        #expect(
            objections {
                $0.refund = refund
                $0.isConfirmed = true
            } == [.refundReversed])
        #expect(
            objections {
                $0.refund = refund
                $0.isConfirmed = true
                $0.transaction.revocationDate = moment(60)
            } == [.takenBack])
    }

    /// By Apple's or the shop's word for it, the payment that a restore repeats.
    @Test func aRestoreWasPaidAtTheOriginalPurchase() {
        func restored(_ kind: ProductKind?) -> [Objection] {
            objections {
                $0.transaction.originalID = TransactionID(rawValue: "0")
                $0.transaction.originalPurchaseDate = moment(-5_000)
                $0.listedKind = kind
            }
        }

        #expect(restored(.nonConsumable) == [.beforeLedger, .beforeOrder])
        #expect(restored(nil) == [.beforeLedger, .unknownKind(ProductID(rawValue: "coins"))])
        #expect(restored(.consumable) == [.restoresConsumable(TransactionID(rawValue: "0"))])
    }

    /// A kept row knows it; the date of a restore doesn't.
    @Test func theTimeOfPaymentThatTheLedgerKnowsCounts() {
        #expect(objections { $0.paidAt = moment(-20) } == [.beforeOrder])
        #expect(objections { $0.paidAt = moment(-5_000) } == [.beforeLedger, .beforeOrder])
    }

    /// Paid at the very start, it is the ledger's.
    @Test func theLedgerBeginsWithItsStart() {
        #expect(objections { $0.policy.ledgerStartsAt = moment(1) } == [])
    }

    @Test func whatAnyProofShowedCounts() {
        #expect(
            objections {
                $0.transaction.appAccountToken = nil
                $0.knownToken = token
            } == [])
        #expect(objections { $0.isAdvancedCommerce = true } == [.advancedCommerce])
        #expect(objections { $0.isAddition = true } == [.addedSeats])
    }

    @Test func sandboxIsForWhomThePolicyAllowsIt() {
        #expect(
            objections {
                $0.transaction.environment = .sandbox
                $0.policy.allowsSandbox = true
            } == [])
    }

    @Test func moreThanOrderedIsNoObjection() {
        #expect(objections { $0.transaction.quantity = 3 } == [])
    }

    @Test func ageIsNoObjectionToARecoveryOrderOrWithinTheTolerance() {
        #expect(objections { $0.order.createdAt = moment(11) } == [])
        #expect(
            objections {
                $0.order.createdAt = moment(1_000)
                $0.order.isRecovery = true
            } == [])
    }

    /// ``LedgerFacts/firstOrderedAt``: `order_again` asks for what works.
    @Test func whatWasShownInTimeIsNeverTooOld() {
        func objections(firstOrderedAt minutes: Double) -> [Objection] {
            self.objections {
                $0.order.createdAt = moment(1_000)
                $0.firstOrderedAt = moment(minutes)
            }
        }

        #expect(objections(firstOrderedAt: 0) == [])
        #expect(objections(firstOrderedAt: 11) == [])
        #expect(objections(firstOrderedAt: 12) == [.beforeOrder])
    }

    @Test func aTokenIsAskedForByThePolicyAndOfABareID() {
        #expect(
            objections {
                $0.transaction.appAccountToken = nil
                $0.policy.absentToken = .accept
            } == [])
        #expect(objections { $0.order.appAccountToken = nil } == [])
        #expect(
            objections {
                $0.order.appAccountToken = nil
                $0.provesPossession = false
            } == [.noToken])
        #expect(objections { $0.provesPossession = false } == [])
    }

    /// Whose a token is, only the ledger knows; whoever only knows an id doesn't learn it.
    @Test func anotherTokenIsTheLedgersToJudgeExceptForABareID() {
        #expect(objections { $0.transaction.appAccountToken = otherToken } == [])
        #expect(
            objections {
                $0.transaction.appAccountToken = otherToken
                $0.provesPossession = false
            } == [.anotherOwner])
        #expect(
            objections {
                $0.transaction.appAccountToken = nil
                $0.knownToken = otherToken
                $0.provesPossession = false
            } == [.anotherOwner])
    }

    @Test func aPeriodIsConfirmedByItsLineItemOrByApple() {
        #expect(
            objections {
                $0.listedKind = .autoRenewable
                $0.isConfirmed = true
            } == [])
        #expect(
            objections {
                $0.listedKind = .autoRenewable
                $0.transaction.webOrderLineItemID = "w"
            } == [])
    }

    /// Without an order there is none that it is too old for, too small, or over.
    @Test func withoutAnOrderOnlyThePaymentCounts() {
        var facts = FitCase()
        facts.order.createdAt = moment(1_000)
        facts.order.quantity = 9
        facts.order.productID = ProductID(rawValue: "gems")
        facts.order.bundleID = BundleID(rawValue: "theirs")
        facts.transaction.appAccountToken = nil
        #expect(Fit.objections(to: facts.payment, under: facts.policy) == [])

        facts.transaction.isAdvancedCommerce = true
        facts.transaction.environment = .sandbox
        facts.listedKind = nil
        let objections = Fit.objections(to: facts.payment, under: facts.policy)

        #expect(objections == [.sandbox, .advancedCommerce, .unknownKind(ProductID(rawValue: "coins"))])
    }

    /// The kind of another product is the ledger's to name.
    @Test(arguments: ObjectionTests.rows)
    func withFewerFactsThereAreFewerObjections(_ row: ObjectionRow) {
        var facts = FitCase()
        row.arrange(&facts)

        let alone = Fit.objections(to: PaymentFacts(facts.shown), for: facts.order, under: facts.policy)

        if row.name == "anotherProduct" {
            #expect(alone == facts.objections + [.unknownKind(facts.transaction.productID)])
        } else {
            #expect(alone == [] || alone == facts.objections)
        }
    }

    // MARK: Older and new orders

    private func mayPayAnOlderOrder(_ change: (inout FitCase) -> Void) -> Bool {
        var facts = FitCase()
        change(&facts)
        return Fit.mayPayAnOlderOrder(facts.payment, than: facts.order, facts.objections)
    }

    @Test func anOlderOrderIsLookedForWhereAgeProductOrTokenIsNotTheOrders() {
        #expect(!mayPayAnOlderOrder { _ in })
        #expect(mayPayAnOlderOrder { $0.order.createdAt = moment(12) })
        #expect(mayPayAnOlderOrder { $0.order.productID = ProductID(rawValue: "gems") })
        #expect(mayPayAnOlderOrder { $0.transaction.appAccountToken = otherToken })
        #expect(mayPayAnOlderOrder { $0.order.appAccountToken = nil })
        #expect(
            mayPayAnOlderOrder {
                $0.transaction.appAccountToken = nil
                $0.knownToken = otherToken
            })
    }

    @Test(arguments: ObjectionTests.rows)
    func noOlderOrderIsLookedForWhereNoOrderWouldBePaid(_ row: ObjectionRow) {
        let isLookedFor = mayPayAnOlderOrder {
            $0.order.createdAt = moment(12)
            row.arrange(&$0)
        }

        #expect(isLookedFor == (row.scope != .payment))
    }

    /// Whoever only knows an id gets nothing for other orders.
    @Test func aBareIDPaysForNoOlderOrder() {
        #expect(
            !mayPayAnOlderOrder {
                $0.order.createdAt = moment(12)
                $0.provesPossession = false
            })
    }

    private func wouldPayANewOrder(_ change: (inout FitCase) -> Void) -> Bool {
        var facts = FitCase()
        change(&facts)
        return Fit.wouldPayANewOrder(facts.payment, shownFor: facts.order, under: facts.policy, facts.objections)
    }

    @Test(arguments: ObjectionTests.rows)
    func aNewOrderIsPaidWhereOnlyThisOneIsnt(_ row: ObjectionRow) {
        #expect(wouldPayANewOrder(row.arrange) == (row.scope == .order))
    }

    /// An order has at most ten.
    @Test func aNewOrderIsOfAtMostTenUnits() {
        func wouldPay(_ quantity: Int) -> Bool {
            wouldPayANewOrder {
                $0.order.state = .cancelled
                $0.transaction.quantity = quantity
            }
        }

        #expect(wouldPay(10))
        #expect(!wouldPay(11))
    }

    /// A new order comes later still: only a first showing in time lifts the payment's age.
    @Test func aNewOrderIsPaidByWhatWasShownInTime() {
        func wouldPay(orderedAt: Double, firstAt: Double? = nil) -> Bool {
            wouldPayANewOrder {
                $0.order.state = .cancelled
                $0.order.isRecovery = true
                $0.order.createdAt = moment(orderedAt)
                $0.firstOrderedAt = firstAt.map { moment($0) }
            }
        }
        let paid = FitCase().payment.paidAt.timeIntervalSince(moment(0)) / 60

        #expect(wouldPay(orderedAt: paid + 10))
        #expect(!wouldPay(orderedAt: paid + 11))
        #expect(wouldPay(orderedAt: paid + 11, firstAt: paid))
        #expect(!wouldPay(orderedAt: paid, firstAt: paid + 11))
    }

    @Test func ofAFoundPaymentTheOrderIsLookedForUnlessSomethingStandsAgainstAll() {
        #expect(Fit.mayBeAnOrders([]))
        #expect(Fit.mayBeAnOrders([.unconfirmedPeriod]))
        #expect(Fit.mayBeAnOrders([.takenBack]) && Fit.mayBeAnOrders([.partlyRefunded]))
        #expect(!Fit.mayBeAnOrders([.takenBack, .anotherOwner]))
        #expect(!Fit.mayBeAnOrders([.unconfirmedPeriod, .beforeLedger]))
        #expect(!Fit.mayBeAnOrders([.anotherKind(signed: .consumable, listed: .nonConsumable)]))
    }

    // MARK: Renewals

    private static func period(
        _ id: String, of original: String = "1", product: String = "pro", at minutes: Double,
        reason: Transaction.PurchaseReason? = nil, until end: Double? = nil, renewing account: String? = nil,
        known: Transaction.PurchaseReason? = nil
    ) -> PaymentFacts {
        var transaction = makeTransaction(
            id, original: original, webOrder: "w" + id, product: product, kind: .autoRenewable, at: minutes)
        transaction.purchaseReason = reason
        transaction.expiresDate = end.map(moment)
        return PaymentFacts(
            ShownPayment(transaction),
            ledger: LedgerFacts(
                purchaseReason: known, orderState: .open, renewedAccount: account.map { AccountID(rawValue: $0) }))
    }

    @Test func aPeriodRenewsTheSubscriptionOfTheAccountThatTheLedgerNames() {
        let ann = AccountID(rawValue: "ann")

        #expect(Fit.isRenewal(Self.period("2", at: 2, renewing: "ann"), of: ann))
        #expect(!Fit.isRenewal(Self.period("2", at: 2, renewing: "bob"), of: ann))
        #expect(!Fit.isRenewal(Self.period("2", at: 2), of: ann))
        #expect(!Fit.isRenewal(PaymentFacts(Self.period("2", at: 2, renewing: "ann").shown), of: ann))
    }

    /// Apple's word is never overruled, whichever proof bore it.
    @Test func aPurchaseRenewsNothing() {
        let ann = AccountID(rawValue: "ann")

        #expect(Fit.isRenewal(Self.period("2", at: 2, reason: .renewal, renewing: "ann"), of: ann))
        #expect(!Fit.isRenewal(Self.period("2", at: 2, reason: .purchase, renewing: "ann"), of: ann))
        #expect(!Fit.isRenewal(Self.period("2", at: 2, renewing: "ann", known: .purchase), of: ann))
    }

    @Test func whatIsNoPeriodRenewsNothing() {
        let payment = Self.period("2", at: 2, renewing: "ann")
        var transaction = payment.transaction
        transaction.productKind = .nonRenewing

        #expect(!Fit.isRenewal(PaymentFacts(ShownPayment(transaction), ledger: payment.ledger), of: AccountID(rawValue: "ann")))
    }

    /// Each looks like a renewal, and nobody delivered it: the client must not finish it.
    @Test(arguments: [
        // (a) A period that was bought after the whole refund of the first, shown for the refunded order.
        (period("2", at: 100, reason: .purchase), OrderState.refunded),
        // (b) An earlier period that nobody was granted, shown for the order of a later one.
        (period("1", at: 1), .fulfilled),
        // (c) pro, premium, pro: the third, shown for the first order.
        (period("3", at: 3, reason: .purchase), .fulfilled),
    ])
    func whatNobodyDeliveredIsNoRenewal(_ period: PaymentFacts, _ state: OrderState) throws {
        var order = makeOrder(kind: .autoRenewable, state: state)
        order.productID = ProductID(rawValue: "pro")
        var payment = period
        // Apple's word counts also where the ledger was asked before it came.
        let guessed = period.transaction.purchaseReason == .purchase ? AccountID(rawValue: "ann") : nil
        payment.ledger = LedgerFacts(orderState: state, listedKind: .autoRenewable, renewedAccount: guessed)

        let choice = Choice.choose(among: [payment], for: order, under: AppPolicy(number: 3))

        #expect(choice.outcome == .unchanged)
        #expect(choice.kept == [KeptPayment(payment.transaction, as: .unclaimed(.orderAlreadyPaid), fitsUnder: 3)])
    }

    /// The same periods beside the one that is granted in the same settlement.
    @Test(arguments: [
        (reason: Transaction.PurchaseReason?.none, at: 3.0, isRenewal: true),
        (reason: .purchase, at: 3, isRenewal: false),
        (reason: .renewal, at: 100_000, isRenewal: true),
        (reason: nil, at: 100_000, isRenewal: false),
        (reason: nil, at: 1, isRenewal: false),
    ])
    func aPeriodRenewsTheOneThatIsGrantedBesideIt(
        _ row: (reason: Transaction.PurchaseReason?, at: Double, isRenewal: Bool)
    ) {
        var order = makeOrder(kind: .autoRenewable)
        order.productID = ProductID(rawValue: "pro")
        let granted = Self.period("2", at: 2, until: 3)
        let other = Self.period("3", product: "premium", at: row.at, reason: row.reason)

        let choice = Choice.choose(among: [granted], beside: [other], for: order, under: AppPolicy())

        #expect(choice.outcome == .fulfilled(granted))
        #expect(choice.kept.map(\.role) == [.unclaimed(row.isRenewal ? .renewal : .wrongProduct)])
    }

    // MARK: What no order shows

    private func kept(_ change: (inout FitCase) -> Void) -> KeptPayment? {
        var facts = FitCase()
        change(&facts)
        return Choice.keep(facts.payment, under: facts.policy)
    }

    @Test(arguments: ObjectionTests.rows)
    func aFoundPaymentIsKeptByWhatStandsAgainstAllOrders(_ row: ObjectionRow) {
        let payment = kept(row.arrange)

        let isNeverKept = ["sandbox", "paidBySomebodyElse", "unknownOwnership", "odd"].contains(row.name)
        let isKnown = row.name == "granted"
        let reason: Reason = row.scope == .payment && row.name != "anotherApp" ? row.reason : .noOrder
        if isNeverKept || isKnown {
            #expect(payment == nil)
        } else if row.name == "takenBack" {
            #expect(payment?.role == .refunded)
        } else {
            #expect(payment?.role == .unclaimed(reason))
        }
        #expect(payment?.fitsUnder == nil)
    }

    @Test func aFoundPaymentThatTheLedgerKnowsIsNoNewOne() {
        let holder = LedgerFacts.Holder(
            orderID: OrderID(rawValue: "other"), accountID: AccountID(rawValue: "ann"), transactionID: TransactionID(rawValue: "0"))

        #expect(kept { $0.holder = holder }?.role == .restored)
        #expect(
            kept {
                $0.refund = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61))
                $0.transaction.revocationDate = moment(60)
            } == nil)
    }

    @Test func aFoundPeriodOfASubscriptionIsItsRenewal() {
        func role(_ period: PaymentFacts, _ policy: AppPolicy = AppPolicy()) -> KeptPayment.Role? {
            Choice.keep(period, under: policy)?.role
        }

        #expect(role(Self.period("2", at: 2, renewing: "ann")) == .unclaimed(.renewal))
        #expect(role(Self.period("2", at: 2)) == .unclaimed(.noOrder))
        #expect(
            role(Self.period("2", at: 2, renewing: "ann"), AppPolicy(ledgerStartsAt: moment(5))) == .unclaimed(.renewal))
        #expect(role(Self.period("2", at: 2), AppPolicy(ledgerStartsAt: moment(5))) == .unclaimed(.beforeLedger))
    }
}
