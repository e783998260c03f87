// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Reads what the ledger says of candidates, outside of any settlement: a look, not a promise.
package struct LedgerReader: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One answer for each candidate, in their order.
    package func facts(of candidates: [Candidate], for order: OrderID) async throws(PostgresError) -> [LedgerFacts] {
        let rows = try await pool.execute(
            SQLFile.readLedger.statement,
            Self.parameters(candidates, orders: Array(repeating: order.rawValue, count: candidates.count)),
            timeout: AttemptRunner.databaseTimeout)
        guard rows.count == candidates.count else {
            throw PostgresError(.protocolViolation, message: "the ledger answered for another number of candidates")
        }
        var facts: [LedgerFacts] = []
        for row in rows {
            facts.append(try LedgerFacts(row))
        }
        return facts
    }

    /// The parameters of `read_ledger.sql`: an order for each candidate.
    static func parameters(_ candidates: [Candidate], orders: [String?]) -> [PostgresParameter] {
        let paid = candidates.map(\.transaction)
        return [
            .textArray(orders),
            .textArray(paid.map(\.bundleID.rawValue)),
            .textArray(paid.map(\.environment.rawValue)),
            .textArray(paid.map(\.id.rawValue)),
            .textArray(paid.map(\.originalID.rawValue)),
            .textArray(paid.map(\.webOrderLineItemID)),
            .timestampArray(paid.map { PostgresTimestamp($0.purchaseDate) }),
            .uuidArray(paid.map(\.appAccountToken)),
            .textArray(candidates.map(\.kind.rawValue)),
        ]
    }
}
