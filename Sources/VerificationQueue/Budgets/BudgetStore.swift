// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
import Verification

/// Reserves calls in the budgets that all workers share.
package struct BudgetStore: Sendable {
    /// The columns of `reserve_calls.sql`.
    enum Column: Int, RowColumn { case firstSlotIn, spacing }

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Reserves start times for `count` calls; nil when the first would lie further ahead than `horizon`.
    package func take(_ count: Int, of budget: Budget, within horizon: Duration) async throws(PostgresError) -> Reservation? {
        let rows = try await pool.execute(
            SQLFile.reserveCalls.statement,
            [
                .text(budget.bundleID.rawValue), .text(budget.endpoint.rawValue), .text(budget.environment.rawValue),
                .int4(Int32(clamping: count)), .double(horizon.seconds),
            ],
            timeout: WorkerConfiguration.databaseTimeout
        )
        guard let columns = rows.first?.named(by: Column.self) else { return nil }
        return Reservation(
            firstCallIn: .seconds(try columns.double(.firstSlotIn)), spacing: .seconds(try columns.double(.spacing)),
            count: count)
    }
}
