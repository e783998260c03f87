// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
import Verification

/// The words in which lives of subscriptions are written.
extension PurchaseDraft {
    static let day: TimeInterval = 86_400

    /// Any moment: the plan needs only the events' ids and kinds.
    private static let moment = Date(timeIntervalSince1970: 1_800_000_000)

    /// Begins a life, so many days ago. Its first transaction is the next one of the purchase.
    ///
    /// - Returns: the number of the life.
    package mutating func live(
        _ product: ShopProduct, of app: ShopApp, daysAgo days: Double, token: UUID? = nil,
        environment: SimulatedEnvironment = .production, ownership: String = "PURCHASED", seats: Int? = nil,
        owner: PlannedLife.Owner
    ) -> Int {
        let number = purchase.lives.count
        let life = PlannedLife(
            app: app, environment: environment, product: product, token: token, ownership: ownership, seats: seats,
            age: days * Self.day, seed: generator.next(), owner: owner)
        edit { $0.lives.append(life) }
        lives.append(life.begun(Self.moment))
        addTransactions(of: number)
        play(.begin(number))
        return number
    }

    /// Lets something happen to a life, so many days ago or now. Apple's word of it may be held up until ``hear(_:)``.
    ///
    /// - Parameter mustBeHeldUp: whether it is held up whatever the seed says.
    /// - Returns: the number of the transaction that came of it; nil: none did.
    @discardableResult
    package mutating func befall(
        _ life: Int, _ event: SubscriptionEvent, daysAgo days: Double = 0, mustBeHeldUp: Bool = false
    ) -> Int? {
        let place = purchase.lives[life].events.count
        let planned = PlannedLife.Event(event: event, age: days * Self.day)
        edit { $0.lives[life].events.append(planned) }
        do {
            try lives[life].apply(event, at: planned.moment(at: Self.moment, place))
        } catch {
            preconditionFailure("\(purchase.kind): \(error)")
        }
        let count = purchase.transactions.count
        addTransactions(of: life)
        let isHeldUp = generator.oneIn(3) || mustBeHeldUp
        if isHeldUp { hasHeldUpWords = true }
        play(.befall(life, place, isHeldUp: isHeldUp))
        return purchase.transactions.count > count ? count : nil
    }

    /// Takes over the transactions that the plan doesn't know yet.
    private mutating func addTransactions(of life: Int) {
        let planned = purchase.lives[life]
        let known = Set(purchase.transactions.map(\.id))
        for made in lives[life].transactions where !known.contains(made.transactionId) {
            guard let product = ShopProduct(rawValue: made.productId) else { preconditionFailure("a life is of our products") }
            var transaction = PlannedTransaction(
                id: made.transactionId, originalID: made.originalTransactionId, app: planned.app, product: product)
            transaction.webOrderLineItemID = made.webOrderLineItemId
            transaction.environment = planned.environment
            transaction.quantity = made.quantity
            transaction.token = made.appAccountToken
            transaction.ownership = planned.ownership
            transaction.isToldOnly = true
            edit { $0.transactions.append(transaction) }
        }
    }

    /// The client shows a payment for an order that it makes for it.
    package mutating func claim(_ payment: Int) {
        let paid = self[payment: payment]
        let order = order(paid.product, of: paid.app, quantity: paid.quantity)
        edit { $0.transactions[payment].isToldOnly = false }
        buy(order, with: .signed(transaction: payment), way: .recover, isPersistent: false)
        expectGrant(order, payment)
    }

    /// A stranger got hold of the signed transaction, and shows it. That takes nothing away.
    package mutating func steal(_ payment: Int, isGranted: Bool, by account: String? = nil) {
        let paid = self[payment: payment]
        let order = order(paid.product, of: paid.app, by: account ?? stranger, quantity: paid.quantity)
        buy(order, with: .signed(transaction: payment), way: .recover, isPersistent: false)
        expect(
            order, isGranted ? .rejected(.grantedToAnotherAccount, .contactSupport) : .review(.ownerMismatch, naming: paid))
    }

    /// Half of the time.
    package mutating func mayBeStolen(_ payment: Int, isGranted: Bool) {
        if generator.oneIn(2) { steal(payment, isGranted: isGranted) }
    }

    /// All that Apple told arrives, the held up words last and in the opposite order; and is recorded of these payments.
    package mutating func hear(_ payments: Int...) {
        if hasHeldUpWords { play(.letThrough) }
        hasHeldUpWords = false
        for payment in payments { play(.awaitTold(payment)) }
    }
}
