// SPDX-License-Identifier: Apache-2.0

/// The app and the kind of purchases that a receipt claims, unverified.
package struct ReceiptClaims: Hashable, Sendable {
    /// The app; nil when that can't be read.
    package let bundleID: BundleID?

    /// Whether it holds a subscription, for which Apple needs the app's secret; true when that can't be read.
    package let holdsSubscription: Bool

    package init(bundleID: BundleID? = nil, holdsSubscription: Bool = true) {
        self.bundleID = bundleID
        self.holdsSubscription = holdsSubscription
    }
}
