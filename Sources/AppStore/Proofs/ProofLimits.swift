// SPDX-License-Identifier: Apache-2.0

/// How much a client may hand over, and what is forgiven.
package struct ProofLimits: Sendable {
    /// Longest text read at all, in bytes. Default 4 MiB.
    ///
    /// Receipts with years of renewals grow to several hundred kilobytes; below 2 MiB, long-standing customers are
    /// refused. The limit bounds what one job costs in memory and what is sent to Apple.
    package var proofBytes: Int = 4 * 1024 * 1024

    /// Longest signed transaction, in bytes. Default 64 KiB.
    ///
    /// Apple's are 2.5 to 5 KB, mostly certificates. Below 8 KiB, genuine ones may be refused.
    package var signedTransactionBytes: Int = 64 * 1024

    /// Most wrappings that a proof is taken out of, such as JSON in base64. Default 3.
    ///
    /// With 0, a proof that was wrapped is refused. More than 3 costs time on text that is no proof.
    package var layers: Int = 3

    package init() {}
}
