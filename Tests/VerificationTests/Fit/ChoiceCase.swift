// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// A payment of two units of "coins" that a proof shows, with what the ledger knows of it.
struct Shown: Sendable {
    var transaction: Transaction
    var kind: ProductKind
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
    var ownOrder: String?
    /// Of whose subscription it is a further period.
    var renewedAccount: String?
    /// As another proof named it.
    var purchaseReason: Transaction.PurchaseReason?
    var firstOrderedAt: Date?

    /// One that nothing stands against.
    init(
        _ id: String, original: String? = nil, product: String = "coins", kind: ProductKind = .consumable, at minutes: Double = 1,
        token: UUID? = nil, quantity: Int = 2, reason: Transaction.PurchaseReason? = nil, until end: Double? = nil
    ) {
        transaction = makeTransaction(
            id, original: original, webOrder: "w" + id, product: product, quantity: quantity, at: minutes, token: token)
        transaction.purchaseReason = reason
        transaction.expiresDate = end.map(moment)
        self.kind = kind
    }

    func facts(for order: Order) -> PaymentFacts {
        PaymentFacts(
            ShownPayment(
                transaction, listedKind: transaction.productID == order.productID ? kind : nil, isConfirmed: isConfirmed,
                provesPossession: provesPossession, signedAt: signedAt, isReceipt: isReceipt),
            ledger: LedgerFacts(
                holder: holder, refund: refund, isPartlyRefunded: isPartlyRefunded, isAddition: isAddition,
                isBoughtAgain: isBoughtAgain, isAnotherAccounts: isAnotherAccounts,
                ownOrder: ownOrder.map { OrderID(rawValue: $0) }, purchaseReason: purchaseReason, orderState: order.state,
                firstOrderedAt: firstOrderedAt, listedKind: kind,
                renewedAccount: renewedAccount.map { AccountID(rawValue: $0) }))
    }
}

extension Shown {
    private func with(_ change: (inout Shown) -> Void) -> Shown {
        var changed = self
        change(&changed)
        return changed
    }

    /// Of fewer units than were ordered.
    var short: Shown { with { $0.transaction.quantity = 1 } }

    /// Paid an hour before the order.
    var old: Shown { with { $0.transaction.purchaseDate = moment(-60) } }

    /// This account showed it first, for an order of two hours before this one.
    var shownBefore: Shown { with { $0.firstOrderedAt = moment(-120) } }

    /// Paid before the ledger begins.
    var beforeLedger: Shown { with { $0.transaction.purchaseDate = moment(-10_000) } }
    var advanced: Shown { with { $0.transaction.isAdvancedCommerce = true } }
    var partlyRefunded: Shown { with { $0.isPartlyRefunded = true } }

    /// Seats that were added to the period with this line item.
    func seats(of period: String) -> Shown {
        with {
            $0.transaction.webOrderLineItemID = period
            $0.transaction.additionalReason = .seatAddition
        }
    }

    /// The ledger knows it as one of several payments of its period.
    var addition: Shown { with { $0.isAddition = true } }
    var confirmed: Shown { with { $0.isConfirmed = true } }
    var inReceipt: Shown { with { $0.isReceipt = true } }

    /// Known by its id alone.
    var bare: Shown { with { $0.provesPossession = false } }

    func signed(at minutes: Double) -> Shown { with { $0.signedAt = moment(minutes) } }

    /// As of the first hour.
    var revoked: Shown { with { $0.refund = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61)) } }
    var boughtAgain: Shown { with { $0.isBoughtAgain = true } }
    var anotherAccounts: Shown { with { $0.isAnotherAccounts = true } }
    var renewal: Shown { with { $0.renewedAccount = "ann" } }
    func made(for order: String) -> Shown { with { $0.ownOrder = order } }
    func known(as reason: Transaction.PurchaseReason) -> Shown { with { $0.purchaseReason = reason } }
    func owned(_ ownership: Transaction.Ownership) -> Shown { with { $0.transaction.ownership = ownership } }
    var inSandbox: Shown { with { $0.transaction.environment = .sandbox } }

    func held(by order: String, account: String = "ann", as id: String? = nil) -> Shown {
        with {
            $0.holder = LedgerFacts.Holder(
                orderID: OrderID(rawValue: order), accountID: AccountID(rawValue: account),
                transactionID: id.map { TransactionID(rawValue: $0) } ?? transaction.id)
        }
    }
}

/// One row of the tables about a choice: payments with what is known of each, and what must come out.
struct ChoiceCase: CustomTestStringConvertible, Sendable {
    enum Expected: Equatable, Sendable {
        case unchanged
        case fulfilled(String)
        case paidAnother(String, by: String)
        case anotherPayment(String)
        case rejected(Reason, String?)
        case review(Reason, String?)
        case refunded(String)

        init(_ outcome: OrderOutcome) {
            switch outcome {
            case .unchanged: self = .unchanged
            case .fulfilled(let payment): self = .fulfilled(payment.transaction.id.rawValue)
            case .paidAnother(let order, let payment): self = .paidAnother(order.rawValue, by: payment.transaction.id.rawValue)
            case .anotherPayment(let transaction): self = .anotherPayment(transaction.id.rawValue)
            case .rejected(let reason, let id): self = .rejected(reason, id?.rawValue)
            case .review(let reason, let id): self = .review(reason, id?.rawValue)
            case .refunded(let transaction): self = .refunded(transaction.id.rawValue)
            }
        }
    }

    /// The ledger begins at -1000 minutes.
    static let policy = AppPolicy(ledgerStartsAt: moment(-1_000), number: 7)

    let testDescription: String
    var payments: [Shown]
    var others: [Shown]
    var order: Order
    var proof: ProofTraits
    var expected: Expected
    var unclaimed: [String: Reason]
    var restored: [String]

    init(
        _ name: String, _ payments: [Shown], beside others: [Shown] = [], order: Order = makeOrder(quantity: 2),
        as proof: ProofTraits = ProofTraits(), _ expected: Expected, unclaimed: [String: Reason] = [:], restored: [String] = []
    ) {
        testDescription = name
        self.payments = payments
        self.others = others
        self.order = order
        self.proof = proof
        self.expected = expected
        self.unclaimed = unclaimed
        self.restored = restored
    }

    var choice: Choice {
        Choice.choose(
            among: payments.map { $0.facts(for: order) }, beside: others.map { $0.facts(for: order) }, for: order,
            under: Self.policy, as: proof)
    }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let choice = choice

        #expect(Expected(choice.outcome) == expected, sourceLocation: sourceLocation)
        #expect(choice.unclaimed == unclaimed, sourceLocation: sourceLocation)
        #expect(choice.restored == restored, sourceLocation: sourceLocation)
    }
}

extension Choice {
    /// Each once.
    var unclaimed: [String: Reason] {
        Dictionary(
            uniqueKeysWithValues: kept.compactMap { payment -> (String, Reason)? in
                guard case .unclaimed(let reason) = payment.role else { return nil }
                return (payment.transaction.id.rawValue, reason)
            })
    }

    var restored: [String] { kept.filter { $0.role == .restored }.map(\.transaction.id.rawValue) }
}
