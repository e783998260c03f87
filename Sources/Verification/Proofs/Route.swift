// SPDX-License-Identifier: Apache-2.0

/// The way from a proof to a verdict.
package enum Route: String, Hashable, Sendable, CaseIterable {
    /// Verified here, by signature; nobody is asked.
    case local
    /// Apple's verifyReceipt endpoint.
    case verifyReceipt = "verify_receipt"
    /// Apple's App Store Server API.
    case serverAPI = "server_api"
    /// No way to a verdict: the follow-up that tells Apple's App Store Server API of a grant.
    case finishTransaction = "finish_transaction"
}
