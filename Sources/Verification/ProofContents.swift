// SPDX-License-Identifier: Apache-2.0

/// The transactions of one proof, each once, sorted by what they can mean for an order.
///
/// Every list is in order of purchase, oldest first.
struct ProofContents {
    /// Paid, not taken back, and of the order's product: the only ones that can pay for it.
    private(set) var paid: [Transaction] = []

    /// Paid, not taken back, and of other products of the order's app.
    private(set) var paidForOthers: [Transaction] = []

    /// Of the order's product, paid and taken back.
    private(set) var takenBack: [Transaction] = []

    /// Of the order's product, and paid by another member of the family.
    private(set) var familyShared: [Transaction] = []

    /// All of the order's app that Apple says were taken back, whatever the product or the policy.
    private(set) var revoked: [Transaction] = []

    /// Whether there is any transaction in it.
    private(set) var showsAnything = false

    /// Whether there are transactions, and none of the order's app.
    private(set) var isOfAnotherApp = false

    /// Whether nothing but sandbox purchases, which this order may not be fulfilled by, could have paid for it.
    private(set) var isDeniedSandbox = false

    init(_ transactions: VerifiedTransactions, order: Order, policy: AppPolicy) {
        let distinct = transactions.distinct
        let own = distinct.filter { $0.bundleID == order.bundleID }
        let admitted = own.filter { $0.environment == .production || policy.allowsSandbox }
        let wanted = admitted.filter { $0.productID == order.productID }

        showsAnything = !distinct.isEmpty
        isOfAnotherApp = own.isEmpty && !distinct.isEmpty
        isDeniedSandbox = own.count > admitted.count && wanted.isEmpty
        revoked = own.filter(\.isRevoked)
        paid = wanted.filter { $0.ownership == .purchased && !$0.isRevoked }
        takenBack = wanted.filter { $0.ownership == .purchased && $0.isRevoked }
        familyShared = wanted.filter { $0.ownership == .familyShared }
        paidForOthers = admitted.filter {
            $0.productID != order.productID && $0.ownership == .purchased && !$0.isRevoked
        }
    }
}

extension Transaction {
    fileprivate var isRevoked: Bool { revocationDate != nil }
}
