// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What is verified over and over.
enum BenchProof: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// A signed transaction whose chain is remembered.
    case transaction
    /// A signed transaction whose chain is validated each time.
    case coldTransaction = "cold-transaction"
    /// An app receipt of 2 purchases.
    case smallReceipt = "small-receipt"
    /// An app receipt of 187 purchases.
    case largeReceipt = "large-receipt"
    /// An app receipt of 2 purchases whose chain is validated each time.
    case coldReceipt = "cold-receipt"
}
