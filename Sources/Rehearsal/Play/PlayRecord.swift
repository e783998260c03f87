// SPDX-License-Identifier: Apache-2.0

/// What a player did and met with, beside what the database knows.
package struct PlayRecord: Equatable, Sendable {
    /// Proofs that were handed to the shop.
    package var uploads = 0

    /// The constraint that refused each insert that had to be; nil when it was taken.
    package var refusals: [RefusedInsert: String?] = [:]

    /// What should not have happened, in words: an order that never came to rest, an error of the database.
    package var troubles: [String] = []
}
