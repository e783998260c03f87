// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The transactions of one genuine proof, in no order.
package final class VerifiedTransactions: Sendable {
    package let all: [Transaction]

    /// Whether the client may hold a newer proof with more in it: true of receipts, which are issued anew at each refresh.
    package let mayBeIncomplete: Bool

    /// Whether whoever has the proof must have got it from a device that the purchase was made on or restored to. Not true
    /// of a bare transaction id, which anybody may have guessed or read over somebody's shoulder.
    package let provesPossession: Bool

    /// Whether Apple said it when asked just now, rather than in a signature made before.
    package let isConfirmed: Bool

    /// When Apple signed it; nil when the proof doesn't say.
    package let signedAt: Date?

    /// The app that a receipt is of, whatever it shows; nil where each transaction says it by itself.
    package let bundleID: BundleID?

    /// The version of the app that a receipt was made by; nil where a proof doesn't say.
    package let appVersion: AppVersion?

    /// Entries of a receipt that were passed over because they can't be read; any of them may be the wanted one.
    package let skipped: Int

    package init(
        _ all: [Transaction], mayBeIncomplete: Bool, provesPossession: Bool = true, isConfirmed: Bool = false,
        signedAt: Date? = nil, bundleID: BundleID? = nil, appVersion: AppVersion? = nil, skipped: Int = 0
    ) {
        self.all = all
        self.mayBeIncomplete = mayBeIncomplete
        self.provesPossession = provesPossession
        self.isConfirmed = isConfirmed
        self.signedAt = signedAt
        self.bundleID = bundleID
        self.appVersion = appVersion
        self.skipped = skipped
    }
}

extension VerifiedTransactions {
    /// Each transaction once, oldest purchase first, ties by id.
    ///
    /// verifyReceipt may show one transaction twice, in `in_app` and in `latest_receipt_info`. Only the second has the app account
    /// token and the ownership. The facts of both entries are kept.
    var distinct: [Transaction] {
        // A signed transaction is alone.
        guard all.count > 1 else { return all }
        return Dictionary(grouping: all, by: Identity.init).values
            .map { entries in
                let ranked = entries.sorted { $0.informationRank > $1.informationRank }
                return ranked.dropFirst().reduce(ranked[0]) { $0.completed(by: $1) }
            }
            .sorted { $0.precedes($1) }
    }
}

/// The identity that two entries of one transaction share.
private struct Identity: Hashable {
    let bundleID: BundleID
    let environment: AppStoreEnvironment
    let id: TransactionID

    init(_ transaction: Transaction) {
        bundleID = transaction.bundleID
        environment = transaction.environment
        id = transaction.id
    }
}

extension Transaction {
    /// Whether this purchase is the older one; of two purchases of one moment, whether its id sorts first.
    func precedes(_ other: Transaction) -> Bool {
        (purchaseDate, id.rawValue) < (other.purchaseDate, other.id.rawValue)
    }

    /// Which of two entries of one transaction is believed where they differ: a revocation counts most, then a token.
    ///
    /// A part counts more than the whole: receipts, which know no parts, show any refund as the whole.
    fileprivate var informationRank: Int {
        let refund =
            switch revocation?.share {
            case nil: 0
            case .unknown: 2
            case .whole: 4
            case .part: 6
            }
        return refund + (appAccountToken == nil ? 0 : 1)
    }

    /// This entry, completed by the facts that only `other`, of a lower rank, has.
    fileprivate func completed(by other: Transaction) -> Transaction {
        var whole = self
        whole.webOrderLineItemID = webOrderLineItemID ?? other.webOrderLineItemID
        whole.productKind = productKind ?? other.productKind
        whole.originalPurchaseDate = originalPurchaseDate ?? other.originalPurchaseDate
        whole.expiresDate = expiresDate ?? other.expiresDate
        whole.endAsOf = endAsOf ?? other.endAsOf
        whole.appAccountToken = appAccountToken ?? other.appAccountToken
        whole.ownership = ownership == .purchased ? other.ownership : ownership
        whole.isAdvancedCommerce = isAdvancedCommerce || other.isAdvancedCommerce
        whole.additionalReason = additionalReason ?? other.additionalReason
        whole.purchaseReason = purchaseReason ?? other.purchaseReason
        whole.price = price ?? other.price
        return whole
    }
}
