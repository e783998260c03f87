// SPDX-License-Identifier: Apache-2.0

/// What the transactions of a genuine proof mean for the order, before the ledger is asked.
package enum Verdict: Hashable, Sendable {
    /// One of these payments pays for the order, or for the one that it was made for, unless something stands against each
    /// (``Fit``). All are of the order's product, or all of others; or it is one that was taken back. Never empty; best first.
    case candidates([ShownPayment])
    /// Genuine, and not for this order; final.
    case rejected(Reason)
    /// A person has to decide.
    case review(Reason)
    /// The proof lacks the purchase, and a later look or a newer proof may show it.
    case missing

    /// The payment, if all that the proof offers was taken back.
    package var takenBack: Transaction? {
        guard case .candidates(let candidates) = self, candidates.allSatisfy(\.transaction.isRefunded) else { return nil }
        return candidates[0].transaction
    }
}

/// A verdict, with the payments that came to light beside it.
package final class Judgement: Sendable {
    package let verdict: Verdict

    /// Verified, paid, unrevoked transactions of the order's app other than the candidates. The settlement keeps them (``Choice``),
    /// unless the ledger holds them.
    package let others: [ShownPayment]

    /// Transactions that Apple says were refunded. Those of which a part was, or nobody knows how much, are among the candidates or
    /// the others too, unless the policy denies them or a bare id showed them.
    package let revoked: [Transaction]

    /// Transactions that the database can't keep, and that no statement may see.
    package let unstorable: [UnstorableTransaction]

    /// What somebody else paid for, and the customer has: a family member's, or a seat. What the verdict is about comes first.
    package let shared: [ShownPayment]

    /// The fact that keeps an operator's decision waiting, for the history of attempts; nil where the reason says enough.
    package let note: String?

    package init(
        verdict: Verdict, others: [ShownPayment] = [], revoked: [Transaction] = [], unstorable: [UnstorableTransaction] = [],
        shared: [ShownPayment] = [], note: String? = nil
    ) {
        self.shared = shared
        self.note = note
        self.verdict = verdict
        self.others = others
        self.revoked = revoked
        self.unstorable = unstorable
    }
}
