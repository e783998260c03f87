// SPDX-License-Identifier: Apache-2.0

/// One player's story: what the App Store has on record, what the player does, and what must come of it.
///
/// A value without clock or I/O. Nothing in it is shared with another purchase, so that each can be judged by itself.
struct Purchase: Equatable, Sendable {
    let number: Int
    let kind: PurchaseKind
    var transactions: [PlannedTransaction] = []
    var receipts: [PlannedReceipt] = []
    var orders: [PlannedOrder] = []
    var steps: [PlayerStep] = []
    var expectations: [Expectation] = []
    /// Accounts that may buy in the sandbox under the policy `listed`.
    var listedAccounts: [String] = []

    /// What must be refused at the insert.
    var refusals: [RefusedInsert] {
        steps.compactMap { step in
            if case .insertRefused(let refused) = step { refused } else { nil }
        }
    }
}
