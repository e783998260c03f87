// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Queues searches for the payments of orders whose client uploaded nothing, by jobs of kind `search`.
///
/// An order is searched where its account made another purchase: by that, Apple names all that its customer bought. Whose a found payment is,
/// `order_of_payment` decides. Source: appstoreserverapi/get-transaction-history.
package struct OrderSearch: Sendable {
    private let pool: PostgresPool
    private let gates: GateCache
    private let verifier: any TransactionVerifier

    package init(pool: PostgresPool, gates: GateCache, verifier: any TransactionVerifier) {
        self.pool = pool
        self.gates = gates
        self.verifier = verifier
    }

    /// Looks at the orders that have come of age since the last time, of all workers. Of an app without a key nobody can be asked: its orders
    /// are looked at once it has one.
    package func run() async throws(PostgresError) {
        let apps = Set(gates.gates.map(\.bundleID)).filter { verifier.credential(of: $0, on: .serverAPI) != nil }
        guard !apps.isEmpty else { return }
        _ = try await pool.execute(SQLFile.insertSearchJobs.statement, [.textArray(apps.map(\.rawValue))])
    }
}
