// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// One row of the tables about the ledger: candidates with what is known of each, and what must come out.
struct LedgerCase: CustomTestStringConvertible, Sendable {
    /// A candidate and its facts.
    struct Entry: Sendable {
        var candidate: Candidate
        var holder: LedgerFacts.Holder?
        var refund: LedgerFacts.Refund?
        var isAddition = false
        var originalWasRevokedBefore = false
        var isAnotherAccounts = false
        var ownOrder: String?
        var isRenewal = false
        /// As the ledger knows it of another proof.
        var purchaseReason: Transaction.PurchaseReason?
    }

    enum Expected: Equatable, Sendable {
        case unchanged
        case fulfilled(String)
        case paidAnother(String, by: String)
        case anotherPayment(String)
        case rejected(Reason, String?)
        case review(Reason, String)
        case refunded(String)

        init(_ outcome: OrderOutcome) {
            switch outcome {
            case .unchanged: self = .unchanged
            case .fulfilled(let candidate): self = .fulfilled(candidate.transaction.id.rawValue)
            case .paidAnother(let order, let candidate): self = .paidAnother(order.rawValue, by: candidate.transaction.id.rawValue)
            case .anotherPayment(let transaction): self = .anotherPayment(transaction.id.rawValue)
            case .rejected(let reason, let id): self = .rejected(reason, id?.rawValue)
            case .review(let reason, let id): self = .review(reason, id?.rawValue ?? "none")
            case .refunded(let transaction): self = .refunded(transaction.id.rawValue)
            }
        }
    }

    let testDescription: String
    var entries: [Entry]
    var order: Order
    var expected: Expected
    var unclaimed: [String: Reason]
    var knownAgain: [String]

    init(
        _ name: String, _ entries: [Entry], order: Order = makeOrder(),
        _ expected: Expected, unclaimed: [String: Reason] = [:], knownAgain: [String] = []
    ) {
        testDescription = name
        self.entries = entries
        self.order = order
        self.expected = expected
        self.unclaimed = unclaimed
        self.knownAgain = knownAgain
    }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let facts = entries.map { entry in
            LedgerFacts(
                holder: entry.holder, refund: entry.refund, isAddition: entry.isAddition,
                originalWasRevokedBefore: entry.originalWasRevokedBefore,
                isAnotherAccounts: entry.isAnotherAccounts, ownOrder: entry.ownOrder.map { OrderID(rawValue: $0) },
                isRenewal: entry.isRenewal, purchaseReason: entry.purchaseReason, orderState: order.state
            )
        }

        let resolution = LedgerResolution.resolve(entries.map(\.candidate), facts: facts, order: order)

        #expect(Expected(resolution.outcome) == expected, sourceLocation: sourceLocation)
        #expect(resolution.unclaimed.count == unclaimed.count, sourceLocation: sourceLocation)
        #expect(
            Dictionary(resolution.unclaimed.map { ($0.transaction.id.rawValue, $0.reason) }) { first, _ in first }
                == unclaimed,
            sourceLocation: sourceLocation
        )
        #expect(resolution.restored.map(\.id.rawValue) == knownAgain, sourceLocation: sourceLocation)
    }
}

extension LedgerResolution {
    var unclaimed: [UnclaimedTransaction] {
        kept.compactMap { payment in
            guard case .unclaimed(let reason) = payment.role else { return nil }
            return UnclaimedTransaction(payment.transaction, reason: reason)
        }
    }

    var restored: [Transaction] { kept.filter { $0.role == .restored }.map(\.transaction) }
}

extension LedgerCase.Entry {
    /// A payment that the ledger knows nothing of.
    static func free(
        _ id: String, original: String? = nil, product: String = "coins", kind: ProductKind = .consumable, at minutes: Double = 1,
        token: UUID? = nil, obstacle: Reason? = nil, reason: Transaction.PurchaseReason? = nil, until end: Double? = nil
    ) -> Self {
        var transaction = makeTransaction(
            id, original: original, webOrder: "w" + id, product: product, at: minutes, token: token)
        transaction.purchaseReason = reason
        transaction.expiresDate = end.map(moment)
        return Self(candidate: Candidate(transaction, kind: kind, obstacle: obstacle))
    }

    /// Seats that were added to a period.
    static func seats(_ id: String, of original: String = "1", at minutes: Double = 1) -> Self {
        let transaction = makeTransaction(id, original: original, webOrder: "w" + original, at: minutes, added: .seatAddition)
        return Self(candidate: Candidate(transaction, kind: .autoRenewable, obstacle: .seatsAdded))
    }

    /// The same payment, held by a grant of the given order.
    func held(by order: String, account: String = "ann", as id: String? = nil) -> Self {
        var held = self
        held.holder = LedgerFacts.Holder(
            orderID: OrderID(rawValue: order), accountID: AccountID(rawValue: account),
            transactionID: id.map { TransactionID(rawValue: $0) } ?? candidate.transaction.id
        )
        return held
    }

    /// Apple said just now that it stands.
    var confirmed: Self {
        Self(candidate: Candidate(candidate.transaction, kind: candidate.kind, obstacle: candidate.obstacle, isConfirmed: true))
    }

    /// Apple signed it at this time.
    func signed(at minutes: Double) -> Self {
        Self(
            candidate: Candidate(
                candidate.transaction, kind: candidate.kind, obstacle: candidate.obstacle, signedAt: moment(minutes)))
    }

    /// As of the first hour.
    var revoked: Self {
        var revoked = self
        revoked.refund = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61))
        return revoked
    }

    /// The ledger knows it as one of several payments of its period.
    var addition: Self {
        var addition = self
        addition.isAddition = true
        return addition
    }

    var boughtAgain: Self {
        var again = self
        again.originalWasRevokedBefore = true
        return again
    }

    /// It was made for another order of the account.
    func made(for order: String) -> Self {
        var made = self
        made.ownOrder = order
        return made
    }

    var renewal: Self {
        var renewal = self
        renewal.isRenewal = true
        return renewal
    }

    /// Another proof said who made the purchase.
    func known(as reason: Transaction.PurchaseReason) -> Self {
        var known = self
        known.purchaseReason = reason
        return known
    }

    var anotherAccounts: Self {
        var another = self
        another.isAnotherAccounts = true
        return another
    }
}
