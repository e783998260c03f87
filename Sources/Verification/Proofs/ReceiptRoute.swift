// SPDX-License-Identifier: Apache-2.0

/// How an app's receipts come to a verdict.
package enum ReceiptRoute: String, Sendable, CaseIterable {
    /// Verified here by their signature; what may be granted is then asked of the App Store Server API.
    case localThenAPI = "local_then_api"
    /// Apple's verifyReceipt, which is deprecated.
    case verifyReceipt = "verify_receipt"
    /// Verified here by their signature, and nobody is asked: a refund since then goes unseen, and so does that a member of the
    /// family had paid, of which a receipt tells nothing. Whether a cancelled period was refunded or upgraded stays open.
    case localOnly = "local_only"
}
