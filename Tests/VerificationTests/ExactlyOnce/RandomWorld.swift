// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Customers who buy, restore, share and get refunded, and orders that may or may not be theirs, all from one seed.
struct RandomWorld {
    /// A product, what it is at Apple, and what the shop listed it as.
    struct Product {
        let id: String
        let kind: ProductKind
        let listed: ProductKind?
        /// Whether receipts would hide that the shop listed it wrongly: it is then sold to signing clients only.
        var isSignedOnly: Bool { listed != nil && listed != kind }
    }

    /// A proof that a client hands over.
    struct Upload {
        let transactions: [Transaction]
        let isReceipt: Bool
        let hint: TransactionID?
    }

    static let products = [
        Product(id: "coins", kind: .consumable, listed: .consumable),
        Product(id: "gems", kind: .consumable, listed: nil),
        Product(id: "map", kind: .nonConsumable, listed: .nonConsumable),
        Product(id: "season", kind: .nonRenewing, listed: .nonRenewing),
        Product(id: "club", kind: .autoRenewable, listed: .autoRenewable),
        Product(id: "odd", kind: .nonConsumable, listed: .consumable),
    ]

    /// The shop's list.
    static var listed: [ProductID: ProductKind] {
        Dictionary(
            uniqueKeysWithValues: products.compactMap { product in
                product.listed.map { (ProductID(rawValue: product.id), $0) }
            })
    }

    var generator: SeededGenerator
    private(set) var orders: [Order] = []
    private(set) var policy: AppPolicy

    /// Who really bought an original transaction.
    private var buyers: [TransactionID: AccountID] = [:]

    /// The periods to which seats were added. Apple says so of the period's own transaction afterwards.
    private var seated: Set<TransactionID> = []

    /// Everything at Apple, with the refunds that will ever happen.
    private(set) var transactions: [Transaction] = []
    private let tokens: [UUID?] = [nil, nil, token, otherToken]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        policy = AppPolicy(
            allowsSandbox: generator.once(in: 3), absentToken: generator.once(in: 3) ? .review : .accept,
            ledgerStartsAt: generator.once(in: 3) ? moment(-40) : nil
        )
        for number in 0..<12 {
            addPurchase(number)
        }
        for number in 0..<8 {
            addOrder(number)
        }
    }

    /// A proof of some of the transactions, as Apple would have shown them at some moment; mostly of the account's own.
    mutating func makeUpload(by account: AccountID) -> Upload {
        let isHonest = !generator.once(in: 5)
        let isReceipt = !generator.once(in: 2)
        let knowsRefunds = !generator.once(in: 3)
        let knowsSeats = generator.once(in: 2)
        let count = isReceipt ? Int.random(in: 0...8, using: &generator) : 1
        var shown =
            transactions
            .filter { !isHonest || buyers[$0.originalID] == account }
            .filter { !isReceipt || !product(of: $0).isSignedOnly && $0.additionalReason == nil }
            .shuffled(using: &generator).prefix(count)
            .map { transaction in
                var transaction = transaction
                if !knowsRefunds { transaction.revocationDate = nil }
                if !isReceipt { transaction.productKind = product(of: transaction).kind }
                if !isReceipt, knowsSeats, seated.contains(transaction.id) { transaction.additionalReason = .seatAddition }
                return transaction
            }
        if isReceipt, let twice = shown.first {
            var bare = twice
            bare.appAccountToken = nil
            bare.revocationDate = nil
            bare.ownership = .purchased
            shown.insert(bare, at: Int.random(in: 0...shown.count, using: &generator))
        }
        let hint = generator.once(in: 2) ? nil : transactions.randomElement(using: &generator)
        let namesOriginal = generator.once(in: 4)
        return Upload(
            transactions: shown, isReceipt: isReceipt, hint: hint.map { namesOriginal ? $0.originalID : $0.id })
    }

    func product(of transaction: Transaction) -> Product {
        Self.products.first { $0.id == transaction.productID.rawValue }!
    }

    private mutating func addPurchase(_ number: Int) {
        let product = Self.products.randomElement(using: &generator)!
        let minutes = Double.random(in: -60...60, using: &generator)
        var first = makeTransaction(
            "\(number)", bundle: generator.once(in: 12) ? "elsewhere" : "shop",
            environment: generator.once(in: 8) ? .sandbox : .production,
            webOrder: product.kind == .autoRenewable && !generator.once(in: 6) ? "w\(number)" : nil,
            product: product.id, quantity: Int.random(in: 1...2, using: &generator), at: minutes, paidAt: minutes,
            token: tokens.randomElement(using: &generator)!,
            ownership: product.kind != .consumable && generator.once(in: 8) ? .familyShared : .purchased
        )
        let refundedAt = minutes + Double.random(in: 1...30, using: &generator)
        if generator.once(in: 4) {
            first.revocationDate = moment(refundedAt)
        }
        transactions.append(first)
        buyers[first.id] = makeAccount()
        if product.kind == .autoRenewable, generator.once(in: 3) { addSeats(to: first) }
        guard product.kind != .consumable, generator.once(in: 2) else { return }

        // The same payment restored before any refund, or, for a subscription, its next period.
        var later = first
        later.id = TransactionID(rawValue: "\(number)a")
        later.purchaseDate = moment(minutes + 0.5)
        if product.kind == .autoRenewable, generator.once(in: 2) {
            later.webOrderLineItemID = first.webOrderLineItemID.map { $0 + "a" }
            later.revocationDate = nil
        }
        transactions.append(later)
        guard first.revocationDate != nil, product.kind == .nonConsumable else { return }

        // Bought again after the refund, under the same original id.
        var again = first
        again.id = TransactionID(rawValue: "\(number)b")
        again.purchaseDate = moment(refundedAt + 1)
        again.originalPurchaseDate = nil
        again.revocationDate = nil
        transactions.append(again)
    }

    /// A payment of its own, which bears the period's number. Only signing clients sell seats.
    private mutating func addSeats(to period: Transaction) {
        var seats = period
        seats.id = TransactionID(rawValue: period.id.rawValue + "s")
        seats.purchaseDate = period.purchaseDate.addingTimeInterval(60)
        seats.revocationDate = nil
        seats.additionalReason = .seatAddition
        transactions.append(seats)
        seated.insert(period.id)
    }

    private mutating func addOrder(_ number: Int) {
        let product = Self.products.randomElement(using: &generator)!
        var order = makeOrder(
            "order \(number)", kind: product.listed, account: makeAccount().rawValue,
            quantity: Int.random(in: 1...2, using: &generator), token: tokens.randomElement(using: &generator)!,
            isRecovery: generator.once(in: 4),
            state: [.open, .open, .open, .rejected, .review, .cancelled].randomElement(using: &generator)!
        )
        order.productID = ProductID(rawValue: product.id)
        order.createdAt = moment(Double.random(in: -60...60, using: &generator))
        if generator.once(in: 2), let paid = transactions.randomElement(using: &generator), let buyer = buyers[paid.id]
        {
            // An order that this very purchase was made for.
            order.productID = paid.productID
            order.productKind = self.product(of: paid).listed
            order.accountID = buyer
            order.quantity = paid.quantity
            order.appAccountToken = paid.appAccountToken
            order.createdAt = paid.purchaseDate.addingTimeInterval(-30)
        }
        orders.append(order)
    }

    private mutating func makeAccount() -> AccountID {
        AccountID(rawValue: generator.once(in: 2) ? "ann" : "bob")
    }
}
