// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import InMemoryLogging
import Logging
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Who can delay a migration, and for how long.
@Suite struct MigrationLockTests {
    private typealias Problem = SchemaMigrator.Problem

    /// A role that may connect, as every role of the server may, and nothing else.
    private func withStranger(_ body: (_ role: String) async throws -> Void) async throws {
        let role = "stranger_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await TestDatabase.execute("create role \(role) login")
        do {
            try await body(role)
        } catch {
            try? await TestDatabase.execute("drop role \(role)")
            throw error
        }
        try await TestDatabase.execute("drop role \(role)")
    }

    private func makeMigrator(
        knowing migration: Migration = .compatible, longestWait: Duration = .seconds(60), log: InMemoryLogHandler? = nil,
        endsReaders: Bool = false
    ) -> SchemaMigrator {
        SchemaMigrator(
            logger: log.map { log in Logger(label: "test") { _ in log } } ?? .test, migrations: Migration.all + [migration],
            longestWait: longestWait, endsReaders: endsReaders)
    }

    /// A session that holds what every migration needs: it has read a view.
    private func hold(_ connection: PostgresConnection) async throws -> Int32 {
        try await connection.executeScript(
            """
            set idle_in_transaction_session_timeout = 0; set application_name = 'board';
            begin; select from counterfoil.order_status
            """)
        let pid = try await pid(connection)
        try await connection.waitUntil("clock_timestamp() > now() + interval '1 second'")
        return pid
    }

    private func isThere(_ pid: Int32, _ database: MigratedDatabase) async throws -> Bool {
        try await database.withConnection { connection in
            try await connection.execute("select exists (select from pg_stat_activity where pid = \(pid))")[0].bool(0)
        }
    }

    private func pid(_ connection: PostgresConnection) async throws -> Int32 {
        try await connection.execute("select pg_backend_pid()")[0].int32(0)
    }

    /// Whether an error names a process as the holder of a lock.
    private func names(_ pid: Int32, _ error: (any Error)?) -> Bool {
        switch error as? Problem {
        case .lockIsHeld(let holders), .indexIsHeldUp(let holders): holders.contains { $0.contains("process \(pid) (role ") }
        default: false
        }
    }

    /// Each lock that a version of this program took, and others.
    private static let advisoryLocks = """
        select count(pg_advisory_lock(k.key))
        from (
            select hashtextextended(name, 0) as key
            from unnest(array[
                'counterfoil.migrations', 'counterfoil.indexes', 'counterfoil.attempts', '\(Shop.bundle) production 1',
                'com.example.game production 1', 'counterfoil', 'counterfoil.jobs', 'counterfoil.orders'
            ]) as name
            union
            select generate_series(-5, 5)
        ) k
        """

