// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

extension SettlementStore {
    /// Grants each payment to its order.
    ///
    /// - Parameter isOperatorDecision: an operator knows whose the payments are, and that they count although what they renew was
    ///   refunded.
    /// - Returns: the orders that were granted their payment.
    /// - Throws: ``OrdersMoved`` if one of the granted orders can't be paid any more.
    func insertGrants(
        _ grants: [Grant], isOperatorDecision: Bool = false, _ connection: PostgresConnection
    ) async throws -> GrantedOrders {
        guard !grants.isEmpty else { return .all }
        let columns = Columns(grants) { Self.grants(&$0, isOperatorDecision: isOperatorDecision) }
        let rows = try await connection.execute(SQLFile.insertGrants.statement, columns.parameters)
        return try GrantedOrders(rows, of: grants.count)
    }

    /// The parameters of `insert_grants.sql`.
    static func grants(_ columns: inout Columns<Grant>, isOperatorDecision: Bool) {
        columns.text("order_id", \.payee.id.rawValue)
        columns.int8("job_id") { $0.jobID?.rawValue }
        columns.transaction(\.payment.transaction) { $0.payment.kind ?? .consumable }
        columns.timestamp("expires_at", \.payment.transaction.expiresDate)
        columns.uuid("app_account_token", \.payment.transaction.appAccountToken)
        columns.text("payment_key") { key(of: $0.payment, isOperatorDecision: isOperatorDecision).shared }
        columns.text("account_id", \.payee.account.rawValue)
        columns.uuid("order_token", \.payee.appAccountToken)
        columns.signedFacts(\.payment.transaction)
        columns.scalar(.bool(isOperatorDecision))
    }

    private static func key(of payment: PaymentFacts, isOperatorDecision: Bool) -> GrantKey {
        let isBoughtAgain = isOperatorDecision && payment.ledger?.isBoughtAgain == true && payment.kind?.isKeyedByOriginal == true
        return isBoughtAgain ? GrantKey(boughtAgain: payment.transaction) : payment.key
    }
}
