// SPDX-License-Identifier: Apache-2.0

/// The most refused proofs that are kept, by number and by bytes. `keep_proofs.sql` has the rules.
///
/// The proof that put an order into review or showed its refund, and a proof that had no verdict, are kept beyond both.
package struct KeptProofLimits: Sendable {
    /// The latest proofs of distinct content that an order keeps. Default 3, at least 1. With a lower value, a customer who goes on
    /// trying drops the proof that shows the payment.
    package var latest = 3

    /// The bytes that are kept of one account within 24 hours. Default 32 MiB. A proof beyond them isn't kept. With a lower value,
    /// a customer with years of renewals, whose receipts have several hundred kilobytes, may reach them in a day.
    package var accountDayBytes = 32 * 1024 * 1024

    package init() {}
}
