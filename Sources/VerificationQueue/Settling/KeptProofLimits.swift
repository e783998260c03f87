// SPDX-License-Identifier: Apache-2.0

/// The most refused proofs that are kept, by number and by bytes. `keep_proofs.sql` has the rules.
///
/// The limits of one standing never touch proofs of another: whoever sends garbage drops garbage. The proof that put an order into
/// review or showed its refund, and a proof that had no verdict, are kept beyond all limits.
package struct KeptProofLimits: Sendable {
    /// The first proofs of distinct content that an order keeps, of each standing. Default 2. Later ones never drop these.
    package var first = 2

    /// The latest proofs of distinct content that an order keeps, of each standing. Default 3. At least 1.
    package var latest = 3

    /// The longest proof that is kept whole though no reader understands it, in bytes. Default 256 KiB. With a lower value, a
    /// damaged receipt of a customer with years of renewals can't be judged again by a reader that mends it.
    package var unknownBytes = 256 * 1024

    /// How much is kept of a longer one, in characters. Default 1024: enough to see what it is.
    package var unknownBeginning = 1024

    /// The bytes that are kept of one account within 24 hours, of each standing, with those that were dropped again. Default 32 MiB. A
    /// proof beyond them isn't kept.
    package var accountDayBytes = 32 * 1024 * 1024

    /// The bytes that a proof counts for at least. Default 4 KiB. It bounds how many small ones an account has in a day, and so
    /// the time to add them up.
    package var leastBytes = 4 * 1024

    package init() {}
}
