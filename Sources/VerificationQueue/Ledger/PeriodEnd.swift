// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Apple's word for when a period of a subscription ends.
struct PeriodEnd {
    let payment: Transaction
    let endsAt: Date

    /// The time for which Apple said it.
    let asOf: Date
}

extension PeriodEnd {
    /// - Returns: nil of what is no period.
    init?(_ shown: ShownPayment) {
        let transaction = shown.transaction
        guard let endsAt = transaction.expiresDate else { return nil }
        // A word without a time counts as the oldest: that of the purchase.
        let asOf = transaction.endAsOf ?? shown.signedAt ?? transaction.revocation?.asOf ?? transaction.purchaseDate
        self.init(payment: transaction, endsAt: endsAt, asOf: asOf)
    }
}
