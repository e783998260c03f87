// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Postgres
import Rehearsal

/// How much was done, and how fast.
struct Measurements: Equatable, Sendable {
    /// Time from the first upload for an order to its fulfilment.
    struct Latency: Equatable, Sendable {
        /// Of the proof that paid; nil for all together.
        var proofKind: String?
        var orders: Int
        /// Milliseconds: median, 95th and 99th percentile.
        var percentiles: [Double]
    }

    struct Calls: Equatable, Sendable {
        var endpoint: String
        var environment: String
        var outcome: String
        var count: Int
    }

    var jobs = 0
    /// Jobs among them that told Apple of a grant.
    var followUps = 0
    var retries = 0
    var snoozes = 0
    var releases = 0
    var rescues = 0
    /// Payments that were shown again, and granted nothing.
    var duplicates = 0
    /// From the first upload to the last settlement.
    var seconds = 0.0
    var latencies: [Latency] = []
    var calls: [Calls] = []
    var kills = 0

    var jobsPerSecond: Double { seconds > 0 ? Double(jobs) / seconds : 0 }
}

extension Measurements {
    static func read(
        _ database: PostgresPool, _ statistics: SimulatorStatistics, kills: Int
    ) async throws -> Measurements {
        var found = Measurements(kills: kills)
        let attempts = try await database.execute(RehearsalSQL.measureAttempts)[0]
        found.jobs = Int(try attempts.int64(0))
        found.retries = Int(try attempts.int64(1))
        found.snoozes = Int(try attempts.int64(2))
        found.releases = Int(try attempts.int64(3))
        found.rescues = Int(try attempts.int64(4))
        found.duplicates = Int(try attempts.int64(5))
        found.seconds = try attempts.double(6)
        found.followUps = Int(try attempts.int64(7))
        found.latencies = try await database.execute(RehearsalSQL.measureLatencies).map { row in
            Latency(
                proofKind: try row.optionalString(0), orders: Int(try row.int64(1)),
                percentiles: try row.doubleArray(2))
        }
        found.calls = statistics.ended
            .map { key, count in
                Calls(
                    endpoint: key.target.endpoint.rawValue, environment: key.target.environment.rawValue.lowercased(),
                    outcome: key.outcome.label, count: count)
            }
            .sorted {
                ($0.endpoint, $0.environment, $1.count, $0.outcome) < ($1.endpoint, $1.environment, $0.count, $1.outcome)
            }
        return found
    }
}
