// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a player did and met with, beside what the database knows.
package struct PlayRecord: Equatable, Sendable {
    /// When the App Store has it that something was paid, and until when.
    package struct Payment: Equatable, Sendable {
        package var purchaseDate: Date
        /// Of subscriptions that renew themselves only.
        package var expiresDate: Date?
    }

    /// Proofs that were handed to the shop.
    package var uploads = 0

    /// What was paid, by the number of the transaction.
    package var payments: [Int: Payment] = [:]

    /// The constraint that refused each insert that had to be; nil when it was taken.
    package var refusals: [RefusedInsert: String?] = [:]

    /// What each poll answered that answered something else than the one before, by the number of the order. Without transactions.
    package var polled: [Int: [Outcome]] = [:]

    /// All that the player was told, and did, with times.
    package var told = AnswerLog()

    /// What should not have happened, in words: an order that never came to rest, an error of the database.
    package var troubles: [String] = []

    /// Notes what a poll answered.
    package mutating func notePoll(of order: Int, _ status: Outcome) {
        let words = Outcome(state: status.state, reason: status.reason, clientAction: status.clientAction)
        if polled[order]?.last != words { polled[order, default: []].append(words) }
    }
}
