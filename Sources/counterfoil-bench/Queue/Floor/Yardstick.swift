// SPDX-License-Identifier: Apache-2.0

import EventSources
import Postgres
import PrivatePostgres
import Synchronization
import Verification

/// The path of a job as it was before it had the short path, in a database of its own on the bench's server.
///
/// It holds the tables, indexes, checks, triggers and statements of that time (SQL/Yardstick), and doesn't follow the product: a
/// share of its cost is worth more than a time, which moves with the machine from hour to hour.
final class Yardstick: Sendable {
    static let databaseName = "yardstick"

    /// As superuser.
    let pool: PostgresPool
    private let lanes: [LaneID]
    private let lastNumber = Mutex<Int64>(0)

    /// Runs `body` with the yardstick on that server.
    static func withYardstick<Success: Sendable>(
        on database: BenchDatabase, _ body: (Yardstick) async throws -> Success
    ) async throws -> Success {
        _ = try await database.pool.execute(BenchStatement.makeYardstickDatabase, timeout: .seconds(60))
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: database.server.url(database: databaseName)), size: 1,
            logger: database.logger)
        return try await endingLast(pool.close) {
            try await pool.withConnection { connection in
                for script in [
                    BenchStatement.makeYardstickTables, BenchStatement.makeYardstickRoutines, BenchStatement.makeYardstickApps,
                ] {
                    try await connection.executeScript(script.sql)
                }
            }
            let lanes = try await pool.execute(BenchStatement.listYardstickLanes).map { LaneID(rawValue: try $0.int32(0)) }
            return try await body(Yardstick(pool: pool, lanes: lanes))
        }
    }

    private init(pool: PostgresPool, lanes: [LaneID]) {
        self.pool = pool
        self.lanes = lanes
    }

    func script(batch: Int, of product: BenchProduct) -> FloorScript {
        FloorScript(lanes: lanes, batch: batch, product: product, statements: YardstickStatements.self)
    }

    /// Orders and jobs for a drain, in the condition in which ``BenchDatabase/fill(_:of:)`` leaves the product's tables.
    func fill(_ count: Int, of product: BenchProduct) async throws {
        _ = try await pool.execute(BenchStatement.checkpoint, timeout: .seconds(300))
        let last = lastNumber.withLock { last in
            last += Int64(count)
            return last
        }
        for part in (last - Int64(count) + 1...last).parts(of: 20_000) {
            _ = try await pool.execute(
                BenchStatement.fillYardstick, [.int8(part.lowerBound), .int8(part.upperBound), .text(product.rawValue)],
                timeout: .seconds(120))
        }
        _ = try await pool.execute(BenchStatement.vacuumYardstick, timeout: .seconds(300))
    }

    /// Leaves an empty queue.
    func clear() async throws {
        _ = try await pool.execute(BenchStatement.clearJobs)
    }
}
