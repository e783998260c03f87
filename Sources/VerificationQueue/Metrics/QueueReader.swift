// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// Counts the queue for metrics, at a cost that doesn't grow with it.
struct QueueReader: Sendable {
    /// The most jobs of one state behind gates of one kind that are counted.
    static let countLimit = 10_000

    let pool: PostgresPool

    func read() async throws(PostgresError) -> QueueReading {
        let rows = try await pool.execute(
            SQLFile.measureQueue.statement, [.int4(Int32(Self.countLimit))], timeout: .seconds(5))
        var reading = QueueReading()
        for row in rows {
            let value = try row.double(3)
            switch try row.string(0) {
            case "jobs":
                let kind = QueueCount.Kind(state: try row.string(1), reason: try row.string(2))
                reading.counts.append(QueueCount(kind: kind, jobs: Int(value)))
            case "oldest":
                if try row.string(1) == "available" {
                    reading.oldestAvailable = value
                } else {
                    reading.oldestParked = value
                }
            default:
                guard let endpoint = Budget.Endpoint(rawValue: try row.string(1)),
                    let environment = AppStoreEnvironment(rawValue: try row.string(2))
                else { continue }
                reading.callsReservedAhead[endpoint, default: [:]][environment] = value
            }
        }
        return reading
    }
}
