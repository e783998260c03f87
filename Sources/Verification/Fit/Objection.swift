// SPDX-License-Identifier: Apache-2.0

/// Why a payment doesn't pay for an order. The cases are in order of weight: the heaviest one that stands is the order's reason.
///
/// | Objection | It stands where |
/// |---|---|
/// | `granted` | the payment has an order, under any of its names |
/// | `anotherApp` | the payment and the order are of different apps |
/// | `sandbox` | it is a sandbox purchase, and the policy doesn't allow one for this account now |
/// | `paidBySomebodyElse` | a family member paid, or whoever assigned the seat |
/// | `orderIsOver` | the order is fulfilled, refunded or cancelled, or the ledger has its payment |
/// | `takenBack` | the whole is refunded, and Apple didn't sign or confirm it unrefunded since |
/// | `anotherOwner` | a token, the period before it or its first showing names another account |
/// | `refundReversed` | the whole is recorded as refunded, and Apple signed or confirmed it unrefunded since |
/// | `unknownOwnership` | Apple names an ownership that isn't documented |
/// | `odd` | facts that Apple signed can't be read |
/// | `advancedCommerce` | any proof was of Apple's Advanced Commerce |
/// | `addedSeats` | its period of a subscription has several transactions |
/// | `partlyRefunded` | a part is refunded, or an unknown share, or seats |
/// | `boughtAgain` | it is keyed by its original, which was refunded before it or is granted by another payment |
/// | `beforeLedger` | it was paid before the ledger began; of an unknown kind without a period: as a non-consumable |
/// | `anotherProduct` | the payment and the order are of different products |
/// | `unknownKind` | neither Apple nor the shop names the product's kind |
/// | `restoresConsumable` | it is of a consumable, and has the id of another original |
/// | `anotherKind` | Apple's kind and the shop's differ |
/// | `unconfirmedPeriod` | it is of a period without a line item, and Apple didn't confirm it just now |
/// | `beforeOrder` | it was paid before the order by more than the tolerance; exceptions below |
/// | `noToken` | no proof had a token, and the policy asks for the order's; or a bare id, unless both sides have one |
/// | `tooFew` | fewer units were paid than ordered |
///
/// A payment is never too old (`beforeOrder`) for a recovery order, nor where this account showed it first for one made in time.
///
/// The next table has the consequences. *Older*: may an older order of the account be the payment's own order? `starts` has the
/// ledger asked for one, `-` has no say. *New*: would a new order for what was paid be paid?
///
/// | Objection | The order | The payment is kept as | Overruled by | Older | New |
/// |---|---|---|---|---|---|
/// | `granted` | stays if it is the holder, or for another product; else rejected | `restored`, or not anew | nobody | no | no |
/// | `anotherApp` | rejected `wrong_app` | not | nobody | no | no |
/// | `sandbox` | rejected `sandbox_not_allowed` | not, nor its refund | nobody | no | no |
/// | `paidBySomebodyElse` | rejected `family_shared`, `assigned_seat` | not | nobody | no | no |
/// | `orderIsOver` | stays | what the order's state says | nobody | - | yes |
/// | `takenBack` | refunded; exceptions below | `refunded` | nobody | no | no |
/// | `anotherOwner` | review `owner_mismatch` | the same: nobody is its owner by that | override | no | no |
/// | `refundReversed` | review `refund_reversed` | the same | nobody | no | no |
/// | `unknownOwnership` | review `unknown_answer` | not | override | no | no |
/// | `odd` | review `unknown_answer` | not | override | no | no |
/// | `advancedCommerce` | review `unsupported_yet` | the same | override | no | no |
/// | `addedSeats` | review `seats_added` | the same | plainly | no | no |
/// | `partlyRefunded` | review `partly_refunded` | the same | override | no | no |
/// | `boughtAgain` | review `bought_again_after_revocation` | the same | override | no | no |
/// | `beforeLedger` | review `before_ledger` | the same | override | no | no |
/// | `anotherProduct` | review `wrong_product`; bare id: rejected; renewal: stays | the same; `renewal` | override | starts | yes |
/// | `unknownKind` | review `unknown_product` | the same | nobody | no | no |
/// | `restoresConsumable` | review `product_kind_mismatch` | the same | nobody | no | no |
/// | `anotherKind` | review `product_kind_mismatch` | the same | plainly | no | no |
/// | `unconfirmedPeriod` | review `subscription_unconfirmed` | the same | plainly | no | no |
/// | `beforeOrder` | review `purchase_before_order` | the same | plainly | starts | no |
/// | `noToken` | review `token_missing` | the same; a bare id isn't kept | override | - | no |
/// | `tooFew` | review `quantity_short` | the same | override | - | yes |
///
/// - `takenBack` beside `anotherOwner` leaves the order in review `owner_mismatch`. Beside `anotherProduct` the order stays. Beside
///   `beforeOrder` it leaves the order in review `purchase_before_order`, unless the client named the payment.
/// - A token that isn't the order's has an older order looked for, too. The ledger decides whose it is (`anotherOwner`).
/// - A new order has at most ten units.
///
/// ``Choice`` has what becomes of an order whose proof shows several payments.
package enum Objection: Hashable, Sendable {
    case granted(LedgerFacts.Holder)
    case anotherApp(BundleID)
    case sandbox
    case paidBySomebodyElse(Transaction.Ownership)
    case orderIsOver(OrderState)
    case takenBack
    case anotherOwner
    case refundReversed
    case unknownOwnership
    case odd([String])
    case advancedCommerce
    case addedSeats
    case partlyRefunded
    case boughtAgain
    case beforeLedger
    case anotherProduct(paid: ProductID, ordered: ProductID)
    case unknownKind(ProductID)
    case restoresConsumable(TransactionID)
    case anotherKind(signed: ProductKind, listed: ProductKind)
    case unconfirmedPeriod
    case beforeOrder
    case noToken
    case tooFew(paid: Int, ordered: Int)
}

