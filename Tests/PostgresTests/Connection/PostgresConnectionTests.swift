// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Postgres

@Suite struct PostgresConnectionTests {
    @Test func statementReturnsItsRows() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let result = try await connection.execute(
                "select $1::int8 + n, $2 || n::text from generate_series(1, 3) n",
                [.int8(40), .text("row ")]
            )

            #expect(try result.map { try $0.int64(0) } == [41, 42, 43])
            #expect(try result.map { try $0.string(1) } == ["row 1", "row 2", "row 3"])
        }
    }

    @Test func concurrentCallsAreAnsweredEachWithItsOwn() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
                for number in Int64(1)...200 {
                    group.addTask {
                        (number, try await connection.execute("select $1", [.int8(number)])[0].int64(0))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.count == 200)
            #expect(answers.allSatisfy { $0.0 == $0.1 })
        }
    }

    @Test func largeStatementsAndAnswersPassInBothDirections() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let text = String(repeating: "0123456789", count: 2_000_000)

            let row = try await connection.execute("select $1, md5($1)", [.text(text)])[0]

            #expect(try row.string(0) == text)
            #expect(try row.string(1).count == 32)
        }
    }

    @Test func errorOfTheServerKeepsSQLStateAndConstraintButNoRowValues() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    """
                    create table secrets (
                        id text constraint ids_are_unique primary key,
                        n int constraint n_is_positive check (n > 0)
                    )
                    """
                )
                let insert = PostgresStatement(name: "insert_secret", sql: "insert into secrets values ($1, $2)")
                _ = try await connection.execute(insert, ["hunter2", .int4(1)])

                let duplicate = await #expect(throws: PostgresError.self) {
                    try await connection.execute(insert, ["hunter2", .int4(1)])
                }
                let negative = await #expect(throws: PostgresError.self) {
                    try await connection.execute(insert, ["other", .int4(-4711)])
                }

                #expect(duplicate?.kind == .server)
                #expect(duplicate?.sqlState == .uniqueViolation)
                #expect(duplicate?.constraint == "ids_are_unique")
                #expect(duplicate?.statementName == "insert_secret")
                #expect(duplicate.map { String(reflecting: $0) + $0.description }?.contains("hunter2") == false)
                #expect(negative?.sqlState == .checkViolation)
                #expect(negative?.constraint == "n_is_positive")
                #expect(negative.map { String(reflecting: $0) + $0.description }?.contains("4711") == false)
            }
        }
    }

    @Test(arguments: [
        ("select * from nowhere", SQLState.undefinedTable), ("selec", .syntaxError),
        ("select * from nowhere.at_all", .undefinedTable), ("select nothing", .undefinedColumn),
        ("select f()", .undefinedFunction), ("select 'a'::int", .invalidTextRepresentation),
        ("create table nowhere.t ()", .invalidSchemaName), ("do $$ begin raise 'no'; end $$", .raiseException),
        ("select 1; select 2", .syntaxError),
    ])
    func refusedStatementLeavesTheConnectionUsable(sql: String, state: SQLState) async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let error = await #expect(throws: PostgresError.self) { try await connection.execute(sql) }

            #expect(error?.kind == .server)
            #expect(error?.sqlState == state)
            #expect(await connection.isUsable)
            let result = try await connection.execute("select 1")
            #expect(result.count == 1)
        }
    }

    @Test func scriptRunsAllItsStatements() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    """
                    create table numbers (n int);
                    insert into numbers values (1), (2); -- a comment; with a semicolon
                    select * from numbers;
                    do $$ begin raise notice 'nobody hears this'; end $$;
                    """
                )

                let result = try await connection.execute("select sum(n) from numbers")
                #expect(try result[0].int64(0) == 3)
            }
        }
    }

    @Test func scriptWithAnErrorDoesNothing() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                let error = await #expect(throws: PostgresError.self) {
                    try await connection.executeScript("create table numbers (n int); select 1/0; select 1")
                }

                #expect(error?.sqlState == SQLState(rawValue: "22012"))
                let result = try await connection.execute("select to_regclass('numbers') is null")
                #expect(try result[0].bool(0))
            }
        }
    }

    @Test func deadlineCancelsTheStatementOnTheServer() async throws {
        let url = try await TestServer.url()
        try await PostgresConnection.withConnection(to: url) { connection in
            let pid = try await connection.execute("select pg_backend_pid()")[0].int32(0)

            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("select pg_sleep(3600)", timeout: .milliseconds(50))
            }

            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == .queryCanceled)
            #expect(error?.statementName == "test")
            try await PostgresConnection.withConnection(to: url) { observer in
                let state = try await observer.execute(
                    "select state from pg_stat_activity where pid = $1", [.int4(pid)])
                #expect(try state.first?.string(0) == "idle")
            }
            let result = try await connection.execute("select pg_backend_pid()")
            #expect(try result[0].int32(0) == pid)
        }
    }

    @Test func deadlineOfTheConfigurationHoldsWhenNoneIsGiven() async throws {
        var configuration = try PostgresConfiguration(url: await TestServer.url())
        configuration.statementTimeout = .milliseconds(50)
        configuration.cancellationGrace = .milliseconds(500)
        let connection = try await PostgresConnection.connect(configuration, logger: .test)

        let error = await #expect(throws: PostgresError.self) { try await connection.execute("select pg_sleep(3600)") }
        let scriptError = await #expect(throws: PostgresError.self) {
            try await connection.executeScript("select pg_sleep(3600)")
        }

        #expect(error?.kind == .timedOut)
        // It may commit.
        #expect(scriptError?.kind == .outcomeUnknown)
        await connection.close()
    }

    @Test func deadlineAlsoCountsForCallsThatWaitTheirTurn() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            async let long = connection.execute("select pg_sleep(0.3)", timeout: .seconds(60))
            // Sent behind it, as the calls of one connection are.
            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.execute("select pg_sleep(3600)", timeout: .milliseconds(50))
            }

            let answer = try await long
            #expect(error?.kind == .timedOut)
            #expect(answer.count == 1)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func callWithoutTimeIsNotSent(timeout: Duration) async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("select 1", timeout: timeout)
            }

            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == nil)
        }
    }

    @Test func cancelledTaskCancelsTheStatementOnTheServer() async throws {
        let url = try await TestServer.url()
        try await PostgresConnection.withConnection(to: url) { connection in
            let pid = try await connection.execute("select pg_backend_pid()")[0].int32(0)
            let task = Task { try await connection.execute("select pg_sleep(3600)") }
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(Self.isAsleep, [.int4(pid)])

                task.cancel()

                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.kind == .cancelled)
                #expect(error?.sqlState == .queryCanceled)
                try await observer.waitUntil("not \(Self.isAsleep)", [.int4(pid)])
            }
            let result = try await connection.execute("select pg_backend_pid()")
            #expect(try result[0].int32(0) == pid)
        }
    }

    @Test func cancelledTaskSendsNothing() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await connection.execute("select 1")
            }

            let error = await #expect(throws: PostgresError.self) { try await task.value }

            #expect(error?.kind == .cancelled)
            #expect(error?.sqlState == nil)
        }
    }

    @Test func cancellationNeverHitsTheNextStatement() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            for round in 0..<50 {
                _ = try? await connection.execute(
                    "select pg_sleep(0.002)",
                    timeout: .microseconds(1500 + 20 * round)
                )

                let result = try await connection.execute("select pg_sleep(0.001), 1", timeout: .seconds(60))

                #expect(result.count == 1)
            }
        }
    }

    @Test func terminatedBackendIsAConnectionLoss() async throws {
        let url = try await TestServer.url()
        try await PostgresConnection.withConnection(to: url) { connection in
            let pid = try await connection.execute("select pg_backend_pid()")[0].int32(0)
            let long = Task { try await connection.execute("select pg_sleep(3600)") }
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.waitUntil(Self.isAsleep, [.int4(pid)])
                _ = try await observer.execute("select pg_terminate_backend($1)", [.int4(pid)])
            }

            let error = await #expect(throws: PostgresError.self) { try await long.value }

            #expect(error?.kind == .connectionLost)
            #expect(error?.sqlState == .adminShutdown)
            #expect(error?.isConnectionLoss == true)
            #expect(await !connection.isUsable)
            let later = await #expect(throws: PostgresError.self) { try await connection.execute("select 1") }
            #expect(later?.kind == .connectionLost)
        }
    }

    @Test func connectionThatBreaksWhileIdleIsNoticedWithoutACall() async throws {
        let url = try await TestServer.url()
        try await PostgresConnection.withConnection(to: url) { connection in
            let pid = try await connection.execute("select pg_backend_pid()")[0].int32(0)
            try await PostgresConnection.withConnection(to: url) { observer in
                _ = try await observer.execute("select pg_terminate_backend($1)", [.int4(pid)])
                while await connection.isUsable {
                    try await observer.waitUntil("true")
                }
            }

            let error = await #expect(throws: PostgresError.self) { try await connection.execute("select 1") }

            #expect(error?.kind == .connectionLost)
        }
    }

    @Test func closingFailsTheCallsThatWait() async throws {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: await TestServer.url()),
            logger: .test
        )
        let running = Task { try await connection.execute("select pg_sleep(3600)") }
        try await eventually("the first call runs") { await connection.waitingCount == 1 }
        let waiting = Task { try await connection.execute("select 1") }
        try await eventually("both calls wait") { await connection.waitingCount == 2 }

        await connection.close()

        for task in [running, waiting] {
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .closed)
        }
        let later = await #expect(throws: PostgresError.self) { try await connection.execute("select 1") }
        #expect(later?.kind == .closed)
        await connection.close()
    }

    @Test func connectionThatIsLetGoLeavesTheServer() async throws {
        let url = try await TestServer.url()
        let configuration = try PostgresConfiguration(url: url)
        let pid = try await {
            let connection = try await PostgresConnection.connect(configuration, logger: .test)
            return try await connection.execute("select pg_backend_pid()")[0].int32(0)
        }()

        try await PostgresConnection.withConnection(to: url) { observer in
            try await observer.waitUntil("not exists (select from pg_stat_activity where pid = $1)", [.int4(pid)])
        }
    }

    @Test func copyIsAProtocolViolationAndEndsTheConnection() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.executeScript("copy (select 1) to stdout")
            }

            #expect(error?.kind == .protocolViolation)
            #expect(await !connection.isUsable)
        }
    }

    @Test func readOnlyServerRetiresTheConnection() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            _ = try await connection.execute("begin read only")
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("create table t ()")
            }
            _ = try await connection.execute("rollback")

            #expect(error?.sqlState == .readOnlyTransaction)
            #expect(error?.isConnectionLoss == true)
            #expect(await !connection.isUsable)
        }
    }

    private static let isAsleep =
        "exists (select from pg_stat_activity where pid = $1 and state = 'active' and wait_event = 'PgSleep')"
}
