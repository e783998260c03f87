// SPDX-License-Identifier: Apache-2.0

import Verification

/// By what the ledger finds a payment: what locks, words and look-ups take.
struct PaymentName: Hashable {
    let bundleID: BundleID
    let environment: AppStoreEnvironment
    let id: TransactionID
    let originalID: TransactionID

    /// Whether restores or renewals may show the payment under another id.
    let mayHaveOthers: Bool
}

extension PaymentName {
    /// Only Apple's word for a consumable rules out other names: a shop may have listed the product wrongly.
    init(_ transaction: Transaction) {
        self.init(
            bundleID: transaction.bundleID, environment: transaction.environment, id: transaction.id,
            originalID: transaction.originalID,
            mayHaveOthers: transaction.productKind != .consumable || transaction.originalID != transaction.id)
    }
}
