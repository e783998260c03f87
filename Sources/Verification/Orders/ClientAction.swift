// SPDX-License-Identifier: Apache-2.0

/// What the shop's client should do next about an order. Every action but ``wait`` ends its polling.
package enum ClientAction: String, Hashable, Sendable, CaseIterable {
    /// Ask again later.
    case wait
    /// Finish the StoreKit transaction that the order names.
    case finish
    /// Upload the proof of the purchase: nothing is being verified for this order.
    case uploadProof = "upload_proof"
    /// Refresh the proof and upload it again.
    case resendProof = "resend_proof"
    /// Make the order that the payment pays for, and upload the same proof for it.
    case orderAgain = "order_again"
    /// Show the customer the way to a person.
    case contactSupport = "contact_support"
}
