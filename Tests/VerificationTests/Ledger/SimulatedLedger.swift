// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// The ledger as settlements keep it, in memory. It refuses what the database's keys refuse, as a failure of the test.
struct SimulatedLedger {
    struct Grant {
        let order: Order
        let payment: PaymentFacts
    }

    /// A transaction of one environment.
    struct Name: Hashable {
        let environment: AppStoreEnvironment
        let id: TransactionID

        init(_ transaction: Transaction) {
            environment = transaction.environment
            id = transaction.id
        }
    }

    private struct Key: Hashable {
        let environment: AppStoreEnvironment
        let key: GrantKey

        init(_ payment: PaymentFacts) {
            environment = payment.transaction.environment
            key = payment.key
        }
    }

    private(set) var orders: [Order]
    private(set) var grants: [Grant] = []
    private(set) var unclaimed: [Name: Reason] = [:]
    /// The order whose job showed an unclaimed payment first.
    private(set) var shownBy: [Name: Order] = [:]
    /// A token that any proof of a payment showed.
    private(set) var tokens: [Name: UUID] = [:]
    /// The payments that the last settlement kept.
    private(set) var kept: [KeptPayment] = []
    private let policy: AppPolicy
    private let listed: [ProductID: ProductKind]
    private var grantByKey: [Key: Grant] = [:]
    private var grantByName: [Name: Grant] = [:]
    private var revocations: [Transaction] = []
    /// Payments that aren't granted, and share their period with others.
    private var additions: Set<Name> = []

    /// - Parameter listed: the kinds of the shop's products.
    init(orders: [Order], policy: AppPolicy, listed: [ProductID: ProductKind]) {
        self.orders = orders
        self.policy = policy
        self.listed = listed
    }

    /// Settles one attempt on the order at `index`, and returns what became of it.
    mutating func settle(_ judgement: Judgement, at index: Int, hint: TransactionID?) -> OrderOutcome {
        let order = orders[index]
        revocations += judgement.revoked
        let others = judgement.others.map { facts(of: $0, for: order, mayPay: false) }
        let proof = ProofTraits(hint: hint)
        let outcome: OrderOutcome
        switch judgement.verdict {
        case .candidates(let candidates):
            let payments = candidates.map { facts(of: $0, for: order, mayPay: true) }
            let choice = Choice.choose(among: payments, beside: others, for: order, under: policy, as: proof)
            outcome = choice.outcome
            kept = choice.kept
            switch outcome {
            case .fulfilled(let payment): grant(payment, to: order)
            case .paidAnother(let own, let payment):
                let paid = orders.firstIndex { $0.id == own }!
                grant(payment, to: orders[paid])
                orders[paid].state = .fulfilled
            case .unchanged, .anotherPayment, .rejected, .review, .refunded: break
            }
            keep(payments + others, shownFor: order)
        case .rejected(let reason): outcome = .rejected(reason, nil)
        case .review(let reason): outcome = .review(reason, nil)
        case .missing: outcome = .unchanged
        }
        if case .candidates = judgement.verdict {} else {
            kept = Choice.keep(others, beside: order, under: policy, as: proof)
            keep(others, shownFor: order)
        }
        if outcome.moves(order.state) { orders[index].state = outcome.newState ?? .fulfilled }
        return outcome
    }

    /// Writes what the settlement kept.
    private mutating func keep(_ shown: [PaymentFacts], shownFor order: Order) {
        for payment in kept {
            let name = Name(payment.transaction)
            if let token = payment.transaction.appAccountToken { tokens[name] = token }
            switch payment.role {
            case .unclaimed(let reason):
                #expect(!holds(payment.transaction), "unclaimed, and granted: \(payment.transaction.id.rawValue)")
                if payment.transaction.additionalReason != nil { additions.insert(name) }
                unclaimed[name] = reason
                shownBy[name] = shownBy[name] ?? order
            case .restored:
                for facts in shown where facts.transaction == payment.transaction { addID(of: facts) }
            case .refunded: break
            }
        }
    }

