// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// What a genuine app receipt proves. A class, because it travels through asynchronous calls.
package final class AppReceiptContents: Sendable {
    package let bundleID: BundleID
    package let environment: AppStoreEnvironment

    /// When the App Store made the receipt; nil when it doesn't say.
    package let creationDate: Date?

    /// Every purchase that can be read, in no order. None is as genuine as many.
    package let transactions: [Transaction]

    /// Purchases that were passed over because an id, a product, a time or a quantity couldn't be read.
    package let skipped: Int

    /// Reads the purchases of a receipt whose signature holds.
    init(_ facts: ReceiptFacts, bundleID: BundleID, environment: AppStoreEnvironment, limits: AppReceiptLimits) {
        self.bundleID = bundleID
        self.environment = environment
        creationDate = facts.creationDate.value?.date
        transactions = facts.purchases.compactMap { set in
            ReceiptPurchase(set, attributeLimit: limits.attributes)?.transaction(of: bundleID, in: environment)
        }
        skipped = facts.purchases.count - transactions.count
    }
}
