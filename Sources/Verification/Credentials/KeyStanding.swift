// SPDX-License-Identifier: Apache-2.0

/// The facts about a key of the App Store Server API by which Apple didn't find a payment that it signed, and the fault that
/// follows.
///
/// Apple accepts a key of another Apple account, or of one that lacks the app, and finds nothing by it. So does a fresh purchase
/// that Apple doesn't show yet. Only payments whose signature a worker verified count, since anybody can make up an id.
///
/// | Found a payment of the app before | Accounts whose payments it didn't find, asked twice | Means |
/// |---|---|---|
/// | yes | | the payment is missing for itself |
/// | no | 0 to 2 | nobody knows yet |
/// | no | 3 and more | the key is at fault |
package struct KeyStanding: Hashable, Sendable {
    /// So many accounts, each with a payment of its own, close the gate.
    package static let accountsThatCloseTheGate = 3

    /// The time between two answers, in seconds, that makes an account count. Too short, and the first customers of a new key close
    /// the gate while Apple is slow to show their purchases; longer than `RetryPolicy.missingDelay`, and the gate closes a check
    /// later.
    package static let secondsBetweenAnswers: Double = 30

    /// Whether Apple found a payment of the app by this very key, in either environment.
    package let hasFound: Bool

    /// Accounts whose payments Apple signed and, asked twice by this key, doesn't know.
    package let unfoundAccounts: Int

    package init(hasFound: Bool, unfoundAccounts: Int) {
        self.hasFound = hasFound
        self.unfoundAccounts = unfoundAccounts
    }

    package var fault: CredentialStanding.Fault {
        if hasFound { return .proof }
        return unfoundAccounts >= Self.accountsThatCloseTheGate ? .credential : .unknown
    }

    /// The likely cause, where the key is at fault.
    package var message: String {
        "Apple accepts the key of the App Store Server API and knows no payment by it, not those of \(unfoundAccounts) accounts that it "
            + "signed: the key likely belongs to another Apple account or app"
    }
}
