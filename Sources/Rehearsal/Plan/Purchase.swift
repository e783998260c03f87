// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// One player's story: what the App Store has on record, what the player does, and what must come of it.
///
/// A value without clock or I/O. Nothing in it is shared with another purchase, so that each can be judged by itself.
package struct Purchase: Equatable, Sendable {
    package let number: Int
    package let kind: PurchaseKind
    package var transactions: [PlannedTransaction] = []
    package var receipts: [PlannedReceipt] = []
    package var orders: [PlannedOrder] = []
    package var lives: [PlannedLife] = []
    package var steps: [PlayerStep] = []
    package var expectations: [Expectation] = []
    /// Accounts that may buy in the sandbox under the policy `listed`.
    package var listedAccounts: [String] = []

    /// What must be refused at the insert.
    package var refusals: [RefusedInsert] {
        steps.compactMap { step in
            if case .insertRefused(let refused) = step { refused } else { nil }
        }
    }
}

/// An order that a player places, or makes by submitting a proof for it.
package struct PlannedOrder: Equatable, Sendable {
    package var id: String
    package var app: ShopApp
    package var product: ShopProduct
    package var accountID: String
    package var quantity = 1
    package var token: UUID?

    /// What the client uploads when it is told to send its proof again, one after the other.
    package var furtherProofs: [PlannedProof] = []

    /// Whether the client, with nothing newer to send, comes back now and then and sends its last proof again.
    package var isPersistent = false
}