extension Objection {
    /// Which orders of the account the objection is about.
    package enum Scope: Sendable {
        /// All: no order changes it.
        case payment
        /// This one: another order would be paid.
        case order
        /// This one, because of its age: an older order may be paid.
        case age
        /// The proof that was shown: it has no say about other orders.
        case form
    }

    package var scope: Scope {
        switch self {
        case .orderIsOver, .anotherProduct, .tooFew: .order
        case .beforeOrder: .age
        case .noToken: .form
        case .granted, .anotherApp, .sandbox, .paidBySomebodyElse, .takenBack, .anotherOwner, .refundReversed, .unknownOwnership,
            .odd, .advancedCommerce, .addedSeats, .partlyRefunded, .boughtAgain, .beforeLedger, .unknownKind, .restoresConsumable,
            .anotherKind, .unconfirmedPeriod:
            .payment
        }
    }

    /// The reason of the order that the payment doesn't pay for, or of the payment.
    package var reason: Reason {
        switch self {
        case .granted: .alreadyGranted
        case .anotherApp: .wrongApp
        case .sandbox: .sandboxNotAllowed
        case .paidBySomebodyElse(.assigned): .assignedSeat
        case .paidBySomebodyElse: .familyShared
        case .orderIsOver(.cancelled): .orderCancelled
        case .orderIsOver: .orderAlreadyPaid
        case .takenBack: .refunded
        case .anotherOwner: .ownerMismatch
        case .refundReversed: .refundReversed
        case .unknownOwnership, .odd: .unknownAnswer
        case .advancedCommerce: .unsupportedYet
        case .addedSeats: .seatsAdded
        case .partlyRefunded: .partlyRefunded
        case .boughtAgain: .boughtAgainAfterRevocation
        case .beforeLedger: .beforeLedger
        case .anotherProduct: .wrongProduct
        case .unknownKind: .unknownProduct
        case .restoresConsumable, .anotherKind: .productKindMismatch
        case .unconfirmedPeriod: .subscriptionUnconfirmed
        case .beforeOrder: .purchaseBeforeOrder
        case .noToken: .tokenMissing
        case .tooFew: .quantityShort
        }
    }

    /// Whether the ledger keeps a payment that it stands against. Nobody of this app paid for the others, or nobody knows who did.
    var isKept: Bool {
        switch self {
        case .anotherApp, .sandbox, .paidBySomebodyElse, .unknownOwnership, .odd: false
        case .granted, .orderIsOver, .takenBack, .anotherOwner, .refundReversed, .advancedCommerce, .addedSeats, .partlyRefunded,
            .boughtAgain, .beforeLedger, .anotherProduct, .unknownKind, .restoresConsumable, .anotherKind, .unconfirmedPeriod,
            .beforeOrder, .noToken, .tooFew:
            true
        }
    }

    /// Whether the order can't be paid any more: no objection to the payment.
    var isOfAnOrderThatIsOver: Bool {
        if case .orderIsOver = self { true } else { false }
    }

