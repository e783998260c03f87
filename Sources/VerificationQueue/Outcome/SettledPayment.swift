// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// A payment that an attempt brought to light, and what its settlement is to do with it.
package struct SettledPayment: Sendable {
    package enum Place: Hashable, Sendable {
        /// It may pay for the order. Those that may come first in a settlement's list, the best of them first.
        case mayPay
        /// The proof shows it beside, or a notification tells of it. It is kept, as ``Choice`` says.
        case beside
        /// It neither pays nor is kept: only its refund is written.
        case takenBack
        /// It is kept for this reason, and the ledger isn't asked about it. Its words aren't written.
        case unclaimed(Reason)
    }

    package let shown: ShownPayment
    package let place: Place

    /// When Apple signed that nothing of it is refunded any more; nil where nobody told so.
    let reversedAt: Date?

    package init(_ shown: ShownPayment, _ place: Place, reversedAt: Date? = nil) {
        self.shown = shown
        self.place = place
        self.reversedAt = reversedAt
    }

    package var transaction: Transaction { shown.transaction }

    /// Whether only the refund of a part of it is written.
    var isRefundOfPart: Bool { place == .takenBack && transaction.isPartlyRefunded }

    /// Whether Apple says something of it that is to be written: that it was taken back, or given back.
    var hasWords: Bool {
        if case .unclaimed = place { false } else { transaction.revocation != nil || reversedAt != nil }
    }

    /// What Apple says of it. Nothing of most.
    var words: [PaymentWord] {
        guard hasWords else { return [] }
        let refund = transaction.revocation.map { _ in PaymentWord(refundOf: transaction) }
        let reversal = reversedAt.map { PaymentWord(reversalOf: PaymentName(transaction), at: $0, comesLast: false) }
        return [refund, reversal].compactMap(\.self)
    }

    /// Its row where the ledger isn't asked.
    var keptUnasked: KeptPayment? {
        if case .unclaimed(let reason) = place { KeptPayment(transaction, as: .unclaimed(reason)) } else { nil }
    }
}

extension [SettledPayment] {
    /// The payments of a proof that may pay for its order, and all others that it shows.
    ///
    /// - Parameters:
    ///   - candidates: best first.
    ///   - revoked: all that bear a refund, whether they are in one of the other lists or not.
    package init(candidates: [ShownPayment] = [], others: [ShownPayment] = [], revoked: [Transaction] = []) {
        self = candidates.map { SettledPayment($0, .mayPay) }
        append(contentsOf: others.lazy.map { SettledPayment($0, .beside) })
        guard !revoked.isEmpty else { return }
        let said = Set(lazy.filter(\.hasWords).map(\.transaction.id))
        append(contentsOf: revoked.lazy.filter { !said.contains($0.id) }.map { SettledPayment(ShownPayment($0), .takenBack) })
    }

    /// Those that may pay.
    package var candidates: ArraySlice<SettledPayment> { prefix { $0.place == .mayPay } }

    /// The payments that a proof shows, without a choice among them.
    package init(_ judgement: Judgement) {
        self.init(others: judgement.others, revoked: judgement.revoked)
    }
}
