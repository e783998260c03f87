// SPDX-License-Identifier: Apache-2.0

/// What becomes of an order, and of each payment that its proof shows.
///
/// Every payment ends in exactly one way: granted to this order or to its own, held by the ledger, taken back, unclaimed with a
/// reason, or not kept. An order that is paid, refunded or cancelled stays as it is. So does an order that isn't fulfilled though
/// the ledger holds its payment: a second grant is impossible and the first stands. A check of the ledger finds it.
///
/// A payment is kept by the heaviest objection that no order changes (``Objection/Scope/payment``): another order would end as this
/// one. Without such an objection, it is kept by what became of the order:
///
/// | The order, or the payment | The payment is kept as |
/// |---|---|
/// | the payment renews a subscription of the account | `renewal` |
/// | the order is for another product | `wrong_product`; `no_order` beside others of a receipt |
/// | the order is cancelled | `order_cancelled` |
/// | another payment paid for the order before | `order_already_paid` |
/// | this proof paid for the order | `no_order`; `restored` if the payment is another name of what paid |
/// | the order goes to review | the heaviest objection's reason |
/// | no client showed it | `no_order` |
package struct Choice: Hashable, Sendable {
    package internal(set) var outcome: OrderOutcome

    /// Payments that aren't granted here. Those that the ledger holds under the same id are left out.
    package internal(set) var kept: [KeptPayment]

    /// Decides between the payments of a proof by what stands against each.
    ///
    /// - Parameters:
    ///   - payments: of one proof, those that may pay for an order, best first; never empty. Each with the ledger's facts, read
    ///     with the order and the payments locked.
    ///   - others: that the proof shows, and that may pay for no order by it. They are kept.
    package static func choose(
        among payments: [PaymentFacts], beside others: [PaymentFacts] = [], for order: Order, under policy: AppPolicy,
        as proof: ProofTraits = ProofTraits()
    ) -> Choice {
        precondition(!payments.isEmpty, "A proof without payments has nothing to choose from.")
        let choosing = Choosing(
            payments: payments.map { WeighedPayment($0, for: order, under: policy, as: proof) },
            others: others.map { WeighedPayment($0, for: order, under: policy, as: proof) }, order: order, proof: proof)
        return choosing.choice()
    }

    /// How the payments are kept that a proof shows, and of which none may pay for its order: it waits, or is answered already.
    ///
    /// - Parameter others: each with the ledger's facts.
    package static func keep(
        _ others: [PaymentFacts], beside order: Order, under policy: AppPolicy, as proof: ProofTraits = ProofTraits()
    ) -> [KeptPayment] {
        let others = others.map { WeighedPayment($0, for: order, under: policy, as: proof) }
        return Choosing(payments: [], others: others, order: order, proof: proof).kept()
    }

    /// How a payment is kept that no order shows. Nil where it isn't kept, or the ledger holds it under its own id.
    package static func keep(_ payment: PaymentFacts, under policy: AppPolicy) -> KeptPayment? {
        let objections = Fit.objections(to: payment, under: policy)
        guard objections.allSatisfy(\.isKept) else { return nil }
        if payment.ledger?.holder != nil || objections.contains(.takenBack) { return payment.keptAsKnown }
        let renews = payment.ledger?.renewedAccount.map { Fit.isRenewal(payment, of: $0) } ?? false
        let isRenewal = renews && objections.allSatisfy(\.yieldsToARenewal)
        let reason: Reason = isRenewal ? .renewal : objections.first?.reason ?? .noOrder
        return KeptPayment(payment.transaction, as: .unclaimed(reason))
    }
}

/// The traits of a whole proof that the choice depends on.
package struct ProofTraits: Hashable, Sendable {
    /// The transaction that the client named beside the proof.
    package var hint: TransactionID?

    /// Whether a client uploaded it. Otherwise it pays for an order, ends one that waits by the payment's refund, or leaves the
    /// order as it is: nobody waits for it.
    package var isUpload: Bool

    /// Whether it also shows a transaction that the database can't keep: what would be refused is left to an operator.
    package var showsUnstorable: Bool

    package init(hint: TransactionID? = nil, isUpload: Bool = true, showsUnstorable: Bool = false) {
        self.hint = hint
        self.isUpload = isUpload
        self.showsUnstorable = showsUnstorable
    }
}

extension PaymentFacts {
    /// How it is kept where the ledger holds it, or it was taken back. Nil where it is granted under the same id, or its own proof
    /// shows the refund: Apple signs it anew when that is reversed.
    var keptAsKnown: KeptPayment? {
        if let holder = ledger?.holder {
            return holder.transactionID == transaction.id ? nil : KeptPayment(transaction, as: .restored)
        }
        return transaction.isRefunded ? nil : KeptPayment(transaction, as: .refunded)
    }
}
