// SPDX-License-Identifier: Apache-2.0

/// What makes one grant: two transactions with equal keys in one app and environment are one payment.
///
/// The text carries its kind (`transaction:…`, `original:…`, `web_order:…`), so that keys of different kinds never meet.
package struct GrantKey: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key of a transaction whose product is of the given kind.
    ///
    /// A consumable is granted once a transaction; a non-consumable or non-renewing subscription once an original
    /// transaction, because restores repeat it under new ids; an auto-renewable once a billing event. Where a billing event has
    /// several payments, each is granted once a transaction.
    package init(_ transaction: Transaction, kind: ProductKind) {
        switch kind {
        case .consumable:
            rawValue = "transaction:" + transaction.id.rawValue
        case .nonConsumable, .nonRenewing:
            rawValue = "original:" + transaction.originalID.rawValue
        case .autoRenewable:
            rawValue = transaction.paidLineItemID.map { "web_order:" + $0 } ?? "transaction:" + transaction.id.rawValue
        }
    }

    /// The key of what was bought again for good after a refund, and keeps its original transaction: the first payment may hold the
    /// key that this names. Nothing else is granted under it: what repeats this payment is found by its original transaction.
    package init(boughtAgain transaction: Transaction) {
        rawValue = "transaction:" + transaction.id.rawValue
    }

    /// The key that the ledger keeps: all names of a payment share it. Nil where a payment has one name, its transaction id.
    package var shared: String? {
        rawValue.hasPrefix("transaction:") ? nil : rawValue
    }

    package static func < (left: GrantKey, right: GrantKey) -> Bool {
        left.rawValue < right.rawValue
    }
}
