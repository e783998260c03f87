// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// A random payment with what the ledger knows of it, as both rules read it. It goes with the old rule.
struct DrawnPayment: Sendable {
    var transaction: Transaction
    var isConfirmed = false
    var isReceipt = false
    var provesPossession = true
    var signedAt: Date?
    var holder: LedgerFacts.Holder?
    var refund: LedgerFacts.Refund?
    var isPartlyRefunded = false
    var isAddition = false
    var isBoughtAgain = false
    var isAnotherAccounts = false
    /// By another proof than this one.
    var isKnownAsAdvancedCommerce = false
    var knownToken: UUID?
    var paidAt: Date?
    var firstOrderedAt: Date?
    var ownOrder: OrderID?
    var isRenewal = false
    /// The kind that the shop lists for its product.
    var listedKind: ProductKind?

    var isAdvancedCommerce: Bool { transaction.isAdvancedCommerce || isKnownAsAdvancedCommerce }

    var key: GrantKey { GrantKey(transaction, kind: transaction.productKind ?? listedKind ?? .consumable) }

    /// Seats that this proof alone shows.
    var showsSeats: Bool { transaction.additionalReason != nil && !isAddition }

    /// A refund that this proof shows, and that the ledger knows to be reversed.
    var showsReversedRefund: Bool {
        transaction.isRefunded ? refund == nil : transaction.isPartlyRefunded && !isPartlyRefunded
    }

    func shown(for order: Order) -> ShownPayment {
        ShownPayment(
            transaction, listedKind: transaction.productID == order.productID ? order.productKind : nil,
            isConfirmed: isConfirmed, provesPossession: provesPossession, signedAt: signedAt, isReceipt: isReceipt)
    }

    /// What today's rule offers to the ledger, or its reason where it doesn't ask the ledger.
    func offered(for order: Order, _ policy: AppPolicy, hint: TransactionID? = nil) -> Offer {
        let shown = VerifiedTransactions(
            [transaction], mayBeIncomplete: false, provesPossession: provesPossession, isConfirmed: isConfirmed,
            signedAt: signedAt)
        switch OrderMatching.judge(shown, for: order, policy: policy, hint: hint).verdict {
        case .candidates(let candidates): return .candidate(candidates[0])
        case .refunded(let refunded):
            let kind = refunded.productKind ?? order.productKind ?? .consumable
            return .candidate(Candidate(refunded, kind: kind, obstacle: .refunded))
        case .rejected(let reason), .review(let reason): return .reason(reason)
        case .missing: return .reason(.purchaseNotInReceipt)
        }
    }

    enum Offer {
        case candidate(Candidate)
        case reason(Reason)
    }

    /// The facts that both rules read. `candidate` is today's: it decides what the ledger is asked.
    func facts(for order: Order, _ policy: AppPolicy, of candidate: Candidate) -> LedgerFacts {
        let paidAt = transaction.paymentDate(as: candidate.kind)
        let inTime = firstOrderedAt.map { $0 <= paidAt.addingTimeInterval(policy.purchaseTimeTolerance) } ?? false
        return LedgerFacts(
            holder: holder, refund: refund, isPartlyRefunded: isPartlyRefunded, isAddition: isAddition,
            originalWasRevokedBefore: isBoughtAgain, isAnotherAccounts: isAnotherAccounts, ownOrder: ownOrder,
            isRenewal: isRenewal, wasShownInTime: candidate.mayBeAnotherOrders && inTime, orderState: order.state,
            firstOrderedAt: firstOrderedAt, token: transaction.appAccountToken ?? knownToken, listedKind: listedKind,
            isAdvancedCommerce: isKnownAsAdvancedCommerce, paidAt: self.paidAt,
            renewedAccount: isRenewal ? order.accountID : nil)
    }

    /// Whether its age is lifted by its first showing.
    func isLifted(for order: Order, _ policy: AppPolicy) -> Bool {
        let paidAt = transaction.paymentDate(as: transaction.productKind ?? listedKind ?? .consumable)
        guard let firstOrderedAt, !order.isRecovery else { return false }
        return paidAt < order.createdAt.addingTimeInterval(-policy.purchaseTimeTolerance)
            && firstOrderedAt <= paidAt.addingTimeInterval(policy.purchaseTimeTolerance)
    }
}

/// Draws orders, policies and payments from a seed.
struct PaymentDraws {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func once(in count: Int) -> Bool { generator.once(in: count) }

    mutating func one<T>(of values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }

    /// Nil for a product that the shop doesn't list.
    mutating func kind() -> ProductKind? { once(in: 16) ? nil : one(of: ProductKind.allCases) }

    mutating func policy() -> AppPolicy {
        AppPolicy(
            absentToken: once(in: 2) ? .review : .accept, purchaseTimeTolerance: once(in: 3) ? 0 : 600,
            ledgerStartsAt: once(in: 2) ? moment(-1_000) : nil, number: 1)
    }

    mutating func order(_ states: [OrderState], kind: ProductKind?) -> Order {
        makeOrder(
            kind: kind, quantity: one(of: [1, 1, 2]), token: once(in: 2) ? token : nil, isRecovery: once(in: 10),
            state: one(of: states))
    }

    /// What a proof can show: sorts, times and tokens, refunds of which the ledger knows what this or another proof said.
    mutating func payment(_ id: String, of product: String, kind: ProductKind?, isSigned: Bool) -> DrawnPayment {
        let isRestored = once(in: 4)
        let minutes: Double = one(of: [-3_000, -60, -5, 1, 1, 1])
        var drawn = DrawnPayment(
            transaction: makeTransaction(
                id, original: isRestored ? (id == "1" ? "0" : "1") : nil, webOrder: once(in: 3) ? nil : "w" + id, product: product,
                kind: isSigned ? kind : nil, quantity: one(of: [1, 1, 2]), at: minutes,
                paidAt: isRestored ? one(of: [nil, -3_000, -60, minutes]) : nil, token: one(of: [nil, nil, token, otherToken]),
                isAdvancedCommerce: once(in: 12), added: once(in: 12) ? .seatAddition : nil))
        drawn.listedKind = kind
        drawn.isConfirmed = once(in: 4)
        drawn.signedAt = one(of: [nil, moment(2), moment(70)])
        drawn.isAddition = once(in: 16)
        drawn.isBoughtAgain = once(in: 12)
        drawn.isAnotherAccounts = once(in: 12)
        drawn.isKnownAsAdvancedCommerce = once(in: 40)
        if once(in: 4) { drawn.firstOrderedAt = one(of: [moment(-120), moment(-3_100), moment(0)]) }
        drawRefund(of: &drawn)
        return drawn
    }

    private mutating func drawRefund(of drawn: inout DrawnPayment) {
        let recorded = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61))
        switch Int.random(in: 0..<14, using: &generator) {
        case 0:
            drawn.transaction.revocationDate = moment(50)
            drawn.refund = recorded
        case 1: drawn.transaction.revocationDate = moment(50)
        case 2:
            drawn.transaction.revocation = Revocation(.signedTransaction, date: moment(50), share: .part(40_000), asOf: moment(55))
            drawn.isPartlyRefunded = true
        case 3:
            drawn.transaction.revocation = Revocation(.signedTransaction, date: moment(50), share: .part(40_000), asOf: moment(55))
        case 4, 5: drawn.refund = recorded
        case 6: drawn.isPartlyRefunded = true
        default: break
        }
    }
}