    func holds(_ transaction: Transaction) -> Bool {
        grantByName[Name(transaction)] != nil
    }

    func isRevoked(_ transaction: Transaction) -> Bool {
        revocations.contains { Name($0) == Name(transaction) }
    }

    /// Whether the payment that a transaction of the given kind stands for was taken back, under whatever id.
    func isTakenBack(_ transaction: Transaction, as kind: ProductKind) -> Bool {
        if isRevoked(transaction) { return true }
        guard kind.isKeyedByOriginal else { return false }
        return revocations(ofOriginalOf: transaction).contains { $0.revocationDate! >= transaction.purchaseDate }
    }

    /// Whether it was bought for good, and a refund of its original transaction came before it.
    func isBoughtAgain(_ transaction: Transaction, as kind: ProductKind) -> Bool {
        guard kind.isKeyedByOriginal else { return false }
        return revocations(ofOriginalOf: transaction).contains { $0.revocationDate! < transaction.purchaseDate }
    }

    private func revocations(ofOriginalOf transaction: Transaction) -> [Transaction] {
        revocations.filter {
            $0.environment == transaction.environment && $0.originalID == transaction.originalID
        }
    }

    /// Whether two payments of one key are the same: no refund lies between them.
    private func isOnePayment(_ payment: PaymentFacts, _ other: PaymentFacts) -> Bool {
        guard payment.kind?.isKeyedByOriginal == true else { return true }
        let dates = [payment.transaction.purchaseDate, other.transaction.purchaseDate].sorted()
        return !revocations(ofOriginalOf: payment.transaction).contains {
            (dates[0]..<dates[1]).contains($0.revocationDate!)
        }
    }

    /// As `read_payments.sql` has them.
    ///
    /// - Parameter mayPay: whether it may pay for the order, and so for an older one.
    private func facts(of shown: ShownPayment, for order: Order, mayPay: Bool) -> PaymentFacts {
        let transaction = shown.transaction
        let name = Name(transaction)
        let kindOnly = LedgerFacts(orderState: order.state, listedKind: listed[transaction.productID])
        let asked = PaymentFacts(shown, ledger: kindOnly)
        let kind = asked.kind ?? .consumable
        let isAddition = additions.contains(name)
        let sameKey = isAddition ? nil : grantByKey[Key(asked)]
        let holder = grantByName[name] ?? sameKey.flatMap { isOnePayment(asked, $0.payment) ? $0 : nil }
        let first = shownBy[name]
        var payment = asked
        payment.ledger = LedgerFacts(
            holder: holder.map {
                LedgerFacts.Holder(
                    orderID: $0.order.id, accountID: $0.order.accountID, transactionID: $0.payment.transaction.id)
            },
            refund: isTakenBack(transaction, as: kind) ? .later : nil, isAddition: isAddition,
            isBoughtAgain: isBoughtAgain(transaction, as: kind) || sameKey != nil && holder == nil,
            isAnotherAccounts: isAnotherAccounts(transaction, than: order),
            ownOrder: mayPay ? ownOrder(of: shown, shownFor: order) : nil, orderState: order.state,
            firstOrderedAt: first?.accountID == order.accountID ? first?.createdAt : nil, token: tokens[name],
            listedKind: listed[transaction.productID],
            renewedAccount: kind == .autoRenewable ? renewedAccount(by: transaction) : nil)
        return payment
    }

