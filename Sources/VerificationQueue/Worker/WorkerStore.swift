// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres
import Schema

/// Writes a worker's own row, and does the chores that any worker may do.
package struct WorkerStore: Sendable {
    private let pool: PostgresPool
    private let identity: WorkerIdentity

    package init(pool: PostgresPool, identity: WorkerIdentity) {
        self.pool = pool
        self.identity = identity
    }

    /// - Returns: also the hosts of other workers of the same name that live, or did until a minute ago; nil where there are none.
    package func register(slots: Int) async throws(PostgresError) -> (id: WorkerID, namesakes: String?) {
        while true {
            let rows = try await pool.execute(
                SQLFile.registerWorker.statement,
                [
                    .text(identity.name), .text(identity.host), .int4(identity.processID), .text(identity.version),
                    .int4(Int32(clamping: slots)),
                ]
            )
            // Else that id is taken, and the next statement takes the next one.
            if let row = rows.first { return (WorkerID(rawValue: try row.int64(0)), try row.optionalString(1)) }
        }
    }

    /// - Returns: the server's time; nil where the row of this id is another worker's.
    package func beat(_ worker: WorkerID, slots: Int, running: Int) async throws(PostgresError) -> Date? {
        let rows = try await pool.execute(
            SQLFile.beatWorker.statement,
            [
                .int8(worker.rawValue), .text(identity.name), .text(identity.host), .int4(identity.processID),
                .text(identity.version), .int4(Int32(clamping: slots)), .int4(Int32(clamping: running)),
            ]
        )
        return try rows.first?.timestamp(0).date
    }

    /// Brings times of jobs back that were written while the server's clock was ahead.
    ///
    /// - Returns: how many jobs.
    package func bringTimesBack(batch: Int = 500) async throws(PostgresError) -> Int {
        var brought = 0
        while !Task.isCancelled {
            let rows = try await pool.execute(SQLFile.bringTimesBack.statement, [.int4(Int32(clamping: batch))]).count
            brought += rows
            if rows < batch { break }
        }
        return brought
    }

    package func remove(_ worker: WorkerID) async throws(PostgresError) {
        _ = try await pool.execute(SQLFile.removeWorker.statement, [.int8(worker.rawValue)], timeout: .seconds(2))
    }

    /// Makes the partitions of the history and of the feed for this month and the next two.
    package func makePartitions() async throws(PostgresError) {
        _ = try await pool.execute(SQLFile.callMakePartitions.statement)
    }

    /// Removes proofs that were kept for longer than `retention`, in small batches.
    package func pruneProofs(olderThan retention: Duration, batch: Int = 500) async throws(PostgresError) {
        while !Task.isCancelled {
            let removed = try await pool.execute(
                SQLFile.pruneProofs.statement, [.double(retention.seconds), .int4(Int32(clamping: batch))]
            ).affectedRows
            guard removed >= batch else { return }
        }
    }

    /// Leaves orders to a person that have waited for the renewal after a downgrade for ``SettlementStore/renewalPatience``.
    package func reviewAwaitedRenewals(batch: Int = 500) async throws(PostgresError) {
        while !Task.isCancelled {
            let over = try await pool.execute(SQLFile.reviewAwaitedRenewals.statement, [.int4(Int32(clamping: batch))]).affectedRows
            guard over >= batch else { return }
        }
    }

    /// Counts every minute that is over for the dashboards, a little at a time.
    ///
    /// Returns early when another worker counts. A minute whose count a crash interrupts is counted again; each minute
    /// enters the totals once.
    package func rollUp() async throws {
        while !Task.isCancelled {
            guard try await pool.execute(SQLFile.callRollUp.statement)[0].int32(0) > 0 else { return }
        }
    }

    /// Drops the history of attempts that is older than `retention`, a partition at a time. A partition that others use
    /// is left for the next time.
    package func dropAttempts(olderThan retention: Duration) async throws {
        try await drop(.callDropOldAttempts, olderThan: retention)
    }

    /// Drops changes of the feed that are older than `retention`, as ``dropAttempts(olderThan:)`` drops attempts. The database
    /// keeps 30 days of them in any case.
    package func dropChanges(olderThan retention: Duration) async throws {
        try await drop(.callDropOldChanges, olderThan: retention)
    }

    private func drop(_ partition: SQLFile, olderThan retention: Duration) async throws {
        while !Task.isCancelled {
            let dropped = try await pool.execute(partition.statement, [.double(retention.seconds)])
            guard try dropped[0].int32(0) > 0 else { return }
        }
    }

    /// Removes counts that are older than their retention, in small batches.
    package func pruneRollUps(
        minutesOlderThan minutes: Duration, hoursOlderThan hours: Duration, batch: Int32 = 1000
    ) async throws {
        while !Task.isCancelled {
            let removed = try await pool.execute(
                SQLFile.callPruneRollUps.statement, [.double(minutes.seconds), .double(hours.seconds), .int4(batch)])
            guard try removed[0].int32(0) >= batch else { return }
        }
    }

    /// Signals to those who listen that the feed may have something new.
    package func signalChanges() async throws(PostgresError) {
        _ = try await pool.execute(SQLFile.signalChanges.statement)
    }

    /// Removes the rows of workers that were silent for a day.
    package func removeSilentWorkers() async throws(PostgresError) {
        _ = try await pool.execute(SQLFile.removeWorker.statement, [.int8(nil)])
    }
}
