// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

extension LedgerWorld {
    /// An order, as a backend writes it.
    struct NewOrder {
        let id: String
        let account: String
        let product: String
        let quantity: Int
        let token: UUID?
        let isRecovery: Bool
        let createdAt: Date
        /// What it was made for.
        let payment: String?
    }

    /// What a client uploads for an order.
    struct Upload {
        enum Form { case signed, receipt, bareID }

        let order: String
        let form: Form
        let transactions: [Transaction]
        let hint: String?
    }

    /// An entry of an import.
    struct Entry {
        let order: String
        let account: String
        let transaction: Transaction
        let kind: ProductKind
    }

    /// Something that happens to the database.
    enum Move {
        case order(NewOrder)
        case upload(Upload)
        /// Sessions at once.
        case together([Move])
        /// Settlements of one database transaction, where their orders allow.
        case batch([Upload])
        /// With Apple's answer of the moment, where one was fetched.
        case assign(String, to: String, fetched: Transaction?, overrides: Bool)
        case refund(String, transaction: String?, at: Date?)
        case reverse(String, transaction: String?, at: Date?)
        case importGrants([Entry])
        case cancel(String)
        /// One person with two accounts.
        case moveAccount(String, to: String)
        case transfer(String, to: String)
        case forget(String)
    }

    /// What Apple says of a transaction for a moment: its revocation, or that it was given back.
    struct Saying {
        let transaction: Transaction
        let asOf: Date
    }

    /// A shop whose customers bought and nothing was refunded, and what Apple says after that.
    mutating func makeSayings() -> (moves: [Move], sayings: [Saying]) {
        for index in names.indices { names[index].words.removeAll { $0.date >= Self.hour(100) } }
        var moves = (0..<6).map { _ in Move.order(makeOrder()) }
        for _ in 0..<12 {
            let upload = makeUpload()
            if upload.transactions.allSatisfy({ $0.revocation == nil }) { moves.append(.upload(upload)) }
        }
        let paid = Array(Set(names.map(\.payment))).sorted().shuffled(using: &dice).prefix(3)
        let spokenOf = names.filter { paid.contains($0.payment) && $0.words.isEmpty && $0.transaction.ownership == .purchased }
        var sayings: [Saying] = []
        for name in spokenOf {
            var dates: [Date] = []
            for _ in 0..<dice.among(1...4) {
                let asOf = Self.hour(Double(dice.among(170...Int(Self.end))))
                // Each says something else: what repeats the last word isn't written.
                let date = asOf.addingTimeInterval(-Double(dice.among(1...3000)))
                var transaction = name.transaction
                transaction.revocation = makeRevocation(date, asOf, before: &dates)
                if transaction.isPartlyRefunded { dates.append(date) }
                sayings.append(Saying(transaction: transaction, asOf: asOf))
            }
        }
        return (moves, sayings)
    }

    /// - Parameter dates: of parts, each of which a receipt may show as the whole, once.
    private mutating func makeRevocation(_ date: Date, _ asOf: Date, before dates: inout [Date]) -> Revocation? {
        switch dice.among(1...8) {
        case 1, 2: return Revocation(.signedTransaction, date: date, share: .whole, asOf: asOf)
        case 3, 4: return Revocation(.signedTransaction, date: date, share: .part(dice.pick([25_000, 50_000, 75_000])), asOf: asOf)
        case 5: return Revocation(.signedTransaction, date: date, share: .unknown, asOf: asOf)
        case 6, 7:
            let index = dates.indices.filter { dates[$0] <= asOf }.randomElement(using: &dice)
            return .whole(index.map { dates.remove(at: $0) } ?? date, by: .receipt, asOf: asOf)
        default: return nil
        }
    }

    /// The moves of the world, which only its seed decides.
    mutating func makeMoves(_ count: Int) -> [Move] {
        var moves = (0..<4).map { _ in Move.order(makeOrder()) }
        while moves.count < count { moves.append(makeMove()) }
        return moves
    }

    private mutating func makeMove() -> Move {
        switch dice.among(1...110) {
        case 1...13: .order(makeOrder())
        case 14...62: .upload(makeUpload())
        case 63...68: .batch((0..<dice.among(2...3)).map { _ in makeUpload() })
        case 69...80: .together(makeOverlapping())
        case 81...85: makeAct(1)
        case 86...91: makeAct(2)
        case 92...94: makeAct(3)
        case 95...98: .importGrants((0..<dice.among(1...3)).map { _ in makeEntry() })
        case 99...100: .cancel(dice.pick(orders).id)
        case 101...102: makeAct(4)
        case 103...108: makeAct(5)
        default: .forget(dice.pick(accounts))
        }
    }

