// SPDX-License-Identifier: Apache-2.0

/// What the App Store Server API of one environment says of a transaction id.
package enum TransactionInfo: Sendable {
    /// Verified, and of the app that was asked for; one transaction.
    case found(VerifiedTransactions)
    /// There is no such transaction of this app here.
    case notFound
    /// This can't be a transaction's id.
    case refused(Reason)
    /// The key was refused. In production that is also the answer for an app that was never released.
    case unauthorized
}