    /// Whether a proof is rejected that shows nothing but such payments.
    var rejects: Bool {
        switch self {
        case .anotherApp, .sandbox, .paidBySomebodyElse: true
        default: false
        }
    }

    /// Whether a renewal of what the account has is called so all the same: its age and its kind say nothing against that.
    var yieldsToARenewal: Bool {
        switch self {
        case .beforeLedger, .unknownKind, .restoresConsumable, .anotherKind, .unconfirmedPeriod: true
        default: false
        }
    }
}

// MARK: Operators

/// What an operator who assigns a payment to an order needs, and reads.
extension Objection {
    /// Who may give the payment to the order although the objection stands. The stricter is the greater.
    package enum Overruling: Int, Comparable, Sendable {
        /// An operator, by assigning it.
        case operatorPlainly
        /// An operator, by assigning it with `--override`.
        case operatorByOverride
        case nobody

        package static func < (left: Overruling, right: Overruling) -> Bool { left.rawValue < right.rawValue }
    }

    package var overruling: Overruling {
        switch self {
        case .addedSeats, .anotherKind, .unconfirmedPeriod, .beforeOrder: .operatorPlainly
        case .anotherOwner, .unknownOwnership, .odd, .advancedCommerce, .partlyRefunded, .boughtAgain, .beforeLedger,
            .anotherProduct, .noToken, .tooFew:
            .operatorByOverride
        case .granted, .anotherApp, .sandbox, .paidBySomebodyElse, .orderIsOver, .takenBack, .refundReversed, .unknownKind,
            .restoresConsumable:
            .nobody
        }
    }

    /// Whether `insert_grants.sql` refuses it too, unless an operator decided.
    package var isRefusedByTheLedger: Bool {
        switch self {
        case .anotherOwner, .advancedCommerce, .addedSeats, .partlyRefunded, .boughtAgain: true
        default: false
        }
    }

    /// What it takes to assign a payment against all of these objections. Against none, it takes no more than to assign it.
    package static func overruling(_ objections: [Objection]) -> Overruling {
        objections.map(\.overruling).max() ?? .operatorPlainly
    }
}

extension Objection: CustomStringConvertible {
    /// For operators: nothing secret, and no account.
    package var description: String {
        switch self {
        case .granted(let holder): "the transaction was granted to order \(holder.orderID.rawValue)"
        case .anotherApp(let app): "the transaction belongs to the app \(app.rawValue)"
        case .sandbox: "it is a sandbox purchase, which doesn't count for this account"
        case .paidBySomebodyElse(.assigned): "somebody else paid for it: whoever assigned the seat"
        case .paidBySomebodyElse: "somebody else paid for it: a family member"
        case .orderIsOver(let state): "the order is \(state.rawValue)"
        case .takenBack: "the payment was taken back"
        case .anotherOwner: "the payment seems to be another account's"
        case .refundReversed:
            "it is recorded as refunded, and according to Apple it stands: counterfoil orders refund --reversed comes first"
        case .unknownOwnership: "Apple names an ownership that is not documented, so nobody knows who paid for it"
        case .odd(let faults): "in the transaction that Apple signed, the " + faults.joined(separator: ", the ")
        case .advancedCommerce: "it was sold through Apple's Advanced Commerce, whose items and refunds are not read"
        case .addedSeats: "seats were added to its period of a subscription: each has a payment of its own"
        case .partlyRefunded: "a part of the payment was refunded, or Apple leaves open how much"
        case .boughtAgain: "its original transaction was refunded before"
        case .beforeLedger: "it was made before the ledger began, so another system may have delivered it"
        case .anotherProduct(let paid, let ordered): "\(paid.rawValue) was paid, \(ordered.rawValue) was ordered"
        case .unknownKind(let product):
            "nothing says of which kind the product \(product.rawValue) is: add it with counterfoil products add"
        case .restoresConsumable(let original):
            "it restores or renews \(original.rawValue), as no consumable does: mend its product's kind by counterfoil products add"
        case .anotherKind(let signed, let listed):
            "according to Apple its product is of the kind \(signed.rawValue), and \(listed.rawValue) is listed"
        case .unconfirmedPeriod: "its proof shows no number of the subscription's period, and Apple did not confirm it"
        case .beforeOrder: "it was paid before the order was made"
        case .noToken: "it lacks the token that ties it to the order's account"
        case .tooFew(let paid, let ordered): "\(paid) were paid, \(ordered) were ordered"
        }
    }
}