    // MARK: Orders

    /// Mostly for something that was bought, by who bought it, a little before.
    private mutating func makeOrder() -> NewOrder {
        let paid = dice.pick(names)
        let isFor = !dice.once(in: 5)
        let account = dice.once(in: 5) ? dice.pick(accounts) : paid.buyer
        let order = NewOrder(
            id: "\(prefix)o\(orders.count + 1)", account: account,
            product: isFor ? paid.transaction.productID.rawValue : dice.pick(Self.products).id,
            quantity: dice.once(in: 10) ? 2 : 1,
            token: isFor && dice.once(in: 3) ? paid.transaction.appAccountToken : token(of: account),
            isRecovery: dice.once(in: 4), createdAt: paid.transaction.purchaseDate.addingTimeInterval(dice.once(in: 8) ? 7200 : -60),
            payment: isFor ? paid.payment : nil)
        orders.append(order)
        return order
    }

    // MARK: Uploads

    private mutating func makeUpload() -> Upload {
        let order = dice.pick(orders)
        let form: Upload.Form = dice.pick([.signed, .signed, .signed, .receipt, .receipt, .bareID])
        let isHonest = !dice.once(in: 5)
        let theirs = names.filter { !isHonest || $0.buyer == order.account }
        let wanted = theirs.filter { $0.transaction.productID.rawValue == order.product }
        let meant = names.filter { $0.payment == order.payment }
        let pool = [meant, meant, meant, wanted, theirs][dice.among(0...4)]
        var shown = [dice.pick(pool.isEmpty ? names : pool)]
        if form == .receipt {
            // A receipt holds nothing of what the shop lists wrongly: it would hide that.
            shown = (shown + names.filter { $0.buyer == shown[0].buyer && dice.once(in: 2) }).filter {
                $0.transaction.productID.rawValue != "odd"
            }
        }
        var seen: Set<TransactionID> = []
        shown = shown.filter { seen.insert($0.transaction.id).inserted }
        let hour = Double(dice.among(80...Int(Self.end)))
        let transactions = shown.map { self.shown($0, at: hour, isSigned: form != .receipt) }
        let hint = dice.once(in: 2) ? nil : (dice.once(in: 8) ? dice.pick(names) : shown.first ?? dice.pick(names))
        return Upload(order: order.id, form: form, transactions: transactions, hint: hint?.transaction.id.rawValue)
    }

    /// Two uploads of one payment, perhaps under other names and for other orders; or one beside an operator's act.
    private mutating func makeOverlapping() -> [Move] {
        let first = makeUpload()
        guard let payment = first.transactions.first.flatMap({ payment($0.id.rawValue) }), !dice.once(in: 4) else {
            return [.upload(first), dice.once(in: 6) ? .forget(dice.pick(accounts)) : makeAct(dice.among(1...5))]
        }
        let others = names.filter { $0.payment == payment || $0.payment == payment + "b" }
        let hour = Double(dice.among(80...Int(Self.end)))
        let transaction = shown(dice.pick(others), at: hour, isSigned: true)
        let fitting = orders.filter { $0.product == transaction.productID.rawValue }
        let second = Upload(
            order: dice.pick(fitting.isEmpty ? orders : fitting).id, form: .signed, transactions: [transaction], hint: nil)
        return [.upload(first), .upload(second)]
    }

    // MARK: Operators

    private mutating func makeAct(_ act: Int) -> Move {
        let order = dice.pick(orders)
        let fitting = names.filter { $0.transaction.productID.rawValue == order.product }
        let name = dice.pick(fitting.isEmpty ? names : fitting)
        let named = dice.once(in: 2) ? name.transaction.id.rawValue : nil
        let moment = dice.once(in: 3) ? Self.hour(Double(dice.among(170...Int(Self.end)))) : nil
        switch act {
        case 1:
            let hour = Double(dice.among(80...Int(Self.end)))
            let fetched = dice.once(in: 3) ? shown(name, at: hour, isSigned: true) : nil
            return .assign(name.transaction.id.rawValue, to: order.id, fetched: fetched, overrides: dice.once(in: 2))
        case 2: return .refund(order.id, transaction: named, at: moment)
        case 3: return .reverse(order.id, transaction: named, at: moment)
        case 4: return .moveAccount(dice.pick(accounts), to: dice.pick(accounts))
        default: return .transfer(order.id, to: dice.pick(accounts + [prefix + "dan"]))
        }
    }

