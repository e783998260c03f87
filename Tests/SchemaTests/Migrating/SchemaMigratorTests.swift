// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

@Suite struct SchemaMigratorTests {
    private typealias Problem = SchemaMigrator.Problem

    private let migrator = SchemaMigrator(logger: .test)
    private let names = Migration.all.map(\.file.name)

    /// What a database looks like, down to rights and comments.
    private func description(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(
            """
            select c.oid::regclass::text || ' ' || c.relkind::text || ' ' || coalesce(c.relacl::text, '') as line
            from pg_class c where c.relnamespace = 'counterfoil'::regnamespace
            union all
            select p.oid::regprocedure::text || ' ' || md5(p.prosrc) || ' ' || coalesce(p.proacl::text, '')
            from pg_proc p where p.pronamespace = 'counterfoil'::regnamespace
            union all
            select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid)
            from pg_constraint where connamespace = 'counterfoil'::regnamespace
            order by 1
            """
        ).map { try $0.string(0) }
    }

    @Test func anEmptyDatabaseGetsEverythingInOrder() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                let applied = try await migrator.migrate(connection)

                #expect(applied == names)
                try await migrator.check(connection)
                let book = try await connection.execute("select name from counterfoil.migrations order by id")
                #expect(try book.map { try $0.string(0) } == names)
            }
        }
    }

    @Test func migratingAgainChangesNothing() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let before = try await description(connection)

                let applied = try await migrator.migrate(connection)

                #expect(applied == [])
                #expect(try await description(connection) == before)
            }
        }
    }

    @Test func severalMigratorsAtOnceApplyEachMigrationOnce() async throws {
        try await withTestDatabase { url in
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await PostgresConnection.withConnection(to: url) { try await migrator.migrate($0) }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            #expect(applied.sorted() == names)
            try await PostgresConnection.withConnection(to: url) { try await migrator.check($0) }
        }
    }

    /// Who writes holds one table and then wants another, as `submit` does, and a migrator holds that one and wants the first.
    @Test func whoeverWritesMeanwhileIsNotHeldUpByAMigratorThatWaits() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { writer in
                _ = try await writer.execute("begin")
                _ = try await writer.execute("lock table counterfoil.jobs in row exclusive mode")
                async let applied = database.withConnection { try await migrator.migrate($0) }
                try await writer.waitUntil(
                    """
                    exists (
                        select from pg_locks l where l.relation = 'counterfoil.jobs'::regclass and not l.granted
                    )
                    """)

                _ = try await writer.execute("set local lock_timeout = '900ms'")
                _ = try await writer.execute("lock table counterfoil.orders in row exclusive mode")
                _ = try await writer.execute("commit")

                #expect(try await applied == [])
            }
        }
    }

    /// What the migrations make that are in no database transaction.
    private static let indexes = [
        (migration: "0009_discarded_jobs", name: "discarded_jobs", column: "reason"),
        (migration: "0011_leases", name: "leases", column: "lease_expires_at"),
        (migration: "0013_unclaimed_by_original", name: "unclaimed_transactions_by_original", column: "bundle_id"),
        (migration: "0021_jobs_of_one_order", name: "one_job_of_an_order_runs_at_a_time", column: "order_id"),
        (migration: "0023_grants_of_one_original", name: "grants_by_original", column: "bundle_id"),
    ]
    private static let concurrent = (indexes.map(\.migration) + ["0022_former_indexes_of_jobs"]).sorted()
    private static let hasIndexes = indexes.map {
        "exists (select from pg_index where indexrelid = to_regclass('counterfoil.\($0.name)') and indisvalid)"
    }.joined(separator: " and ")

    /// Makes the database as if ``concurrent`` had not been applied.
    private func forgetIndexes(_ connection: PostgresConnection) async throws {
        try #require(Migration.all.filter(\.isConcurrent).map(\.file.name) == Self.concurrent)
        for name in Self.concurrent {
            _ = try await connection.execute("delete from counterfoil.migrations where name = '\(name)'")
        }
        for index in Self.indexes {
            _ = try await connection.execute("drop index counterfoil.\(index.name)")
        }
    }

    @Test func anIndexIsMadeWhileOthersWrite() async throws {
        try await Shop.open { shop in
            try await forgetIndexes(shop.admin)
            try await shop.order("a")
            try await shop.order("b")
            try await shop.database.withConnection { writer in
                _ = try await writer.execute("begin")
                _ = try await writer.execute("insert into counterfoil.jobs (order_id, proof) values ('a', 'eyJ')")

                async let applied = shop.database.withConnection { try await migrator.migrate($0) }
                try await shop.admin.waitUntil(
                    """
                    exists (
                        select from pg_stat_activity
                        where query like '%create index concurrently%' and wait_event_type = 'Lock'
                            and datname = current_database()
                    )
                    """)
                try await shop.upload("b")
                let claimed = try await shop.claim().map(\.order)
                _ = try await writer.execute("commit")

                #expect(claimed == ["b"])
                #expect(try await applied == Self.concurrent)
            }
            #expect(try await shop.admin.execute("select \(Self.hasIndexes)")[0].bool(0))
        }
    }

    @Test func anIndexThatAnInterruptionLeftIsMadeAgain() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await forgetIndexes(connection)
                for index in Self.indexes {
                    _ = try await connection.execute("create index \(index.name) on counterfoil.jobs (id)")
                    _ = try await connection.execute(
                        "update pg_index set indisvalid = false where indexrelid = 'counterfoil.\(index.name)'::regclass")
                }

                _ = try await connection.execute("create index jobs_by_order on counterfoil.jobs (order_id)")

                #expect(try await migrator.migrate(connection) == Self.concurrent)

                #expect(try await connection.execute("select \(Self.hasIndexes)")[0].bool(0))
                let former = try await connection.execute("select to_regclass('counterfoil.jobs_by_order')")
                #expect(former[0].isNull(0))
                for index in Self.indexes {
                    let column = try await connection.execute(
                        "select pg_get_indexdef('counterfoil.\(index.name)'::regclass, 1, true)")
                    #expect(try column[0].string(0) == index.column)
                }
            }
        }
    }

    @Test func indexesAreMadeByOneMigratorAtATime() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await forgetIndexes(connection)
                _ = try await connection.execute(SQLFile.tryLockIndexes.statement)

                async let applied = database.withConnection { try await migrator.migrate($0) }
                try await connection.waitUntil(
                    """
                    exists (
                        select from pg_stat_activity
                        where query like '%pg_try_advisory_lock%' and datname = current_database() and pid <> pg_backend_pid()
                    )
                    """)
                #expect(try await !connection.execute("select \(Self.hasIndexes)")[0].bool(0))
                #expect(try await connection.execute(SQLFile.unlockIndexes.statement)[0].bool(0))

                #expect(try await applied == Self.concurrent)
                // The next one may begin.
                #expect(try await connection.execute(SQLFile.tryLockIndexes.statement)[0].bool(0))
            }
        }
    }

    /// What counts look like to those who read them, before histograms became one row and after it.
    @Test func histogramsKeepTheirCountsAndNoReaderMissesAView() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await migrate(before: "0015_histograms_and_reversals", connection)
                for (table, time) in [("latency_minutes", "minute"), ("latency_hours", "hour")] {
                    try await connection.executeScript(
                        """
                        insert into counterfoil.\(table) (\(time), bundle_id, measure, bucket, attempts)
                        select date_trunc('\(time)', now()) - interval '2 hours', 'com.example.shop', 'fulfilment', bucket, attempts
                        from (values (9, 30), (2, 60), (7, 10)) as b (bucket, attempts)
                        """)
                }
                // With the columns that it had; others were granted it, and built upon it.
                try await connection.executeScript(
                    """
                    create view counterfoil.latency as
                    select minute, bundle_id, measure, attempts, 1::double precision as p50_seconds,
                        1::double precision as p95_seconds, 1::double precision as p99_seconds
                    from counterfoil.latency_minutes;
                    alter view counterfoil.latency owner to counterfoil_owner;
                    grant select on counterfoil.latency to counterfoil_backend;
                    create view public.slow as select * from counterfoil.latency
                    """)

                let migration = Task { try await migrator.migrate(connection) }
                let ending = Ending()
                Task {
                    _ = await migration.result
                    await ending.come()
                }
                try await PostgresConnection.withConnection(to: url) { reader in
                    while await !ending.hasCome {
                        // It may be empty for a moment, but is never missing.
                        _ = try await reader.execute("select attempts from counterfoil.latency")
                    }
                }
                #expect(try await migration.value.first == "0015_histograms_and_reversals")

                #expect(
                    try await connection.execute(
                        "select has_table_privilege('counterfoil_backend', 'counterfoil.latency', 'select')")[0].bool(0))
                for view in ["counterfoil.latency", "counterfoil.latency_by_hour", "public.slow"] {
                    let row = try await connection.execute(
                        "select attempts, p50_seconds, p95_seconds from \(view)")[0]
                    #expect(try row.int64(0) == 100)
                    #expect(try row.double(1) == 0.05)
                    #expect(try row.double(2) == 10)
                }
                #expect(
                    try await connection.execute("select to_regclass('counterfoil.former_latency_minutes')")[0].isNull(0))
            }
        }
    }

    /// Only what a person reversed, and what is still in review.
    @Test func ordersThatFormerReversalsLeftInReviewAreListed() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await migrate(before: "0019_reviews_of_reversed_refunds", connection)
                try await connection.executeScript(
                    """
                    insert into counterfoil.apps (bundle_id) values ('com.example.shop');
                    insert into counterfoil.orders (
                        order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment
                    )
                    select order_id, 'com.example.shop', 'coins', 'ann', state, reason, order_id, 'production'
                    from (
                        values ('a', 'review', 'refund_reversed'), ('b', 'review', 'refund_reversed'),
                            ('c', 'review', 'owner_mismatch'), ('d', 'refunded', 'refunded')
                    ) as o (order_id, state, reason);
                    insert into counterfoil.order_events (order_id, kind, who, why)
                    select order_id, 'refund_reversed', 'eve', 'so Apple says' from counterfoil.orders where order_id <> 'b'
                    """)

                _ = try await migrator.migrate(connection)

                let listed = try await connection.execute("select order_id from counterfoil.orders_in_review")
                #expect(try listed.map { try $0.string(0) } == ["a"])
            }
        }
    }

    private actor Ending {
        private(set) var hasCome = false

        func come() { hasCome = true }
    }

    /// Brings an empty database to the schema before `name`.
    private func migrate(before name: String, _ connection: PostgresConnection) async throws {
        for migration in Migration.all.prefix(while: { $0.file.name != name }) {
            let scripts = migration.isConcurrent ? migration.statements : ["begin;\n" + migration.file.text + ";\ncommit"]
            for script in scripts {
                try await connection.executeScript(script)
            }
            _ = try await connection.execute(
                SQLFile.insertMigration.statement,
                [
                    .int4(migration.id), .text(migration.file.name), .text(migration.file.text), .bool(migration.isBreaking),
                ])
        }
    }

    @Test func anEditedMigrationIsRefused() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                _ = try await connection.execute("update counterfoil.migrations set checksum = 'other' where id = 2")

                await #expect(throws: Problem.migrationWasEdited(names[1])) { try await migrator.migrate(connection) }
                await #expect(throws: Problem.migrationWasEdited(names[1])) { try await migrator.check(connection) }
            }
        }
    }

    @Test(arguments: [false, true])
    func aNewerSchemaIsNotMigrated(isBreaking: Bool) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await addNewerMigration(isBreaking: isBreaking, connection)
                let before = try await description(connection)

                await #expect(throws: Problem.schemaIsNewer(migration: "9999_later")) {
                    try await migrator.migrate(connection)
                }
                #expect(try await description(connection) == before)
            }
        }
    }

    @Test func aWorkerRunsOnANewerSchemaThatBreaksNothing() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { try await addNewerMigration(isBreaking: false, $0) }

            try await database.withConnection(as: "counterfoil_worker") { try await migrator.check($0) }
        }
    }

    @Test func aWorkerRefusesASchemaThatBrokeWithIt() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { try await addNewerMigration(isBreaking: true, $0) }

            await #expect(throws: Problem.schemaIsNewer(migration: "9999_later")) {
                try await database.withConnection(as: "counterfoil_worker") { try await migrator.check($0) }
            }
        }
    }

    @Test func aWorkerRefusesAnOlderSchema() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                _ = try await connection.execute("delete from counterfoil.migrations where id = \(Migration.all.count)")

                await #expect(throws: Problem.schemaIsOlder(missing: names[names.count - 1])) {
                    try await migrator.check(connection)
                }
            }
        }
    }

    @Test func aWorkerRefusesADatabaseWithoutASchema() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                _ = try await connection.execute("create schema public_things")

                await #expect(throws: Problem.schemaIsOlder(missing: names[0])) { try await migrator.check(connection) }
            }
        }
    }

    @Test func aRoleThatMayCreateRolesAndSchemasIsEnough() async throws {
        let role = "migrator_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    """
                    create role \(role) login createrole;
                    do $$ begin execute format('grant create on database %I to \(role)', current_database()); end $$
                    """
                )
            }

            try await PostgresConnection.withConnection(to: url + "&user=" + role) { connection in
                let applied = try await migrator.migrate(connection)

                #expect(applied == names)
                #expect(try await migrator.migrate(connection) == [])
            }
        }
        try await TestDatabase.execute("drop role \(role)")
    }

    private func addNewerMigration(isBreaking: Bool, _ connection: PostgresConnection) async throws {
        _ = try await connection.execute(
            """
            insert into counterfoil.migrations (id, name, checksum, breaking)
            values (9999, '9999_later', 'unknown', \(isBreaking))
            """
        )
    }
}
