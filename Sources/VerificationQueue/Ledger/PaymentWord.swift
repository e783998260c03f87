// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// What Apple or an operator says of a payment: that it was taken back, wholly or in part, or given back.
struct PaymentWord {
    /// As the ledger has it.
    enum Kind: String { case revocation, reversal }

    let payment: PaymentName

    /// When it happened.
    let date: Date

    /// The time for which it was said.
    let asOf: Date

    /// Whether it is dated after all that is known of the payment. Then it is no word where nothing is.
    let comesLast: Bool

    /// The refund, with the purchase that was refunded; nil for a reversal.
    let refund: (of: Transaction, revocation: Revocation)?

    var kind: Kind { refund == nil ? .reversal : .revocation }

    init(refundOf transaction: Transaction) {
        let revocation = transaction.revocation ?? .whole(transaction.purchaseDate, by: .operator)
        payment = PaymentName(transaction)
        // A word without a date bears the time for which it was said.
        date = revocation.date ?? revocation.asOf ?? transaction.purchaseDate
        asOf = revocation.asOf ?? date
        comesLast = false
        refund = (transaction, revocation)
    }

    init(reversalOf payment: PaymentName, at moment: Date, comesLast: Bool) {
        self.payment = payment
        date = moment
        asOf = moment
        self.comesLast = comesLast
        refund = nil
    }
}
