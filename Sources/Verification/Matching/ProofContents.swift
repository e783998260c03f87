// SPDX-License-Identifier: Apache-2.0

/// The transactions of one proof, each once, sorted by what they can mean for an order.
///
/// Every list is in order of purchase, oldest first.
struct ProofContents {
    /// Paid, not wholly refunded, and of the order's product: the only ones that can pay for it.
    private(set) var paid: [Transaction] = []

    /// Paid, not wholly refunded, and of other products of the order's app.
    private(set) var paidForOthers: [Transaction] = []

    /// Of the order's product, paid and taken back.
    private(set) var takenBack: [Transaction] = []

    /// Paid and taken back, and of other products of the order's app.
    private(set) var takenBackForOthers: [Transaction] = []

    /// Of the order's product, and paid by another member of the family, or by whoever assigned the seat.
    private(set) var paidByOthers: [Transaction] = []

    /// Of other products of the order's app, and paid by others.
    private(set) var sharedForOthers: [Transaction] = []

    /// Of the order's product, and paid by nobody knows whom.
    private(set) var ofUnknownOwnership: [Transaction] = []

    /// All payments of the order's app that Apple says were refunded, wholly or in part, whatever the product or the policy. The
    /// end of family sharing refunds none.
    private(set) var revoked: [Transaction] = []

    /// Of the order's app, and with values that the database can't keep: in none of the other lists.
    private(set) var unstorable: [UnstorableTransaction] = []

    /// Whether there is any transaction in it.
    private(set) var showsAnything = false

    /// Whether any of them is the one that the client named.
    private(set) var showsHinted = false

    /// Whether there are transactions, and none of the order's app; or none, in another app's receipt.
    private(set) var isOfAnotherApp = false

    /// Whether nothing but sandbox purchases, which this order may not be fulfilled by, could have paid for it.
    private(set) var isDeniedSandbox = false

    init(_ transactions: VerifiedTransactions, order: Order, policy: AppPolicy, hint: TransactionID?) {
        var isOfThisApp = false
        var showsProduct = false
        var isDenied = false
        for transaction in transactions.distinct {
            showsAnything = true
            showsHinted = showsHinted || transaction.isNamed(by: hint)
            guard transaction.bundleID == order.bundleID else { continue }
            isOfThisApp = true
            let unstorable = UnstorableTransaction(transaction)
            if unstorable == nil && transaction.ownership == .purchased && transaction.revocation != nil {
                revoked.append(transaction)
            }
            guard transaction.environment == .production || policy.allowsSandbox else {
                isDenied = true
                continue
            }
            if let unstorable {
                self.unstorable.append(unstorable)
                continue
            }
            let isWanted = transaction.productID == order.productID
            showsProduct = showsProduct || isWanted
            switch (transaction.ownership, isWanted, transaction.isRefunded) {
            case (.purchased, true, false): paid.append(transaction)
            case (.purchased, true, true): takenBack.append(transaction)
            case (.purchased, false, false): paidForOthers.append(transaction)
            case (.familyShared, true, _), (.assigned, true, _): paidByOthers.append(transaction)
            case (.unknown, true, _): ofUnknownOwnership.append(transaction)
            case (.purchased, false, true): takenBackForOthers.append(transaction)
            case (.familyShared, false, _), (.assigned, false, _): sharedForOthers.append(transaction)
            case (.unknown, false, _): break
            }
        }
        isOfAnotherApp = showsAnything ? !isOfThisApp : transactions.bundleID.map { $0 != order.bundleID } ?? false
        isDeniedSandbox = isDenied && !showsProduct && unstorable.isEmpty
    }
}

extension Transaction {
    /// Whether a client's hint means this one: by its id, or by that of what it restores or renews.
    func isNamed(by hint: TransactionID?) -> Bool {
        id == hint || originalID == hint
    }
}
