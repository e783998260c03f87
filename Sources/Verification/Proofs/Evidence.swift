// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a proof turned out to show.
package enum Evidence: Sendable {
    /// Genuine, and these are the transactions in it.
    case transactions(VerifiedTransactions)
    /// Not genuine, or not Apple's; for good.
    case refused(Reason)
    /// Genuine or not, this endpoint doesn't know it: the other environment has to be asked.
    case elsewhere(AppStoreEnvironment)
}

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

    /// Entries of a receipt that were passed over because they can't be read; any of them may be the wanted one.
    package let skipped: Int

    package init(
        _ all: [Transaction], mayBeIncomplete: Bool, provesPossession: Bool = true, isConfirmed: Bool = false,
        signedAt: Date? = nil, bundleID: BundleID? = nil, skipped: Int = 0
    ) {
        self.all = all
        self.mayBeIncomplete = mayBeIncomplete
        self.provesPossession = provesPossession
        self.isConfirmed = isConfirmed
        self.signedAt = signedAt
        self.bundleID = bundleID
        self.skipped = skipped
    }
}
