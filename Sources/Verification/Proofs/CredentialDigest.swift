// SPDX-License-Identifier: Apache-2.0

/// Stands for an app's secret or key where all workers see it: two are equal if and only if the credentials are.
package struct CredentialDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// What a receipt says by its own bytes. Nothing of it is verified.
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
