// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Postgres
import Schema
import ServiceLifecycle
import Synchronization
import VerificationQueue

/// Reads the feed for the gateway itself, and wakes those who wait for what it tells. Nothing depends on it: a wait also looks by
/// itself.
package final class FeedWatch: Service {
    private static let channel = "counterfoil_changes"
    private static let timeout = Duration.seconds(5)
    private static let page = 1000
    /// Between two reads where signals don't arrive.
    private static let interval = Duration.milliseconds(500)
    /// Between two reads where they do.
    private static let shortestInterval = Duration.milliseconds(10)

    private let pool: PostgresPool
    private let listener: PostgresListener
    private let room: WaitRoom
    private let logger: Logger
    private let cursor = Mutex<String?>(nil)
    private let signals = Bell()
    /// Rings with the orders of which changes were read.
    package let news = Bell()

    package init(pool: PostgresPool, listening configuration: PostgresConfiguration, room: WaitRoom, logger: Logger) {
        self.pool = pool
        listener = PostgresListener(configuration: configuration, channels: [Self.channel], logger: logger)
        self.room = room
        self.logger = logger
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in listener.cancelOnGracefulShutdown() { signals.ring() }
            }
            group.addTask { [self] in
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    let (turn, began) = (signals.turn, ContinuousClock.now)
                    await read()
                    try? await Task.sleep(until: began + Self.shortestInterval)
                    await signals.wait(since: turn, until: began + Self.interval)
                }
            }
        }
    }

    private func read() async {
        do {
            guard let known = cursor.withLock({ $0 }) else {
                return try await begin()
            }
            let rows = try await pool.execute(
                SQLFile.callChangesSince.statement, [.text(known), .int4(Int32(Self.page))], timeout: Self.timeout)
            guard let next = try rows.last?.string(13) else { return }
            cursor.withLock { $0 = next }
            let orders = Set(try rows.compactMap { try $0.optionalString(3) })
            room.wake(orders: orders)
            news.ring(of: orders)
            // There may be more.
            if rows.count == Self.page { signals.ring() }
        } catch {
            // Also a cursor that a failover made unknown.
            cursor.withLock { $0 = nil }
            logger.debug("the gateway can't read the feed", metadata: ["error": "\(error)"])
        }
    }

    private func begin() async throws {
        let rows = try await pool.execute(SQLFile.callChangesFrom.statement, [.text("infinity")], timeout: Self.timeout)
        let start = try rows.first?.string(0)
        cursor.withLock { $0 = start }
    }
}
