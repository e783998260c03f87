// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// The fence's answer about each job of a batch.
struct FencedJobs {
    /// The columns of `lock_settling_jobs.sql`.
    enum Column: Int, RowColumn { case jobID, isHeld }

    enum LeaseState {
        /// The lease is held, and the job is ours to settle.
        case leased
        /// The lease is held, and somebody else has locked the job or its order.
        case locked
        /// Another worker holds the job, or it is gone.
        case lost
    }

    /// Nil if all are leased: the common case, and saves the look-ups.
    private var states: [JobID: LeaseState]?

    /// - Parameters:
    ///   - rows: one for each job whose lease is held.
    ///   - count: the number of jobs.
    init(_ rows: PostgresResult, of count: Int) throws(PostgresError) {
        var states = [JobID: LeaseState](minimumCapacity: rows.count)
        var areLeased = rows.count == count
        for row in rows {
            let columns = row.named(by: Column.self)
            let isHeld = try columns.bool(.isHeld)
            areLeased = areLeased && !isHeld
            states[JobID(rawValue: try columns.int64(.jobID))] = isHeld ? .locked : .leased
        }
        self.states = areLeased ? nil : states
    }

    subscript(job: JobID) -> LeaseState {
        guard let states else { return .leased }
        return states[job] ?? .lost
    }
}
