// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The moment at which sample orders are made.
let orderTime = Date(timeIntervalSince1970: 1_800_000_000)

let token = UUID(uuidString: "11111111-1111-4111-8111-111111111111")!
let otherToken = UUID(uuidString: "22222222-2222-4222-8222-222222222222")!

/// `minutes` after sample orders are made; negative for before.
func moment(_ minutes: Double) -> Date {
    orderTime.addingTimeInterval(minutes * 60)
}

/// An order of one unit of the consumable "coins", by account "ann".
func makeOrder(
    _ id: String = "order", kind: ProductKind? = .consumable, account: String = "ann", quantity: Int = 1,
    token: UUID? = nil, isRecovery: Bool = false, state: OrderState = .open
) -> Order {
    Order(
        id: OrderID(rawValue: id), bundleID: BundleID(rawValue: "shop"), productID: ProductID(rawValue: "coins"),
        accountID: AccountID(rawValue: account), quantity: quantity, appAccountToken: token, isRecovery: isRecovery,
        createdAt: orderTime, state: state, productKind: kind
    )
}

/// A production purchase of one unit of "coins", a minute after the order.
func makeTransaction(
    _ id: String, original: String? = nil, bundle: String = "shop", environment: AppStoreEnvironment = .production,
    webOrder: String? = nil, product: String = "coins", kind: ProductKind? = nil, quantity: Int = 1,
    at minutes: Double = 1, paidAt originalMinutes: Double? = nil, revokedAt revokedMinutes: Double? = nil,
    refund: Revocation? = nil, token: UUID? = nil, ownership: Transaction.Ownership = .purchased,
    isAdvancedCommerce: Bool = false, added: Transaction.AdditionalReason? = nil
) -> Transaction {
    Transaction(
        bundleID: BundleID(rawValue: bundle), environment: environment, id: TransactionID(rawValue: id),
        originalID: TransactionID(rawValue: original ?? id), webOrderLineItemID: webOrder,
        productID: ProductID(rawValue: product), productKind: kind, quantity: quantity, purchaseDate: moment(minutes),
        revocation: revokedMinutes.map { .whole(moment($0), by: .receipt) } ?? refund, appAccountToken: token, ownership: ownership,
        originalPurchaseDate: originalMinutes.map(moment), isAdvancedCommerce: isAdvancedCommerce, additionalReason: added
    )
}

/// What a signed transaction says of a refund, two minutes after the order.
func refund(_ share: Revocation.Share, seats: Int = 0, isDated: Bool = true) -> Revocation {
    Revocation(.signedTransaction, date: isDated ? moment(2) : nil, share: share, seats: seats, asOf: moment(3))
}

extension Transaction {
    /// The moment of a refund of the whole.
    var revocationDate: Date? {
        get { revocation?.date }
        set { revocation = newValue.map { .whole($0, by: .receipt) } }
    }
}
