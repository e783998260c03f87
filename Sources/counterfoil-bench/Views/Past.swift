// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import VerificationQueue

/// A past of orders, grants and attempts over sixty days, with what workers would have counted of it.
struct Past: Sendable {
    let orders: Int64
    /// Of each order.
    let attempts: Int32

    static let days: Int32 = 60

    /// The last hours are counted by the workers' own routine, the rest at once.
    private static let hoursToCount: Int32 = 3

    /// Fills the tables, in parts that each commit.
    func fill(_ database: BenchDatabase) async throws {
        _ = try await database.pool.execute(BenchStatement.makePastPartitions)
        for part in (1...orders).parts(of: 500_000) {
            Progress.say("past orders up to \(part.upperBound)")
            let range: [PostgresParameter] = [.text(Self.id(part.lowerBound)), .text(Self.id(part.upperBound))]
            try await database.pool.withTransaction { connection in
                _ = try await connection.execute(BenchStatement.skipTriggers)
                let steps: [(PostgresStatement, [PostgresParameter])] = [
                    (
                        BenchStatement.insertPastOrders,
                        [.int8(part.lowerBound), .int8(part.upperBound), .int8(orders), .int4(Self.days)]
                    ),
                    (BenchStatement.insertPastGrants, range + [.int4(attempts)]), (BenchStatement.insertPastReviews, range),
                    (BenchStatement.insertPastAttempts, range + [.int4(attempts)]),
                ]
                for (statement, parameters) in steps {
                    _ = try await connection.execute(statement, parameters, timeout: .seconds(1800))
                }
            }
        }
        Progress.say("statistics")
        _ = try await database.pool.execute(BenchStatement.vacuumEverything, timeout: .seconds(3600))
    }

    /// Counts it as workers would have.
    ///
    /// - Returns: attempts that a worker's routine counted, and the seconds that it took.
    func count(_ database: BenchDatabase) async throws -> (attempts: Int, seconds: Double) {
        _ = try await database.pool.execute(BenchStatement.startCounting, [.int4(Self.hoursToCount)])
        for statement in [
            BenchStatement.countPastAttemptsByMinute, BenchStatement.countPastAttemptsByHour,
            BenchStatement.countPastLatenciesByMinute, BenchStatement.countPastLatenciesByHour,
            BenchStatement.countPastProductsByMinute, BenchStatement.countPastProductsByHour,
            BenchStatement.countPastSuspicions,
        ] {
            Progress.say(statement.name)
            _ = try await database.pool.execute(statement, timeout: .seconds(3600))
        }
        Progress.say("roll-ups")
        let start = ContinuousClock.now
        let before = try await counted(database)
        try await database.rollUp()
        let seconds = start.duration(to: .now).seconds
        _ = try await database.pool.execute(BenchStatement.vacuumEverything, timeout: .seconds(3600))
        return (try await counted(database) - before, seconds)
    }

    private func counted(_ database: BenchDatabase) async throws -> Int {
        Int(try await database.pool.execute(BenchStatement.countCountedAttempts)[0].int64(0))
    }

    /// The id of an order of the past.
    static func id(_ number: Int64) -> String {
        let digits = String(number)
        return "past-" + String(repeating: "0", count: 10 - digits.count) + digits
    }
}
