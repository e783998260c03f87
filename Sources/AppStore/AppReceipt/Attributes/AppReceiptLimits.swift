// SPDX-License-Identifier: Apache-2.0

/// How much an app receipt may make its reader do.
///
/// There is no depth to set: the reader goes as deep as the form does, and passes over what lies deeper.
package struct AppReceiptLimits: Sendable {
    /// Largest receipt, in bytes before base64. Default 3 MiB, which is what the longest proof that is read holds.
    ///
    /// One with 187 purchases has 79 KB, years of renewals make several hundred. Below 1.5 MiB, long-standing customers
    /// are refused; the limit bounds the memory that one job takes, about twice as much.
    package var bytes: Int = 3 * 1024 * 1024

    /// Largest certificate, in bytes. Default 16 KiB. Apple's have 1.1 to 1.5 KB; below 4 KiB, a new one may be refused.
    ///
    /// Each is read into a tree that takes fifty times its size at worst.
    package var certificateBytes: Int = 16 * 1024

    /// Certificates, in number. Default 8. Apple's receipts have three; a chain is sought among those that are there, and each may
    /// cost one check of a signature.
    package var certificates: Int = 8

    /// Signers, in number. Default 4. Apple's receipts have one; each may cost as many checks of signatures as there are
    /// certificates.
    package var signers: Int = 4

    /// Attributes of the app, and of one purchase, in number. Default 256. Genuine receipts have about 30 and 25.
    package var attributes: Int = 256

    /// Attributes under the signature, in number. Default 16. Apple's receipts have none, and other signers 3 or 4.
    package var signedAttributes: Int = 16

    /// Purchases, in number. Default 10,000, more than fit into ``bytes`` in genuine receipts.
    package var purchases: Int = 10_000

    package init() {}
}
