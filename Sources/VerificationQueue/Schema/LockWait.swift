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
    private let endsReaders: Bool
    private let logger: Logger
    private let start = ContinuousClock.now
    private var hasTold = false
    /// Readers that this role may not end, and that the log named.
    private var warned: Set<String> = []

    /// - Parameters:
    ///   - holders: finds who holds what is waited for.
    ///   - longest: how long to wait in all.
    ///   - endsReaders: whether the sessions of readers among them are ended after a second.
    init(holders: SQLFile, longest: Duration, endsReaders: Bool = false, logger: Logger) {
        self.holders = holders
        self.longest = longest
        self.endsReaders = endsReaders
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
        if endsReaders, waited >= .seconds(1) {
            try await Self.endReaders(withSnapshots: false, connection, logger: logger, warned: &warned)
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
    }

    /// Ends readers whose database transactions are older than a second, and logs each of them.
    ///
    /// - Parameters:
    ///   - withSnapshots: whether a snapshot is enough; else those that hold a lock on something of ours.
    ///   - warned: the readers that this role may not end, each named once.
    static func endReaders(
        withSnapshots: Bool, _ connection: PostgresConnection, logger: Logger, warned: inout Set<String>
    ) async throws {
        for row in try await connection.execute(SQLFile.endReaders.statement, [.bool(withSnapshots)]) {
            let reader = try row.string(0)
            let metadata: Logger.Metadata = ["reader": "\(reader)"]
            if try row.bool(1) {
                logger.notice("ended the session of a reader, who held what a migration needs", metadata: metadata)
            } else if warned.insert(reader).inserted {
                logger.warning(
                    "this role may not end the session of a reader: grant the reader's role to it, or migrate as a superuser",
                    metadata: metadata)
            }
        }
    }

    static func list(_ holders: SQLFile, _ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(holders.statement).map { try $0.string(0) }
    }

    static func describe(_ holders: [String]) -> String {
        holders.isEmpty ? "nobody whom this role can see" : holders.joined(separator: ", ")
    }
}
