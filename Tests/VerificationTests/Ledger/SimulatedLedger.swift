// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// The ledger as settlements keep it, in memory. It refuses what the database's keys refuse, as a failure of the test.
struct SimulatedLedger {
    struct Grant {
        let order: Order
        let payment: Candidate
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

        init(_ candidate: Candidate) {
            environment = candidate.transaction.environment
            key = candidate.key
        }
    }

    private(set) var orders: [Order]
    private(set) var grants: [Grant] = []
    private(set) var unclaimed: [Name: Reason] = [:]
    /// The account whose job showed an unclaimed payment first.
    private(set) var shownBy: [Name: AccountID] = [:]
    private var grantByKey: [Key: Grant] = [:]
    private var grantByName: [Name: Grant] = [:]
    private var revocations: [Transaction] = []
    /// Payments that aren't granted, and share their period with others.
    private var additions: Set<Name> = []

    init(orders: [Order]) {
        self.orders = orders
    }

    /// Settles one attempt on the order at `index`, and returns what became of it.
    mutating func settle(_ judgement: Judgement, at index: Int) -> OrderOutcome {
        revocations += judgement.revoked
        var unclaimed = judgement.unclaimed
        let outcome: OrderOutcome
        switch judgement.verdict {
        case .candidates(let candidates):
            let resolution = LedgerResolution.resolve(
                candidates, facts: candidates.map { facts(of: $0, for: orders[index]) }, order: orders[index])
            outcome = resolution.outcome
            unclaimed += resolution.unclaimed
            switch outcome {
            case .fulfilled(let payment): grant(payment, to: orders[index])
            case .paidAnother(let own, let payment):
                let paid = orders.firstIndex { $0.id == own }!
                grant(payment, to: orders[paid])
                orders[paid].state = .fulfilled
            case .unchanged, .anotherPayment, .rejected, .review, .refunded: break
            }
            let restored = Set(resolution.restored)
            for candidate in candidates where restored.contains(candidate.transaction) { addID(of: candidate) }
        case .refunded(let transaction):
            outcome = transaction.productID == orders[index].productID ? .refunded(transaction) : .anotherPayment(transaction)
        case .rejected(let reason): outcome = .rejected(reason, nil)
        case .review(let reason): outcome = .review(reason, nil)
        case .missing: outcome = .unchanged
        }
        for payment in unclaimed where !holds(payment.transaction) && !isRevoked(payment.transaction) {
            let name = Name(payment.transaction)
            if payment.transaction.additionalReason != nil { additions.insert(name) }
            self.unclaimed[name] = payment.reason
            shownBy[name] = shownBy[name] ?? orders[index].accountID
        }
        move(index, by: outcome)
        return outcome
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

    private func revocations(ofOriginalOf transaction: Transaction) -> [Transaction] {
        revocations.filter {
            $0.environment == transaction.environment && $0.originalID == transaction.originalID
        }
    }

    /// Whether two candidates of one key are the same payment: no refund lies between them.
    private func isOnePayment(_ candidate: Candidate, _ other: Candidate) -> Bool {
        guard candidate.kind.isKeyedByOriginal else { return true }
        let dates = [candidate.transaction.purchaseDate, other.transaction.purchaseDate].sorted()
        return !revocations(ofOriginalOf: candidate.transaction).contains {
            (dates[0]..<dates[1]).contains($0.revocationDate!)
        }
    }

    private func facts(of candidate: Candidate, for order: Order) -> LedgerFacts {
        let transaction = candidate.transaction
        let isAddition = additions.contains(Name(transaction))
        let sameKey = isAddition ? nil : grantByKey[Key(candidate)]
        let holder = grantByName[Name(transaction)] ?? sameKey.flatMap { isOnePayment(candidate, $0.payment) ? $0 : nil }
        return LedgerFacts(
            holder: holder.map {
                LedgerFacts.Holder(
                    orderID: $0.order.id, accountID: $0.order.accountID, transactionID: $0.payment.transaction.id)
            },
            refund: isTakenBack(transaction, as: candidate.kind) ? .later : nil, isAddition: isAddition,
            originalWasRevokedBefore: sameKey != nil && holder == nil
                || revocations(ofOriginalOf: transaction).contains { $0.revocationDate! < transaction.purchaseDate },
            isAnotherAccounts: isAnotherAccounts(transaction, than: order),
            ownOrder: candidate.mayBeAnotherOrders ? ownOrder(of: candidate, shownFor: order) : nil,
            isRenewal: candidate.kind == .autoRenewable && isRenewal(transaction, of: order.accountID), orderState: order.state
        )
    }

    /// The order that a payment was made for, as `orders_for_payment.sql` has it.
    private func ownOrder(of candidate: Candidate, shownFor order: Order) -> OrderID? {
        let transaction = candidate.transaction
        let paidAt = transaction.paymentDate(as: candidate.kind)
        let fitting = orders.filter { other in
            other.accountID == order.accountID && other.id != order.id && other.bundleID == transaction.bundleID
                && other.productID == transaction.productID && other.quantity <= transaction.quantity
                && (other.productKind == nil || other.productKind == candidate.kind)
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
    private func isRenewal(_ transaction: Transaction, of account: AccountID) -> Bool {
        let earlier = grants.filter {
            $0.payment.transaction.environment == transaction.environment
                && $0.payment.transaction.originalID == transaction.originalID
                && $0.payment.transaction.purchaseDate < transaction.purchaseDate
        }
        let latest = earlier.max { $0.payment.transaction.purchaseDate < $1.payment.transaction.purchaseDate }
        guard latest?.order.accountID == account else { return false }
        return earlier.contains { period in
            period.order.accountID == account
                && !revocations(ofOriginalOf: transaction).contains {
                    $0.id == period.payment.transaction.id && $0.revocationDate! < transaction.purchaseDate
                }
        }
    }

    /// The account whose orders alone bear a token.
    func account(of token: UUID?) -> AccountID? {
        let bearers = Set(orders.filter { token != nil && $0.appAccountToken == token }.map(\.accountID))
        return bearers.count == 1 ? bearers.first : nil
    }

    /// Two tokens settle it, if they are one or both the account's; else another account's token, or whose job showed it first.
    private func isAnotherAccounts(_ transaction: Transaction, than order: Order) -> Bool {
        if let token = transaction.appAccountToken, let own = order.appAccountToken {
            return token != own && account(of: token) != order.accountID
        }
        if let owner = account(of: transaction.appAccountToken) { return owner != order.accountID }
        return shownBy[Name(transaction)].map { $0 != order.accountID } ?? false
    }

    private mutating func grant(_ payment: Candidate, to order: Order) {
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

    private mutating func addID(of candidate: Candidate) {
        guard let grant = grantByKey[Key(candidate)] ?? grantByName[Name(candidate.transaction)] else {
            Issue.record("known again, and unknown: \(candidate.key.rawValue)")
            return
        }
        grantByName[Name(candidate.transaction)] = grant
        unclaimed[Name(candidate.transaction)] = nil
    }

    private mutating func move(_ index: Int, by outcome: OrderOutcome) {
        let state = orders[index].state
        switch outcome {
        case .fulfilled: orders[index].state = .fulfilled
        case .rejected where state.canBeFulfilled: orders[index].state = .rejected
        case .review where state.canBeFulfilled: orders[index].state = .review
        case .refunded where state.canBeFulfilled: orders[index].state = .refunded
        case .unchanged, .paidAnother, .anotherPayment, .rejected, .review, .refunded: break
        }
    }
}

extension LedgerFacts.Refund {
    /// Later than any proof was signed.
    static let later = LedgerFacts.Refund(asOf: .distantFuture, recordedAt: .distantFuture)
}
