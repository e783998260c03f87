// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema

/// What operators and chores do with notifications, besides the settlement of their jobs.
package struct NotificationStore: Sendable {
    /// The columns of `replay_notifications.sql`.
    enum ReplayedColumn: Int, RowColumn { case id, isQueued }

    /// The most of one database transaction.
    private static let batch: Int32 = 500

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Queues notifications again. What the ledger holds isn't written twice.
    ///
    /// - Parameters:
    ///   - notification: a row's id, or Apple's uuid; nil: all.
    ///   - bundle: an app; nil: any.
    /// - Returns: how many there were, and how many of them weren't waiting already.
    package func replay(
        _ notification: String?, of bundle: String?, since: PostgresTimestamp?
    ) async throws -> (found: Int, queued: Int) {
        var last = Int64.min
        var found = 0
        var queued = 0
        while true {
            let rows = try await pool.execute(
                SQLFile.replayNotifications.statement,
                [.text(notification), .text(bundle), .timestamp(since), .int4(Self.batch), .int8(last)]
            ).map { $0.named(by: ReplayedColumn.self) }
            found += rows.count
            queued += try rows.count { try $0.bool(.isQueued) }
            guard rows.count == Self.batch, let greatest = rows.last else { return (found, queued) }
            last = try greatest.int64(.id)
        }
    }

    /// Makes catch-ups due.
    ///
    /// - Parameters:
    ///   - bundle: of this app; nil: of all.
    ///   - all: for all that Apple remembers, and not only for what didn't arrive since the last time.
    /// - Returns: how many.
    package func askForCatchUps(of bundle: String?, all: Bool) async throws(PostgresError) -> Int {
        try await pool.execute(SQLFile.askForCatchUps.statement, [.text(bundle), .bool(all)]).affectedRows
    }

    /// Empties notifications that are older than `retention`, in small batches. Their rows stay.
    package func prune(olderThan retention: Duration, batch: Int = 500) async throws(PostgresError) {
        while !Task.isCancelled {
            let emptied = try await pool.execute(
                SQLFile.pruneNotifications.statement, [.double(retention.seconds), .int4(Int32(clamping: batch))]
            ).affectedRows
            guard emptied >= batch else { return }
        }
    }
}
