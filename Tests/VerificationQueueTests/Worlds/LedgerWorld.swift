// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Customers of a shop, all that they bought from Apple, and all that Apple will ever say of it: the truth behind the proofs.
///
/// All from one seed. The code under test never sees it, only the proofs that its moves upload.
struct LedgerWorld {
    /// A product, what it is at Apple, and what the shop listed it as.
    struct Product {
        let id: String
        let kind: ProductKind
        let listed: ProductKind?
    }

    /// What Apple says of a transaction from some moment on.
    struct Word {
        let date: Date
        /// Nil: it stands, whatever was said before.
        let share: Revocation.Share?
        let seats: Int
    }

    /// A transaction at Apple.
    struct Name {
        var transaction: Transaction
        /// Which payment it is.
        let payment: String
        let buyer: String
        /// Oldest first; before the first one it stands.
        var words: [Word] = []
    }

    static let products = [
        Product(id: "coins", kind: .consumable, listed: .consumable),
        Product(id: "gems", kind: .consumable, listed: nil),
        Product(id: "odd", kind: .nonConsumable, listed: .consumable),
        Product(id: "pro", kind: .nonConsumable, listed: .nonConsumable),
        Product(id: "pass", kind: .nonRenewing, listed: .nonRenewing),
        Product(id: "club", kind: .autoRenewable, listed: .autoRenewable),
        Product(id: "vip", kind: .autoRenewable, listed: .autoRenewable),
    ]

