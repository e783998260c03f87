// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The order that a payment is to be granted to: that of the job, or another of the same account.
struct Payee {
    let id: OrderID
    let account: AccountID
    let appAccountToken: UUID?

    init(_ order: Order) {
        id = order.id
        account = order.accountID
        appAccountToken = order.appAccountToken
    }

    /// The order that a payment was made for, which the proof of another order of the account showed: it bears the payment's token,
    /// or neither bears one (`orders_for_payment`).
    init(_ id: OrderID, of payment: PaymentFacts, shownFor order: Order) {
        self.id = id
        account = order.accountID
        appAccountToken = payment.transaction.appAccountToken
    }
}
