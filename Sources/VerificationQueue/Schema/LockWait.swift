// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Schema

/// A migration's wait for what others hold. It holds nothing itself meanwhile, so that nobody waits behind it.
struct LockWait {
    /// How long a migration waits for a lock before it lets go of all that it has: well below `deadlock_timeout`.
    static let longestLock = "300ms"

    private let holders: SQLFile
    private let longest: Duration
    private let logger: Logger
    private let start = ContinuousClock.now
    private var hasTold = false

    /// - Parameters:
    ///   - holders: finds who holds what is waited for.
    ///   - longest: how long to wait in all.
    init(holders: SQLFile, longest: Duration, logger: Logger) {
        self.holders = holders
        self.longest = longest
        self.logger = logger
    }

    /// Waits a moment before the next try. After a second the log says who holds what is waited for.
    ///
    /// - Throws: ``SchemaMigrator/Problem/lockIsHeld(holders:)`` when it was waited for long enough.
    mutating func again(_ connection: PostgresConnection) async throws {
        let waited = start.duration(to: .now)
        if waited >= longest { throw SchemaMigrator.Problem.lockIsHeld(holders: try await Self.list(holders, connection)) }
        if !hasTold, waited >= .seconds(1) {
            hasTold = true
            let found = try await Self.list(holders, connection)
            logger.notice(
                "waiting for others, who hold what a migration needs", metadata: ["holders": "\(Self.describe(found))"])
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
    }

    static func list(_ holders: SQLFile, _ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(holders.statement).map { try $0.string(0) }
    }

    static func describe(_ holders: [String]) -> String {
        holders.isEmpty ? "nobody whom this role can see" : holders.joined(separator: ", ")
    }
}