    private mutating func makeEntry() -> Entry {
        let paid = dice.pick(names.filter { $0.transaction.ownership == .purchased } + [names[0]])
        let fitting = orders.filter { $0.product == paid.transaction.productID.rawValue && $0.account == paid.buyer }
        let order = fitting.isEmpty || dice.once(in: 3) ? "\(prefix)i\(dice.among(1...9))" : dice.pick(fitting).id
        let product = Self.products.first { $0.id == paid.transaction.productID.rawValue }!
        var transaction = paid.transaction
        // What another system may not have kept.
        if dice.once(in: 2) {
            if forgetsItems {
                transaction.webOrderLineItemID = nil
            } else if transaction.webOrderLineItemID != nil {
                transaction.originalID = transaction.id
            }
        }
        return Entry(order: order, account: paid.buyer, transaction: transaction, kind: product.listed ?? product.kind)
    }
}

extension LedgerWorld.Move: CustomStringConvertible {
    var description: String {
        switch self {
        case .order(let order):
            "order \(order.id) of \(order.account): \(order.quantity) \(order.product), token \(Self.short(order.token)), "
                + "\(order.isRecovery ? "recovery, " : "")hour \(Self.hour(order.createdAt))"
        case .upload(let upload): Self.describe(upload)
        case .together(let moves): "at once [\(moves.map(\.description).joined(separator: " | "))]"
        case .batch(let uploads): "batch [\(uploads.map(Self.describe).joined(separator: " | "))]"
        case .assign(let id, let order, let fetched, let overrides):
            "assign \(id) to \(order)\(overrides ? ", overriding" : "")\(fetched.map { ", fetched " + Self.describe($0) } ?? "")"
        case .refund(let order, let id, let moment):
            "refund \(order) \(id ?? "")\(moment.map { " at hour \(Self.hour($0))" } ?? "")"
        case .reverse(let order, let id, let moment):
            "reverse \(order) \(id ?? "")\(moment.map { " at hour \(Self.hour($0))" } ?? "")"
        case .importGrants(let entries):
            "import ["
                + entries.map { "\($0.order) of \($0.account) as \($0.kind.rawValue): \(Self.describe($0.transaction))" }
                .joined(separator: " | ") + "]"
        case .cancel(let order): "cancel \(order)"
        case .moveAccount(let from, let to): "move \(from) to \(to)"
        case .transfer(let order, let to): "transfer \(order) to \(to)"
        case .forget(let account): "forget \(account)"
        }
    }

    private static func describe(_ upload: LedgerWorld.Upload) -> String {
        "upload \(upload.form) for \(upload.order)\(upload.hint.map { " naming \($0)" } ?? ""): "
            + upload.transactions.map { describe($0) }.joined(separator: ", ")
    }

    fileprivate static func describe(_ transaction: Transaction) -> String {
        var text = "\(transaction.id.rawValue) \(transaction.productID.rawValue) at \(hour(transaction.purchaseDate))"
        if transaction.originalID != transaction.id { text += " of \(transaction.originalID.rawValue)" }
        if let item = transaction.webOrderLineItemID { text += " item \(item)" }
        if let token = transaction.appAccountToken { text += " token \(short(token))" }
        if transaction.quantity != 1 { text += " times \(transaction.quantity)" }
        if transaction.ownership != .purchased { text += " \(transaction.ownership.rawValue)" }
        if let revocation = transaction.revocation {
            text += " (\(revocation.share) of \(revocation.date.map { hour($0) } ?? "-") as of \(revocation.asOf.map { hour($0) } ?? "-"))"
        }
        return text
    }

    private static func short(_ token: UUID?) -> String { token.map { String($0.uuidString.prefix(4)) } ?? "-" }

    fileprivate static func hour(_ date: Date) -> String {
        let hours = (date.timeIntervalSince(LedgerWorld.hour(0)) / 36).rounded() / 100
        return "\(hours)"
    }
}

extension LedgerWorld.Saying: CustomStringConvertible {
    var description: String {
        transaction.revocation == nil
            ? "\(transaction.id.rawValue) was given back as of \(LedgerWorld.Move.hour(asOf))"
            : LedgerWorld.Move.describe(transaction) + (transaction.revocation?.source == .receipt ? " in a receipt" : "")
    }
}
