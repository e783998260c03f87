// SPDX-License-Identifier: Apache-2.0

/// What a player did and met with, beside what the database knows.
struct PlayRecord: Equatable, Sendable {
    /// Proofs that were handed to the shop.
    var uploads = 0

    /// The constraint that refused each insert that had to be; nil when it was taken.
    var refusals: [RefusedInsert: String?] = [:]

    /// What should not have happened, in words: an order that never came to rest, an error of the database.
    var troubles: [String] = []
}
