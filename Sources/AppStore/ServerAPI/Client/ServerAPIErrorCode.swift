// SPDX-License-Identifier: Apache-2.0

/// An error code of the App Store Server API, known to us or not.
package struct ServerAPIErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// What a code means for a call of ours.
    package enum Meaning: Hashable, Sendable {
        /// What was asked for isn't there, in this environment and under this app: perhaps elsewhere, perhaps later.
        case notFound
        /// Apple refuses this input for good: another try with the same input is in vain.
        case refusal
        /// Apple's trouble; to be tried again.
        case retry
        /// Too many calls; to be tried again after the wait that the answer names.
        case rateLimit
        /// Our set-up at Apple, or of the credentials, is at fault.
        case configuration
        /// A position in a history that Apple doesn't take any more: to be begun anew.
        case restart
        /// A request as we never make it; if it comes, a person has to look.
        case unexpected
    }

    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Apple's name for it; nil for a code that we don't know.
    package var name: String? { Self.rows[rawValue]?.name }

    /// What it means; nil for a code that we don't know, which the HTTP status decides then.
    package var meaning: Meaning? { Self.rows[rawValue]?.meaning }

    /// The number and, if known, Apple's name.
    package var description: String {
        name.map { "\(rawValue) \($0)" } ?? "\(rawValue)"
    }
}

extension ServerAPIErrorCode {
    /// The id isn't one of Apple's form.
    package static let invalidTransactionID = ServerAPIErrorCode(rawValue: 4_000_006)
    /// The environment isn't the transaction's, or the app isn't, or there is no such transaction, or not yet.
    package static let transactionIDNotFound = ServerAPIErrorCode(rawValue: 4_040_010)
    /// The token isn't one of Apple's form.
    package static let invalidTestNotificationToken = ServerAPIErrorCode(rawValue: 4_000_020)
}