    /// Whole seconds, as receipts know them. Everything happens in the ten days after it, which are over.
    private static let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 11 * 86400).rounded(.down))

    static func hour(_ hours: Double) -> Date { start.addingTimeInterval(hours * 3600) }

    /// The last hour of Apple's words.
    static let end = 240.0

    let seed: UInt64
    let bundle: String

    /// What the ids of this playing of the world begin with.
    let prefix: String
    var dice: WorldDice
    var names: [Name] = []
    var orders: [NewOrder] = []
    private let tokens: [String: UUID]
    private let sharedToken: UUID

    let accounts: [String]

    /// Which of the facts that tie names together the other system may not have kept: line items, or originals.
    let forgetsItems: Bool

    /// - Parameter playing: tells several playings of one world apart, which are equal but for their ids.
    init(seed: UInt64, playing: Int, bundle: String) {
        self.seed = seed
        self.bundle = bundle
        prefix = "w\(seed).\(playing)-"
        dice = WorldDice(seed: seed)
        let accounts = ["ann", "bob", "cat"].prefix(dice.among(2...3)).map { [prefix] in prefix + $0 }
        self.accounts = accounts
        tokens = Dictionary(uniqueKeysWithValues: accounts.map { ($0, UUID()) })
        sharedToken = UUID()
        forgetsItems = dice.once(in: 2)
        for number in 1...dice.among(4...6) { buy(number) }
        for index in names.indices { foretell(index) }
    }

    static func kind(of product: String) -> ProductKind {
        products.first { $0.id == product }!.kind
    }

    /// Which payment a transaction is.
    func payment(_ transaction: String) -> String? {
        names.first { $0.transaction.id.rawValue == transaction }?.payment
    }

    // MARK: Purchases

    private mutating func buy(_ number: Int) {
        let product = dice.pick(Self.products)
        let buyer = dice.pick(accounts)
        let hour = Double(dice.among(1...72))
        let isSubscription = product.kind == .autoRenewable
        let item = isSubscription && !dice.once(in: 6) ? "\(prefix)l\(number)" : nil
        let first = Transaction(
            bundleID: BundleID(rawValue: bundle), environment: .production, id: id("\(number)"), originalID: id("\(number)"),
            webOrderLineItemID: item, productID: ProductID(rawValue: product.id), productKind: product.kind,
            quantity: dice.once(in: 6) ? 2 : 1, purchaseDate: Self.hour(hour),
            expiresDate: isSubscription ? Self.hour(hour + 24) : nil, appAccountToken: token(of: buyer),
            ownership: product.kind != .consumable && dice.once(in: 15) ? .familyShared : .purchased, purchaseReason: .purchase)
        names.append(Name(transaction: first, payment: "\(number)", buyer: buyer))
        switch product.kind {
        case .consumable: break
        case .nonConsumable, .nonRenewing: buyForGood(first, number, buyer)
        case .autoRenewable: renew(first, number, buyer)
        }
    }

    /// Restores within the hour; and it may be refunded a day later, and bought again after that.
    private mutating func buyForGood(_ first: Transaction, _ number: Int, _ buyer: String) {
        restore(first, as: "\(number)a", payment: "\(number)", buyer)
        guard dice.once(in: 2) else { return }
        let refund = first.purchaseDate.addingTimeInterval(86400)
        names[names.firstIndex { $0.transaction.id == first.id }!].words = [Word(date: refund, share: .whole, seats: 0)]
        var again = first
        again.id = id("\(number)b")
        again.purchaseDate = refund.addingTimeInterval(3600)
        again.appAccountToken = token(of: buyer)
        names.append(Name(transaction: again, payment: "\(number)b", buyer: buyer))
        restore(again, as: "\(number)c", payment: "\(number)b", buyer)
    }

    /// A period a day; the last one may be an upgrade to another product.
    private mutating func renew(_ first: Transaction, _ number: Int, _ buyer: String) {
        restore(first, as: "\(number)a", payment: "\(number)", buyer)
        for period in 1..<dice.among(1...4) {
            var later = first
            later.id = id("\(number)p\(period)")
            later.webOrderLineItemID = first.webOrderLineItemID.map { "\($0)p\(period)" }
            later.purchaseDate = first.purchaseDate.addingTimeInterval(Double(period) * 86400)
            later.expiresDate = later.purchaseDate.addingTimeInterval(86400)
            later.purchaseReason = .renewal
            if dice.once(in: 5) {
                later.productID = ProductID(rawValue: first.productID.rawValue == "club" ? "vip" : "club")
                later.purchaseReason = .purchase
            }
            names.append(Name(transaction: later, payment: "\(number)p\(period)", buyer: buyer))
            restore(later, as: "\(number)p\(period)a", payment: "\(number)p\(period)", buyer)
        }
    }

    /// Perhaps: the payment shows up under another id, too.
    private mutating func restore(_ paid: Transaction, as other: String, payment: String, _ buyer: String) {
        guard dice.once(in: 2) else { return }
        var restored = paid
        restored.id = id(other)
        if paid.productKind == .autoRenewable {
            // Without a line item only the moment tells.
            if paid.webOrderLineItemID != nil, dice.once(in: 4) { restored.webOrderLineItemID = nil }
        } else {
            restored.purchaseDate = paid.purchaseDate.addingTimeInterval(1800)
            restored.originalPurchaseDate = paid.purchaseDate
        }
        names.append(Name(transaction: restored, payment: payment, buyer: buyer))
    }

    /// What Apple will say of a transaction; after all purchases of its original, so that these stay what they are.
    private mutating func foretell(_ index: Int) {
        let first = names[index].words.last.map { $0.date } ?? names[index].transaction.purchaseDate
        var hour = max(Self.hour(170), first).timeIntervalSince(Self.hour(0)) / 3600
        for _ in 0..<dice.pick([0, 0, 0, 1, 1, 2, 3]) {
            hour += Double(dice.among(1...20))
            names[index].words.append(makeWord(at: hour))
        }
    }

    mutating func makeWord(at hour: Double) -> Word {
        let shares: [Revocation.Share?] = [.whole, .whole, .whole, .part(25_000), .part(50_000), .part(75_000), .unknown, nil]
        let share = dice.pick(shares)
        return Word(date: Self.hour(hour), share: share, seats: share == .unknown && dice.once(in: 2) ? 1 : 0)
    }

    private func id(_ suffix: String) -> TransactionID { TransactionID(rawValue: prefix + suffix) }

    // MARK: Tokens

    /// Mostly none or the account's; now and then another account's, or one that everybody has.
    mutating func token(of account: String) -> UUID? {
        switch dice.among(1...10) {
        case 1...5: nil
        case 6...8: tokens[account]
        case 9: tokens[dice.pick(accounts)]
        default: sharedToken
        }
    }

    // MARK: Proofs

    /// The transaction as Apple shows it at an hour: signed, or in a receipt, which knows no share, no kind, nobody's doing and not
    /// every token.
    mutating func shown(_ name: Name, at hour: Double, isSigned: Bool) -> Transaction {
        var shown = name.transaction
        let moment = max(Self.hour(hour), name.transaction.purchaseDate)
        if let word = name.words.last(where: { $0.date <= moment }), let share = word.share {
            shown.revocation =
                isSigned
                // Seats have no date of their own.
                ? Revocation(.signedTransaction, date: word.seats > 0 ? nil : word.date, share: share, seats: word.seats, asOf: moment)
                : .whole(word.date, by: .receipt, asOf: moment)
        }
        guard !isSigned else { return shown }
        shown.productKind = nil
        shown.purchaseReason = nil
        if dice.once(in: 3) { shown.appAccountToken = nil }
        return shown
    }
}
