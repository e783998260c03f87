// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Whether a payment pays for an order: the one place that decides it. No I/O, and no time but that in its arguments.
package enum Fit {
    /// The most units of an order.
    package static let largestQuantity = 10

    /// All that stands against the payment, the heaviest first. It pays if nothing does.
    ///
    /// Before the ledger is asked, the proof's own refund counts, and of another product only Apple's kind is known. The guard in
    /// SQL has the last word.
    package static func objections(to payment: PaymentFacts, for order: Order, under policy: AppPolicy) -> [Objection] {
        find(payment, order, policy)
    }

    /// The same before the settlement, which alone judges by the order's state.
    package static func objectionsInAnyState(
        to payment: PaymentFacts, for order: Order, under policy: AppPolicy
    ) -> [Objection] {
        find(payment, order, policy).filter { !$0.isOfAnOrderThatIsOver }
    }

    /// All that stands against the payment whatever was ordered: of a payment that no order shows.
    package static func objections(to payment: PaymentFacts, under policy: AppPolicy) -> [Objection] {
        find(payment, nil, policy)
    }

    /// Whether an older order of the account may be the payment's own order. The ledger is asked for such an order only then.
    ///
    /// Whoever only knows an id gets what it pays for, and nothing for other orders.
    ///
    /// - Parameter objections: to the payment, for `order`.
    package static func mayPayAnOlderOrder(_ payment: PaymentFacts, than order: Order, _ objections: [Objection]) -> Bool {
        guard payment.shown.provesPossession, !objections.contains(where: { $0.scope == .payment }) else { return false }
        return payment.token != nil && payment.token != order.appAccountToken
            || objections.contains { objection in
                switch objection {
                case .anotherProduct, .beforeOrder: true
                default: false
                }
            }
    }

    /// Whether the payment would pay for a new order of its product and quantity: the client then gets `order_again`.
    ///
    /// The new order comes after the payment. It is paid because the account showed the payment first for an order that was made in
    /// time.
    ///
    /// - Parameter objections: to the payment, for the order that shows it.
    package static func wouldPayANewOrder(
        _ payment: PaymentFacts, shownFor order: Order, under policy: AppPolicy, _ objections: [Objection]
    ) -> Bool {
        payment.transaction.quantity <= largestQuantity && objections.allSatisfy { $0.scope == .order }
            && payment.wasShownInTime(under: policy, atFirstFor: order)
    }

    /// Whether the order is looked for that a payment which no client showed was made for.
    ///
    /// A period that nothing confirms is looked for as well: the attempt that follows asks Apple. So is what was refunded before:
    /// its order ends as it would if the refund had come after the grant.
    ///
    /// - Parameter objections: to the payment, whatever was ordered.
    package static func mayBeAnOrders(_ objections: [Objection]) -> Bool {
        objections.allSatisfy { $0 == .unconfirmedPeriod || $0 == .takenBack || $0 == .partlyRefunded }
    }

    /// Whether a payment renews a subscription of the account: by Apple's word, and without it by the time, never by the product.
    ///
    /// It is how a payment is called that no order claims. It keeps a payment from no order.
    package static func isRenewal(_ payment: PaymentFacts, of account: AccountID) -> Bool {
        payment.kind == .autoRenewable && payment.purchaseReason != .purchase && payment.ledger?.renewedAccount == account
    }

    /// The rows of ``Objection``, in their order.
    private static func find(_ payment: PaymentFacts, _ order: Order?, _ policy: AppPolicy) -> [Objection] {
        let transaction = payment.transaction
        let ledger = payment.ledger
        let isTakenBack = payment.isTakenBack
        let mayBeReversed = payment.mayBeReversed
        let state = order.map { ledger?.orderState ?? $0.state }
        var found: [Objection] = []

        if let holder = ledger?.holder { found.append(.granted(holder)) }
        if let order, transaction.bundleID != order.bundleID { found.append(.anotherApp(transaction.bundleID)) }
        if transaction.environment != .production && !policy.allowsSandbox { found.append(.sandbox) }
        switch transaction.ownership {
        case .purchased, .unknown: break
        case .familyShared, .assigned: found.append(.paidBySomebodyElse(transaction.ownership))
        }
        if let state, !state.canBeFulfilled { found.append(.orderIsOver(state)) }
        if isTakenBack && !mayBeReversed { found.append(.takenBack) }
        if ledger?.isAnotherAccounts == true || isOfUnprovenOwner(payment, order) { found.append(.anotherOwner) }
        if isTakenBack && mayBeReversed { found.append(.refundReversed) }
        if transaction.ownership == .unknown { found.append(.unknownOwnership) }
        if !payment.shown.faults.isEmpty { found.append(.odd(payment.shown.faults)) }
        if transaction.isAdvancedCommerce || ledger?.isAdvancedCommerce == true { found.append(.advancedCommerce) }
        if transaction.additionalReason != nil || ledger?.isAddition == true { found.append(.addedSeats) }
        if payment.isPartlyRefunded { found.append(.partlyRefunded) }
        if ledger?.isBoughtAgain == true { found.append(.boughtAgain) }
        if let start = policy.ledgerStartsAt, payment.wasPaid(before: start) { found.append(.beforeLedger) }
        if let order, payment.isForAnotherProduct(than: order) {
            found.append(.anotherProduct(paid: transaction.productID, ordered: order.productID))
        }
        addObjections(toKindOf: payment, to: &found)
        guard let order else { return found }

        if payment.predates(order, under: policy) && !payment.wasShownInTime(under: policy) { found.append(.beforeOrder) }
        let needsToken = !payment.shown.provesPossession || order.appAccountToken != nil && policy.absentToken == .review
        if needsToken && !payment.bearsTokenBeside(order) { found.append(.noToken) }
        if transaction.quantity < order.quantity {
            found.append(.tooFew(paid: transaction.quantity, ordered: order.quantity))
        }
        return found
    }

    private static func addObjections(toKindOf payment: PaymentFacts, to found: inout [Objection]) {
        let transaction = payment.transaction
        guard let kind = payment.kind else {
            found.append(.unknownKind(transaction.productID))
            return
        }
        if kind == .consumable && transaction.originalID != transaction.id {
            found.append(.restoresConsumable(transaction.originalID))
        }
        if let signed = transaction.productKind, let listed = payment.listedKind, signed != listed {
            found.append(.anotherKind(signed: signed, listed: listed))
        }
        if kind == .autoRenewable && transaction.webOrderLineItemID == nil && !payment.shown.isConfirmed {
            found.append(.unconfirmedPeriod)
        }
    }

    /// Whether a bare id's token isn't the order's. Of a payment whose sender has it, the ledger decides whose the token is.
    /// Whoever only knows an id doesn't learn that.
    private static func isOfUnprovenOwner(_ payment: PaymentFacts, _ order: Order?) -> Bool {
        guard !payment.shown.provesPossession, let order else { return false }
        return payment.bearsTokenBeside(order) && payment.token != order.appAccountToken
    }
}
