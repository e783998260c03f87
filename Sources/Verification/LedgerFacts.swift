// SPDX-License-Identifier: Apache-2.0

/// What the ledger and the order say about one candidate, read inside the settlement with the order locked.
package struct LedgerFacts: Hashable, Sendable {
    /// The grant that holds the candidate's key or transaction id.
    package struct Holder: Hashable, Sendable {
        package let orderID: OrderID
        package let accountID: AccountID

        /// The transaction that the grant was made for.
        package let transactionID: TransactionID

        package init(orderID: OrderID, accountID: AccountID, transactionID: TransactionID) {
            self.orderID = orderID
            self.accountID = accountID
            self.transactionID = transactionID
        }
    }

    package let holder: Holder?

    /// The payment was taken back: there is a revocation, which no reversal follows, of this transaction; or, where the
    /// original transaction is the payment, of any with the same original id that is not older than this purchase; or of the
    /// same period of a subscription.
    package let isRevoked: Bool

    /// A revocation, which no reversal follows, of the same original transaction that is older than the candidate's
    /// purchase.
    package let originalWasRevokedBefore: Bool

    /// An order of another account bears the transaction's app account token.
    package let tokenBelongsToAnotherAccount: Bool

    /// It is an unclaimed payment, and the job that showed it first was for an order of another account.
    package let wasShownByAnotherAccount: Bool

    /// The state of the order being settled.
    package let orderState: OrderState

    /// The original transaction id of the grant that fulfilled the order being settled, if it has one.
    package let orderOriginalTransactionID: TransactionID?

    package init(
        holder: Holder? = nil, isRevoked: Bool = false, originalWasRevokedBefore: Bool = false,
        tokenBelongsToAnotherAccount: Bool = false, wasShownByAnotherAccount: Bool = false, orderState: OrderState,
        orderOriginalTransactionID: TransactionID? = nil
    ) {
        self.holder = holder
        self.isRevoked = isRevoked
        self.originalWasRevokedBefore = originalWasRevokedBefore
        self.tokenBelongsToAnotherAccount = tokenBelongsToAnotherAccount
        self.wasShownByAnotherAccount = wasShownByAnotherAccount
        self.orderState = orderState
        self.orderOriginalTransactionID = orderOriginalTransactionID
    }
}
