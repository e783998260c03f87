// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Postgres

@Suite struct PostgresTransactionTests {
    private struct OwnError: Error {}

    /// A database with an empty table `numbers`.
    private func withNumbers(_ body: (_ url: String, PostgresConnection) async throws -> Void) async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    "create table numbers (n int constraint n_is_positive check (n > 0))")
                try await body(url, connection)
            }
        }
    }

    private func expectCount(
        _ expected: Int64,
        _ connection: PostgresConnection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let count = try await connection.execute("select count(*) from numbers")[0].int64(0)
        #expect(count == expected, sourceLocation: sourceLocation)
    }

    @Test func bodyThatReturnsIsCommitted() async throws {
        try await withNumbers { url, connection in
            let returned = try await connection.withTransaction { connection in
                try await connection.execute("insert into numbers values (1) returning n")[0].int32(0)
            }

            #expect(returned == 1)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectCount(1, other)
            }
        }
    }

    @Test func bodyThatThrowsIsRolledBack() async throws {
        try await withNumbers { _, connection in
            await #expect(throws: OwnError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    throw OwnError()
                }
            }

            try await expectCount(0, connection)
        }
    }

    @Test func refusedStatementIsRolledBack() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try await connection.execute("insert into numbers values (-1)")
                }
            }

            #expect(error?.constraint == "n_is_positive")
            try await expectCount(0, connection)
        }
    }

    @Test func hiddenErrorIsToldAtCommit() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try? await connection.execute("insert into numbers values (-1)")
                }
            }

            #expect(error?.kind == .rolledBack)
            try await expectCount(0, connection)
        }
    }

    @Test func deferredConstraintIsARefusalAtCommit() async throws {
        try await withNumbers { _, connection in
            try await connection.executeScript(
                "alter table numbers add constraint numbers_are_unique unique (n) deferrable initially deferred"
            )

            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1), (1)")
                }
            }

            #expect(error?.kind == .server)
            #expect(error?.sqlState == .uniqueViolation)
            #expect(error?.constraint == "numbers_are_unique")
            try await expectCount(0, connection)
        }
    }

    @Test func deadlineInTheBodyIsRolledBack() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try await connection.execute("select pg_sleep(3600)", timeout: .milliseconds(30))
                }
            }

            #expect(error?.kind == .timedOut)
            try await expectCount(0, connection)
        }
    }

    @Test func cancellationInTheBodyIsRolledBack() async throws {
        try await withNumbers { url, connection in
            let task = Task {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try await connection.execute("select pg_sleep(3600)")
                }
            }
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(
                    """
                    exists (select from pg_stat_activity where query = 'select pg_sleep(3600)'
                    and datname = current_database() and wait_event = 'PgSleep')
                    """
                )
            }

            task.cancel()

            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            try await expectCount(0, connection)
        }
    }

    @Test func cancellationAfterTheBodyDoesNotStopTheCommit() async throws {
        try await withNumbers { _, connection in
            let task = Task {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }

            try await task.value

            try await expectCount(1, connection)
        }
    }

    @Test func transactionsDoNotNest() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    try await connection.withTransaction { _ in }
                }
            }

            #expect(error?.kind == .protocolViolation)
            try await expectCount(0, connection)
        }
    }

    /// Two tasks share a connection; the commit of one takes a while.
    @Test func noneBeginsWhileAnotherCommits() async throws {
        try await withNumbers { _, connection in
            try await connection.executeScript(
                """
                create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end';
                create constraint trigger slow after insert on numbers deferrable initially deferred
                    for each row when (new.n = 1) execute function wait();
                """)
            let (endsOfBodies, continuation) = AsyncStream.makeStream(of: Void.self)
            async let first: Void = connection.withTransaction { connection in
                _ = try await connection.execute("insert into numbers values (1)")
                continuation.yield()
            }
            var iterator = endsOfBodies.makeAsyncIterator()
            _ = await iterator.next()

            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (2)")
                }
            }

            try await first
            #expect(error?.kind == .protocolViolation)
            try await expectCount(1, connection)
        }
    }

    @Test func connectionLostInTheBodyIsAConnectionLoss() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try await connection.execute("select pg_terminate_backend(pg_backend_pid())")
                }
            }

            #expect(error?.kind == .connectionLost)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectCount(0, other)
            }
        }
    }

    @Test func connectionLostBeforeTheCommitIsKnownToBeRolledBack() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    _ = try? await connection.execute("select pg_terminate_backend(pg_backend_pid())")
                }
            }

            #expect(error?.kind == .connectionLost)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectCount(0, other)
            }
        }
    }

    @Test func backendTerminatedDuringTheCommitLeavesTheOutcomeUnknown() async throws {
        try await withSlowCommit { url, connection in
            let task = Task {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                }
            }
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(Self.isCommitting)
                _ = try await observer.execute(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and query = 'commit'
                    """
                )

                let error = await #expect(throws: PostgresError.self) { try await task.value }

                #expect(error?.kind == .outcomeUnknown)
                #expect(error?.sqlState == .adminShutdown)
                #expect(error?.isConnectionLoss == false)
                try await expectCount(0, observer)
            }
        }
    }

    /// By somebody else's request, while a deferred trigger runs.
    @Test func commitThatTheServerCancelledIsKnownToBeRolledBack() async throws {
        try await withSlowCommit { url, connection in
            let task = Task {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                }
            }
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(Self.isCommitting)
                _ = try await observer.execute(
                    "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and query = 'commit'")

                let error = await #expect(throws: PostgresError.self) { try await task.value }

                #expect(error?.kind == .server)
                #expect(error?.sqlState == .queryCanceled)
                try await expectCount(0, connection)
            }
        }
    }

    @Test func commitThatTakesTooLongIsOfUnknownOutcomeAndGoesOn() async throws {
        try await withSlowCommit(statementTimeout: .milliseconds(300), grace: .milliseconds(50)) { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                }
            }

            #expect(error?.kind == .outcomeUnknown)
            #expect(connection.condition == .unanswered)
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(Self.isCommitting)
            }
        }
    }

    private static let isCommitting =
        """
        exists (select from pg_stat_activity
        where datname = current_database() and query = 'commit' and wait_event = 'PgSleep')
        """

    /// A database in which a commit that inserted a number never ends by itself.
    private func withSlowCommit(
        statementTimeout: Duration = .seconds(30), grace: Duration = .seconds(60),
        _ body: (_ url: String, PostgresConnection) async throws -> Void
    ) async throws {
        try await withNumbers { url, connection in
            try await connection.executeScript(
                """
                create function sleep() returns trigger language plpgsql as $$
                begin perform pg_sleep(3600); return null; end $$;
                create constraint trigger slow_commit after insert on numbers
                deferrable initially deferred for each row execute function sleep();
                """
            )
            var configuration = try PostgresConfiguration(url: url)
            configuration.isPinned = false
            configuration.statementTimeout = statementTimeout
            configuration.cancellationGrace = grace
            let slow = try await PostgresConnection.connect(configuration, logger: .test)
            try await body(url, slow)
            await slow.close()
        }
    }
}
