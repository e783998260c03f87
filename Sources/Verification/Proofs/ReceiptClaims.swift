// SPDX-License-Identifier: Apache-2.0

/// The claims of a proof, unverified: of a receipt its app and the kind of its purchases, of a signed transaction a refund.
package struct ReceiptClaims: Hashable, Sendable {
    /// The app; nil when that can't be read.
    package let bundleID: BundleID?

    /// Whether it holds a subscription, for which Apple needs the app's secret; true when that can't be read.
    package let holdsSubscription: Bool

    /// Whether a signed transaction says that it was refunded, wholly or in part.
    package let showsRefund: Bool

    package init(bundleID: BundleID? = nil, holdsSubscription: Bool = true, showsRefund: Bool = false) {
        self.bundleID = bundleID
        self.holdsSubscription = holdsSubscription
        self.showsRefund = showsRefund
    }
}