    @Test(.timeLimit(.minutes(2)))
    func theAdvisoryLocksOfAStrangerDelayNothing() async throws {
        try await withStranger { role in
            try await Shop.open { shop in
                try await shop.order("a")
                let last = "'counterfoil.other_attempts_' || to_char(now() at time zone 'UTC' + interval '2 months', 'YYYY_MM')"
                try await shop.run("do $$ begin execute 'drop table ' || \(last); end $$")
                try await shop.database.withConnection(as: role) { stranger in
                    _ = try await stranger.execute(Self.advisoryLocks)

                    let indexes = makeMigrator(knowing: .concurrent, longestWait: .seconds(5))
                    #expect(try await shop.database.withConnection { try await indexes.migrate($0) } == ["9001_concurrent"])
                    #expect(try await shop.value("select to_regclass(\(last)) is not null") == "true")

                    try await shop.run("do $$ begin execute 'drop table ' || \(last); end $$")
                    try await shop.worker.executeScript("set statement_timeout = '5s'")
                    #expect(try await shop.rows("select counterfoil.make_attempt_partitions()", as: shop.worker) == ["(1)"])
                    #expect(try await shop.insertGrant("a", Payment(id: "1")))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aStrangerCannotHoldTheMigratorsLocks() async throws {
        try await withStranger { role in
            try await withMigratedDatabase { database in
                try await database.withConnection(as: role) { stranger in
                    for lock in [SQLFile.lockMigrations, .tryLockIndexes, .unlockIndexes, .callMakePartitions] {
                        let refusal = try await Refusal.of { _ = try await stranger.execute(lock.text) }
                        #expect(refusal == Refusal("42501"), "\(lock.name)")
                    }
                    let refusal = try await Refusal.of { _ = try await stranger.execute("create schema counterfoil_too") }
                    #expect(refusal == Refusal("42501"))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func whoHoldsTheLockIsNamedAfterASecond() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { holder in
                var log = InMemoryLogHandler()
                log.logLevel = .notice
                let migrator = makeMigrator(log: log)
                _ = try await holder.execute("set application_name = 'the owner''s console'")
                try await holder.executeScript("begin; \(SQLFile.lockMigrations.text)")

                async let applied = database.withConnection { try await migrator.migrate($0) }
                let entries = log
                let deadline = ContinuousClock.now + .seconds(30)
                while entries.entries.isEmpty && ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(10))
                }
                try await holder.executeScript("commit")

                #expect(try await applied == ["9001_compatible"])
                let notices = entries.entries.map { "\($0.message) \($0.metadata)" }
                #expect(notices.count == 1)
                let process = try await pid(holder)
                #expect(notices[0].hasPrefix("waiting for others, who hold what a migration needs"))
                #expect(notices[0].contains("process \(process) (role "))
                #expect(notices[0].contains("application the owner's console, in a database transaction since "))
            }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [
        SQLFile.lockMigrations.text, "lock table counterfoil.migrations", "lock table counterfoil.jobs in row exclusive mode",
        "select from counterfoil.order_facts",
    ])
    func aLockThatIsHeldTooLongEndsTheMigrationUnchanged(lock: String) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { holder in
                try await holder.executeScript("begin; \(lock)")

                let error = await #expect(throws: Problem.self) {
                    let migrator = makeMigrator(longestWait: .milliseconds(1500))
                    _ = try await database.withConnection { try await migrator.migrate($0) }
                }

                #expect(names(try await pid(holder), error), "\(String(describing: error))")
                try await holder.executeScript("commit")
                #expect(
                    try await holder.execute(
                        """
                        select not exists (
                            select from information_schema.columns
                            where table_schema = 'counterfoil' and table_name = 'jobs' and column_name = 'weight'
                        )
                        """)[0].bool(0))
                #expect(try await database.withConnection { try await makeMigrator().migrate($0) } == ["9001_compatible"])
            }
        }
    }

    /// Shops sell and workers settle while a version without a change to their tables is installed.
    @Test(.timeLimit(.minutes(2)))
    func aMigrationThatChangesNoTableWaitsForNoWriter() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { holder in
                try await holder.executeScript(
                    """
                    begin;
                    do $$
                    begin
                        execute (
                            select 'lock table ' || string_agg(c.oid::regclass::text, ', ') || ' in row exclusive mode'
                            from pg_class c
                            where c.relnamespace = 'counterfoil'::regnamespace and c.relkind in ('r', 'p')
                                and c.relname <> 'migrations'
                        );
                    end $$
                    """)
                let migrator = SchemaMigrator(logger: .test, longestWait: .seconds(3))

                #expect(try await database.withConnection { try await migrator.migrate($0) } == [])
                try await holder.executeScript("commit")
            }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [
        "drop trigger orders_are_never_deleted on counterfoil.orders",
        "alter table counterfoil.orders disable trigger orders_are_never_deleted",
        """
        create or replace trigger orders_are_never_deleted before truncate on counterfoil.orders
        for each statement execute function counterfoil.refuse_change();
        comment on trigger orders_are_never_deleted on counterfoil.orders is 'another'
        """,
    ])
    func aTriggerThatDoesNotStandIsMadeAgain(change: String) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(change)
                _ = try await connection.execute("delete from counterfoil.orders")

                _ = try await SchemaMigrator(logger: .test).migrate(connection)

                let refusal = try await Refusal.of { _ = try await connection.execute("delete from counterfoil.orders") }
                #expect(refusal != nil)
            }
        }
    }

    /// Of a reader, a role with the reader's rights, a worker, and a role that has both, the first two.
    @Test(.timeLimit(.minutes(2)))
    func onlyReadersAreEndedAndOnlyWhenAskedTo() async throws {
        try await withStranger { board in
            try await withStranger { mixed in
                try await TestDatabase.execute("grant counterfoil_reader to \(board), \(mixed)")
                try await TestDatabase.execute("grant counterfoil_worker to \(mixed)")
                try await withMigratedDatabase { database in
                    for (role, isEnded) in [
                        ("counterfoil_reader", true), (board, true), ("counterfoil_worker", false), (mixed, false),
                        ("counterfoil_support", false),
                    ] {
                        try await database.withConnection(as: role) { holder in
                            let process = try await hold(holder)
                            let unasked = await #expect(throws: Problem.self) {
                                let migrator = makeMigrator(longestWait: .milliseconds(1500))
                                _ = try await database.withConnection { try await migrator.migrate($0) }
                            }
                            #expect(names(process, unasked), "\(role): \(String(describing: unasked))")
                            #expect(try await isThere(process, database))

                            var log = InMemoryLogHandler()
                            log.logLevel = .notice
                            let migrator = makeMigrator(longestWait: .seconds(isEnded ? 30 : 2), log: log, endsReaders: true)
                            let ended = try? await database.withConnection { try await migrator.migrate($0) }

                            #expect((ended != nil) == isEnded, "\(role)")
                            #expect(try await isThere(process, database) != isEnded, "\(role)")
                            let notices = log.entries.map { "\($0.message) \($0.metadata)" }
                            let session = "process \(process) (role \(role), application board, in a database transaction since "
                            let naming = notices.filter { $0.contains(session) }
                            #expect(naming.contains { $0.hasPrefix("waiting for others") }, "\(notices)")
                            #expect(naming.contains { $0.hasPrefix("ended the session of a reader") } == isEnded, "\(notices)")
                            // What a session runs may hold a proof.
                            #expect(!notices.joined().contains("select"))
                            try? await holder.executeScript("rollback")
                        }
                        try await database.withConnection { connection in
                            try await connection.executeScript(
                                """
                                alter table counterfoil.jobs drop column if exists weight;
                                delete from counterfoil.migrations where id = 9001
                                """)
                        }
                    }
                }
            }
        }
    }

    /// A role that migrates and is no superuser ends a reader all the same, since the owner has the reader's rights.
    @Test(.timeLimit(.minutes(2)))
    func whoActsAsTheOwnerMayEndAReader() async throws {
        try await withStranger { migrator in
            try await TestDatabase.execute("grant counterfoil_owner to \(migrator)")
            try await withMigratedDatabase { database in
                try await database.withConnection(as: "counterfoil_reader") { holder in
                    let process = try await hold(holder)

                    let applied = try await database.withConnection(as: migrator) {
                        try await makeMigrator(longestWait: .seconds(30), endsReaders: true).migrate($0)
                    }

                    #expect(applied == ["9001_compatible"])
                    #expect(try await !isThere(process, database))
                }
            }
        }
    }

    /// It holds no lock on anything of ours, and an index waits for its snapshot.
    @Test(.timeLimit(.minutes(2)))
    func aReadersSnapshotThatHoldsAnIndexUpIsEnded() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection(as: "counterfoil_reader") { holder in
                try await holder.executeScript(
                    "set idle_in_transaction_session_timeout = 0; begin isolation level repeatable read; select 1")
                let process = try await pid(holder)
                try await holder.waitUntil("clock_timestamp() > now() + interval '1 second'")
                let migrator = makeMigrator(knowing: .concurrent, longestWait: .seconds(30), endsReaders: true)

                #expect(try await database.withConnection { try await migrator.migrate($0) } == ["9001_concurrent"])
                #expect(try await !isThere(process, database))
            }
        }
    }

    /// Before there is a table, the schema's name is the lock.
    @Test(.timeLimit(.minutes(2)))
    func whoMakesTheSchemaIsNamedAndNotWaitedForWithoutEnd() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { holder in
                try await holder.executeScript("begin; create schema counterfoil")

                let error = await #expect(throws: Problem.self) {
                    let migrator = makeMigrator(longestWait: .milliseconds(1500))
                    _ = try await PostgresConnection.withConnection(to: url) { try await migrator.migrate($0) }
                }

                #expect(names(try await pid(holder), error), "\(String(describing: error))")
                try await holder.executeScript("commit")
                // It isn't ours: nothing comes of waiting.
                await #expect {
                    _ = try await PostgresConnection.withConnection(to: url) { try await makeMigrator().migrate($0) }
                } throws: {
                    ($0 as? PostgresError)?.sqlState == .duplicateSchema
                }
                try await holder.executeScript("drop schema counterfoil")
                let applied = try await PostgresConnection.withConnection(to: url) { try await makeMigrator().migrate($0) }
                #expect(applied.count == Migration.all.count + 1)
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func whoMakesIndexesForTooLongIsNamed() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { holder in
                _ = try await holder.execute(SQLFile.tryLockIndexes.statement)

                let error = await #expect(throws: Problem.self) {
                    let migrator = makeMigrator(knowing: .concurrent, longestWait: .milliseconds(1500))
                    _ = try await database.withConnection { try await migrator.migrate($0) }
                }

                #expect(names(try await pid(holder), error), "\(String(describing: error))")
            }
        }
    }

    /// The process id may have come again, or the row is of another server, which a backup was made of.
    @Test(.timeLimit(.minutes(2)), arguments: ["pid = 0", "started_at = started_at - interval '1 us'"])
    func theRightOfASessionThatIsGoneIsTakenOver(change: String) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { holder in
                _ = try await holder.execute(SQLFile.tryLockIndexes.statement)
                _ = try await holder.execute("update counterfoil.index_makers set \(change)")

                let migrator = makeMigrator(knowing: .concurrent, longestWait: .seconds(5))

                #expect(try await database.withConnection { try await migrator.migrate($0) } == ["9001_concurrent"])
                #expect(try await holder.execute("select from counterfoil.index_makers").isEmpty)
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func theRightToMakeIndexesEndsWithItsSession() async throws {
        try await withMigratedDatabase { database in
            _ = try await database.withConnection { try await $0.execute(SQLFile.tryLockIndexes.statement) }

            let migrator = makeMigrator(knowing: .concurrent, longestWait: .seconds(5))

            #expect(try await database.withConnection { try await migrator.migrate($0) } == ["9001_concurrent"])
        }
    }

    /// The server makes an index wait for every older snapshot, whoever holds it. That alone can't be denied to a stranger.
    @Test(.timeLimit(.minutes(2)))
    func aStrangersSnapshotThatHoldsAnIndexUpIsNamed() async throws {
        try await withStranger { role in
            try await withMigratedDatabase { database in
                try await database.withConnection(as: role) { stranger in
                    try await stranger.executeScript("begin isolation level repeatable read; select 1")
                    try await stranger.waitUntil("clock_timestamp() > now() + interval '1 second'")
                    var log = InMemoryLogHandler()
                    log.logLevel = .notice
                    let entries = log

                    let error = await #expect(throws: Problem.self) {
                        let migrator = makeMigrator(knowing: .concurrent, longestWait: .milliseconds(1500), log: entries)
                        _ = try await database.withConnection { try await migrator.migrate($0) }
                    }

                    let process = try await pid(stranger)
                    #expect(names(process, error), "\(String(describing: error))")
                    #expect(entries.entries.contains { "\($0.metadata)".contains("process \(process) (role \(role)") })
                    try await stranger.executeScript("commit")
                }
                let migrator = makeMigrator(knowing: .concurrent)
                #expect(try await database.withConnection { try await migrator.migrate($0) } == ["9001_concurrent"])
            }
        }
    }
}
