// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// Counts the queue for metrics, at a cost that doesn't grow with it.
struct QueueReader: Sendable {
    /// The most jobs of one state behind gates of one kind that are counted.
    static let countLimit = 10_000

    /// The columns of `measure_queue.sql`. For reserved calls, `state` is the endpoint and `reason` the environment; for bytes,
    /// `state` is the table.
    enum Column: Int, RowColumn { case what, state, reason, value }

    /// The columns of `find_rising_rejections.sql`.
    enum RejectionColumn: Int, RowColumn { case reason, accounts }

    let pool: PostgresPool

    /// The accounts whose proofs were rejected, by each reason that has become more frequent than chance explains.
    func readRisingRejections() async throws(PostgresError) -> [String: Double] {
        let rows = try await pool.execute(SQLFile.findRisingRejections.statement, [], timeout: .seconds(5))
        var accounts: [String: Double] = [:]
        for row in rows {
            let columns = row.named(by: RejectionColumn.self)
            accounts[try columns.string(.reason)] = try columns.double(.accounts)
        }
        return accounts
    }

    func read() async throws(PostgresError) -> QueueReading {
        let rows = try await pool.execute(
            SQLFile.measureQueue.statement, [.int4(Int32(Self.countLimit))], timeout: .seconds(5))
        var reading = QueueReading()
        for row in rows {
            let columns = row.named(by: Column.self)
            let value = try columns.double(.value)
            let (state, reason) = (try columns.string(.state), try columns.string(.reason))
            switch try columns.string(.what) {
            case "jobs":
                let kind = QueueCount.Kind(state: state, reason: reason)
                reading.counts.append(QueueCount(kind: kind, jobs: Int(value)))
            case "oldest":
                if state == "available" {
                    reading.oldestAvailable = value
                } else {
                    reading.oldestParked = value
                }
            case "bytes":
                if state == "jobs" {
                    reading.bytesOfJobs = value
                } else {
                    reading.bytesOfKeptProofs = value
                }
            default:
                guard let endpoint = Budget.Endpoint(rawValue: state), let environment = AppStoreEnvironment(rawValue: reason)
                else { continue }
                reading.callsReservedAhead[endpoint, default: [:]][environment] = value
            }
        }
        return reading
    }
}
