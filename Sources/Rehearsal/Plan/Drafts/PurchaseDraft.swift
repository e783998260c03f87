// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
package import FoundationEssentials
package import Verification

/// A purchase in the making: the words that stories are written in.
package struct PurchaseDraft {
    package private(set) var purchase: Purchase
    package var generator: PlanGenerator
    /// The lives of the purchase, as the plan knows them.
    var lives: [SimulatedSubscription] = []
    /// Whether some of Apple's words are held up.
    var hasHeldUpWords = false

    package init(number: Int, kind: PurchaseKind, generator: PlanGenerator) {
        purchase = Purchase(number: number, kind: kind)
        self.generator = generator
    }

    /// The customer of the story.
    package var buyer: String { "buyer-\(purchase.number)" }
    /// Somebody else.
    package var stranger: String { "stranger-\(purchase.number)" }

    // MARK: What there is

    /// Adds an order. Its number.
    package mutating func order(
        _ product: ShopProduct, of app: ShopApp, by account: String? = nil, quantity: Int = 1, token: UUID? = nil
    ) -> Int {
        let number = purchase.orders.count
        purchase.orders.append(
            PlannedOrder(
                id: "\(purchase.number)-\(number + 1)", app: app, product: product, accountID: account ?? buyer,
                quantity: quantity, token: token))
        return number
    }

    /// Adds a transaction that fits an order, with whatever `change` makes different. Its number.
    package mutating func payment(for order: Int, _ change: (inout PlannedTransaction) -> Void = { _ in }) -> Int {
        let order = purchase.orders[order]
        return payment(order.product, of: order.app) { transaction in
            transaction.quantity = order.quantity
            transaction.token = order.token
            change(&transaction)
        }
    }

    /// Adds a transaction. Its number.
    package mutating func payment(
        _ product: ShopProduct, of app: ShopApp, _ change: (inout PlannedTransaction) -> Void = { _ in }
    ) -> Int {
        let number = purchase.transactions.count
        var made = PlannedTransaction(id: "", originalID: "", app: app, product: product)
        change(&made)
        // Apple's forms: 15 digits in production, 16 in sandbox. The purchase's number keeps them apart.
        let place = String(1_000_000 + purchase.number * 10 + number)
        made.id = made.environment == .sandbox ? "200000" + generator.digits(3) + place : "4" + generator.digits(7) + place
        if made.originalID.isEmpty { made.originalID = made.id }
        if product.type == .autoRenewable, made.webOrderLineItemID == nil {
            made.webOrderLineItemID = "48" + generator.digits(6) + place
        }
        if made.webOrderLineItemID == "" { made.webOrderLineItemID = nil }
        purchase.transactions.append(made)
        return number
    }

    /// Adds a receipt of these transactions.
    package mutating func receipt(
        of transactions: [Int], _ change: (inout PlannedReceipt) -> Void = { _ in }
    ) -> PlannedProof {
        let first = transactions.first.map { purchase.transactions[$0] }
        let shuffled = transactions.shuffled(using: &generator)
        var made = PlannedReceipt(
            transactions: shuffled, opaqueValue: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) },
            app: first?.app ?? purchase.orders[0].app, environment: first?.environment ?? .production)
        change(&made)
        purchase.receipts.append(made)
        return .receipt(purchase.receipts.count - 1)
    }

    /// The signed form of a transaction, or a receipt that holds it, at random.
    package mutating func anyProof(of payment: Int) -> PlannedProof {
        generator.oneIn(2) ? receipt(of: [payment]) : .signed(transaction: payment)
    }

    /// An app of ours whose receipts verifyReceipt judges, at random; the one whose shared secret is wrong at first has
    /// stories of its own.
    package mutating func anyApp() -> ShopApp {
        generator.pick([.puzzle, .novel, .radio])
    }

    /// An app of ours of either route, at random, for stories that end alike on both.
    package mutating func anyAppOfBothRoutes() -> ShopApp {
        generator.pick([.puzzle, .novel, .radio, .harbor])
    }

    /// A way that all shops have, at random.
    package mutating func anyWay() -> PlannedUpload.Way {
        generator.pick([.insert, .insertNamingAccount, .submit])
    }

    package mutating func token() -> UUID {
        let text = generator.hexadecimal(32)
        func part(_ from: Int, _ to: Int) -> String { String(Array(text)[from..<to]) }
        let spelled = [part(0, 8), part(8, 12), "4" + part(13, 16), "a" + part(17, 20), part(20, 32)]
        guard let token = UUID(uuidString: spelled.joined(separator: "-")) else {
            preconditionFailure("hexadecimal digits in the form of a UUID are one")
        }
        return token
    }

    package mutating func edit(_ change: (inout Purchase) -> Void) {
        change(&purchase)
    }

    // MARK: What is done

    package mutating func play(_ steps: PlayerStep...) {
        purchase.steps += steps
    }

    /// Places an order (unless the way makes it), uploads a proof for it and follows it to the end.
    ///
    /// - Parameter isPersistent: the client sends its proof again when it is told to.
    package mutating func buy(
        _ order: Int, with proof: PlannedProof, way: PlannedUpload.Way? = nil, copies: Int = 1, isPersistent: Bool = true
    ) {
        let way = way ?? anyWay()
        purchase.orders[order].isPersistent = isPersistent
        if way != .submit && way != .recover { play(.place([order])) }
        play(.upload([PlannedUpload(order: order, proof: proof, way: way, copies: copies)]), .follow([order]))
    }

    // MARK: What must come of it

    package mutating func expect(_ order: Int, _ outcome: Outcome) {
        purchase.expectations.append(Expectation(orders: [order], outcomes: [outcome]))
    }

    /// The order is paid by the transaction.
    package mutating func expectGrant(_ order: Int, _ payment: Int) {
        purchase.transactions[payment].fate = .granted
        expect(order, .fulfilled(purchase.transactions[payment]))
    }

    /// The order is left to a person, and so is its payment.
    package mutating func expectReview(_ order: Int, _ reason: Reason, _ payment: Int) {
        purchase.transactions[payment].fate = .unclaimed(reason)
        expect(order, .review(reason, naming: purchase.transactions[payment]))
    }

    /// It stays in a receipt, and pays for nothing.
    package mutating func expectLeftOver(_ payment: Int) {
        let transaction = purchase.transactions[payment]
        let isFromBeforeLedger = transaction.app.ledgerAge.map { transaction.age > Double($0) * 86_400 } ?? false
        expect(payment, .unclaimed(isFromBeforeLedger ? .beforeLedger : .noOrder))
    }

    package mutating func expect(_ payment: Int, _ fate: Fate) {
        purchase.transactions[payment].fate = fate
    }

    package subscript(payment number: Int) -> PlannedTransaction { purchase.transactions[number] }
}
