// SPDX-License-Identifier: Apache-2.0

extension Transaction {
    /// Whether both bear a token, and not the same.
    func bearsAnotherToken(than order: Order) -> Bool {
        guard let token = appAccountToken, let wanted = order.appAccountToken else { return false }
        return token != wanted
    }

    /// Whether a token, or whose proof showed it first, ties the payment to another account than the order's.
    ///
    /// Two equal tokens settle the question, whoever showed the payment first.
    func seemsAnotherAccounts(than order: Order, facts: LedgerFacts) -> Bool {
        switch (order.appAccountToken, appAccountToken) {
        case (.some, .some): bearsAnotherToken(than: order)
        case (nil, .some): facts.tokenBelongsToAnotherAccount || facts.wasShownByAnotherAccount
        case (_, nil): facts.wasShownByAnotherAccount
        }
    }
}
