// SPDX-License-Identifier: Apache-2.0

extension Transaction {
    /// Whether both bear a token, and not the same.
    func bearsAnotherToken(than order: Order) -> Bool {
        guard let token = appAccountToken, let wanted = order.appAccountToken else { return false }
        return token != wanted
    }
}
