// SPDX-License-Identifier: Apache-2.0

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
