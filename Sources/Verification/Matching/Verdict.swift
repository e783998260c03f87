// SPDX-License-Identifier: Apache-2.0

/// What the transactions of a genuine proof mean for the order, before the ledger is asked.
package enum Verdict: Hashable, Sendable {
    /// One of these pays for the order, or for the one that it was made for: the first that the ledger doesn't hold. All are of the
    /// order's product, or all of others. Never empty; best first.
    case candidates([Candidate])
    /// The payment that the proof shows was taken back: that of the order, unless the ledger says that it was another's, or it is for
    /// another product.
    indirect case refunded(Transaction)
    /// Genuine, and not for this order; final.
    case rejected(Reason)
    /// A person has to decide.
    case review(Reason)
    /// The proof lacks the purchase, and a later look or a newer proof may show it.
    case missing
}

/// A verdict, with the payments that came to light beside it.
package final class Judgement: Sendable {
    package let verdict: Verdict

    /// Verified, paid, unrevoked transactions of the order's app other than the candidates, each with the reason why it
    /// isn't granted here. The settlement drops those that the ledger holds.
    package let unclaimed: [UnclaimedTransaction]

    /// Transactions that Apple says were refunded. Those of which a part was, or nobody knows how much, are among the candidates or
    /// unclaimed too, unless the policy denies them or a bare id showed them.
    package let revoked: [Transaction]

    /// Transactions that the database can't keep, and that no statement may see.
    package let unstorable: [UnstorableTransaction]

    package init(
        verdict: Verdict, unclaimed: [UnclaimedTransaction] = [], revoked: [Transaction] = [],
        unstorable: [UnstorableTransaction] = []
    ) {
        self.verdict = verdict
        self.unclaimed = unclaimed
        self.revoked = revoked
        self.unstorable = unstorable
    }
}

/// A verified, paid transaction that fulfils no order so far.
package struct UnclaimedTransaction: Hashable, Sendable {
    package let transaction: Transaction
    package let reason: Reason

    package init(_ transaction: Transaction, reason: Reason) {
        self.transaction = transaction
        self.reason = reason
    }
}
