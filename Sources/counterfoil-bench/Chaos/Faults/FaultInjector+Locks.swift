// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Postgres
import Rehearsal

/// Locks of others, and what is played for the orders that they hold.
extension FaultInjector {
    /// A migration that changes nothing, and is held up by nobody, may take so long on a busy machine.
    private static let longestMigration = Duration.seconds(10)

    /// Places the orders, holds what they need, and plays them from then on.
    func hold(_ hold: Hold, for duration: Duration, _ kind: FaultKind) async throws {
        let deadline = ContinuousClock.now + environment.settings.load + environment.settings.patience
        for order in held.flatMap(\.orders) { try await environment.shop.place(order) }
        let (isHeld, holding) = AsyncStream<Never>.makeStream()
        async let times: (Date, Date) = {
            defer { holding.finish() }
            return try await self.withHeld(hold) {
                let (beginning, start) = (Date(), ContinuousClock.now)
                holding.finish()
                if case .advisoryLocks = hold { try await self.migrateMeanwhile() }
                try await Task.sleep(until: start + duration)
                return (beginning, Date())
            }
        }()
        for await _ in isHeld {}
        try await withThrowingTaskGroup(of: Void.self) { group in
            for purchase in held {
                var rest = purchase
                rest.steps.removeFirst()
                let player = environment.player(of: rest, until: deadline)
                group.addTask { [player] in
                    var player = player
                    self.keep(try await player.play(), of: purchase)
                }
            }
            try await group.waitForAll()
        }
        let (beginning, end) = try await times
        let seconds = Double(Int(max(0, Date().timeIntervalSince(end)) * 10)) / 10
        note(
            kind, .none, since: beginning, until: end,
            remark: "\(held.count) held orders were at rest \(seconds) s after \(Int(end.timeIntervalSince(beginning))) s")
    }

    private func withHeld<Success: Sendable>(
        _ hold: Hold, _ body: () async throws -> Success
    ) async throws -> Success {
        switch hold {
        case .cancelledOrders:
            let orders = held.flatMap(\.orders)
            return try await withTransaction(as: "counterfoil_backend") { connection in
                for order in orders {
                    _ = try await connection.execute(RehearsalSQL.cancelOrder, [.text(order.id), .text("a mistake")])
                }
            } _: {
                try await body()
            }
        case .advisoryLocks:
            _ = try await environment.overseer.execute(ChaosSQL.makeStranger)
            let payments = held.flatMap(\.transactions)
            return try await withTransaction(as: "stranger") { connection in
                _ = try await connection.execute(
                    ChaosSQL.holdAdvisoryLocks,
                    [
                        .textArray(payments.map(\.app.bundleID)), .textArray(payments.map(\.environment.rawValue)),
                        .textArray(payments.map(\.originalID)),
                    ])
            } _: {
                try await body()
            }
        }
    }

    /// Locks something in a database transaction of its own, leaves that idle while `body` runs, and rolls it back.
    private func withTransaction<Success: Sendable>(
        as user: String, locking lock: (PostgresConnection) async throws -> Void,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let configuration = try PostgresConfiguration(url: environment.servers.url(user: user))
        let connection = try await PostgresConnection.connect(configuration, logger: .bench)
        return try await endingLast(connection.close) {
            try await connection.executeScript("begin")
            try await lock(connection)
            let success = try await body()
            try await connection.executeScript("rollback")
            return success
        }
    }

    /// Migrates while others hold something that must not matter.
    private func migrateMeanwhile() async throws {
        let start = ContinuousClock.now
        _ = try await OlderProgram.migrate(environment.server, with: environment.program)
        let duration = start.duration(to: .now)
        if duration > Self.longestMigration { complain("a migration took \(duration), and may take \(Self.longestMigration)") }
    }

    func migrateBeside(for duration: Duration, _ kind: FaultKind) async throws {
        let beginning = Date()
        let end = ContinuousClock.now + duration
        var migrations = 0
        while ContinuousClock.now < end {
            try await migrateMeanwhile()
            migrations += 1
            try await Task.sleep(for: .milliseconds(500))
        }
        note(kind, .none, since: beginning, remark: "\(migrations) migrations")
    }
}
