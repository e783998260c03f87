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

    private let pool: PostgresPool
    private let listener: PostgresListener
    private let room: WaitRoom
    private let logger: Logger
    private let cursor = Mutex<String?>(nil)
    /// Rises with each signal and each change: who waits for the feed compares it.
    private let turns = Atomic<Int>(0)

    package init(pool: PostgresPool, listening configuration: PostgresConfiguration, room: WaitRoom, logger: Logger) {
        self.pool = pool
        listener = PostgresListener(configuration: configuration, channels: [Self.channel], logger: logger)
        self.room = room
        self.logger = logger
    }

    package var turn: Int { turns.load(ordering: .acquiring) }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in listener.cancelOnGracefulShutdown() { turns.add(1, ordering: .releasing) }
            }
            group.addTask { [self] in
                var seen = -1
                var last = ContinuousClock.now - Self.interval
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    if turn != seen || last + Self.interval <= .now {
                        seen = turn
                        last = .now
                        await read()
                    }
                    try? await Task.sleep(for: .milliseconds(10))
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
            for row in rows {
                if let order = try row.optionalString(3) { room.wake(order: order) }
            }
            guard let next = try rows.last?.string(13) else { return }
            cursor.withLock { $0 = next }
            turns.add(1, ordering: .releasing)
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