    /// The order that a payment was made for, as `orders_for_payment.sql` has it. Looked for by what the proof alone shows.
    private func ownOrder(of shown: ShownPayment, shownFor order: Order) -> OrderID? {
        let transaction = shown.transaction
        let payment = PaymentFacts(shown)
        let objections = Fit.objections(to: payment, for: order, under: policy)
        guard Fit.mayPayAnOlderOrder(payment, than: order, objections) else { return nil }
        let paidAt = payment.paidAt
        let fitting = orders.filter { other in
            other.accountID == order.accountID && other.id != order.id && other.bundleID == transaction.bundleID
                && other.productID == transaction.productID && other.quantity <= transaction.quantity
                && (other.productKind == nil || other.productKind == payment.kind)
                && !grants.contains { $0.order.id == other.id }
        }
        let own =
            if let token = transaction.appAccountToken {
                fitting.filter { other in
                    other.appAccountToken == token && account(of: token) == order.accountID && other.state.canBeFulfilled
                        && (other.isRecovery || other.createdAt <= paidAt.addingTimeInterval(600))
                }
            } else {
                fitting.filter { other in
                    other.appAccountToken == nil && other.state == .open && paidAt < order.createdAt
                        && other.createdAt <= paidAt && other.createdAt >= paidAt.addingTimeInterval(-3600)
                }
            }
        return own.max { $0.createdAt < $1.createdAt }?.id
    }

    /// As `renewed_account.sql` has it, where Apple doesn't say and nobody knows when periods end.
    private func renewedAccount(by transaction: Transaction) -> AccountID? {
        let earlier = grants.filter {
            $0.payment.transaction.environment == transaction.environment
                && $0.payment.transaction.originalID == transaction.originalID
                && $0.payment.transaction.purchaseDate < transaction.purchaseDate
        }
        let latest = earlier.max { $0.payment.transaction.purchaseDate < $1.payment.transaction.purchaseDate }
        guard let account = latest?.order.accountID else { return nil }
        let stands = earlier.contains { period in
            period.order.accountID == account
                && !revocations(ofOriginalOf: transaction).contains {
                    $0.id == period.payment.transaction.id && $0.revocationDate! < transaction.purchaseDate
                }
        }
        return stands ? account : nil
    }

    /// The account whose orders alone bear a token.
    func account(of token: UUID?) -> AccountID? {
        let bearers = Set(orders.filter { token != nil && $0.appAccountToken == token }.map(\.accountID))
        return bearers.count == 1 ? bearers.first : nil
    }

    /// Two tokens settle it, if they are one or both the account's; else another account's token, or whose job showed it first.
    private func isAnotherAccounts(_ transaction: Transaction, than order: Order) -> Bool {
        let token = transaction.appAccountToken ?? tokens[Name(transaction)]
        if let token, let own = order.appAccountToken {
            return token != own && account(of: token) != order.accountID
        }
        if let owner = account(of: token) { return owner != order.accountID }
        return shownBy[Name(transaction)].map { $0.accountID != order.accountID } ?? false
    }

    private mutating func grant(_ payment: PaymentFacts, to order: Order) {
        #expect(grantByKey[Key(payment)] == nil, "granted twice: \(payment.key.rawValue)")
        #expect(grantByName[Name(payment.transaction)] == nil, "granted twice: \(payment.transaction.id.rawValue)")
        #expect(!grants.contains { $0.order.id == order.id }, "paid twice: \(order.id.rawValue)")
        #expect(order.state.canBeFulfilled, "paid while \(order.state): \(order.id.rawValue)")

        let grant = Grant(order: order, payment: payment)
        grants.append(grant)
        grantByKey[Key(payment)] = grant
        grantByName[Name(payment.transaction)] = grant
        unclaimed[Name(payment.transaction)] = nil
    }

    private mutating func addID(of payment: PaymentFacts) {
        guard let grant = grantByKey[Key(payment)] ?? grantByName[Name(payment.transaction)] else {
            Issue.record("known again, and unknown: \(payment.key.rawValue)")
            return
        }
        grantByName[Name(payment.transaction)] = grant
        unclaimed[Name(payment.transaction)] = nil
    }
}

extension LedgerFacts.Refund {
    /// Later than any proof was signed.
    static let later = LedgerFacts.Refund(asOf: .distantFuture, recordedAt: .distantFuture)
}
