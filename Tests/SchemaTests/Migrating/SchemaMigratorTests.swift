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

    /// The migrator of a program that has one migration more.
    private func migrator(knowing migration: Migration) -> SchemaMigrator {
        SchemaMigrator(logger: .test, migrations: Migration.all + [migration])
    }

    /// What a database looks like, down to rights and comments.
    private func description(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(
            """
            select c.oid::regclass::text || ' ' || c.relkind::text || ' ' || coalesce(c.relacl::text, '') as line
            from pg_class c where c.relnamespace = 'counterfoil'::regnamespace
            union all
            select p.oid::regprocedure::text || ' ' || md5(pg_get_functiondef(p.oid)) || ' ' || coalesce(p.proacl::text, '')
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

    /// Each reads what the others have applied after it waited for them, whatever level the database's administrator chose.
    @Test(arguments: ["read committed", "repeatable read", "serializable"])
    func severalMigratorsAtOnceApplyEachMigrationOnce(level: String) async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { try await $0.chooseLevel(level) }
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
                async let applied = database.withConnection { try await migrator(knowing: .ofTwoTables).migrate($0) }
                try await writer.waitUntil(
                    """
                    exists (
                        select from pg_locks l where l.relation = 'counterfoil.jobs'::regclass and not l.granted
                    )
                    """)

                _ = try await writer.execute("set local lock_timeout = '900ms'")
                _ = try await writer.execute("lock table counterfoil.orders in row exclusive mode")
                _ = try await writer.execute("commit")

                #expect(try await applied == ["9001_two_tables"])
            }
        }
    }

    private static let hasIndex =
        "exists (select from pg_index where indexrelid = to_regclass('counterfoil.jobs_by_account') and indisvalid)"

    @Test func anIndexIsMadeWhileOthersWrite() async throws {
        try await Shop.open { shop in
            let migrator = migrator(knowing: .concurrent)
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
                #expect(try await applied == ["9001_concurrent"])
            }
            #expect(try await shop.admin.execute("select \(Self.hasIndex)")[0].bool(0))
        }
    }

    @Test func anIndexThatAnInterruptionLeftIsMadeAgain() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let migrator = migrator(knowing: .concurrent)
                _ = try await connection.execute("create index jobs_by_account on counterfoil.jobs (id)")
                _ = try await connection.execute(
                    "update pg_index set indisvalid = false where indexrelid = 'counterfoil.jobs_by_account'::regclass")
                _ = try await connection.execute("create index jobs_by_order on counterfoil.jobs (order_id)")

                #expect(try await migrator.migrate(connection) == ["9001_concurrent"])

                #expect(try await connection.execute("select \(Self.hasIndex)")[0].bool(0))
                let former = try await connection.execute("select to_regclass('counterfoil.jobs_by_order')")
                #expect(former[0].isNull(0))
                let column = try await connection.execute(
                    "select pg_get_indexdef('counterfoil.jobs_by_account'::regclass, 1, true)")
                #expect(try column[0].string(0) == "account_id")
                #expect(try await migrator.migrate(connection) == [])
            }
        }
    }

    @Test func indexesAreMadeByOneMigratorAtATime() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let migrator = migrator(knowing: .concurrent)
                _ = try await connection.execute(SQLFile.tryLockIndexes.statement)

                async let applied = database.withConnection { try await migrator.migrate($0) }
                try await connection.waitUntil(
                    """
                    exists (
                        select from pg_stat_activity
                        where query like '%insert into counterfoil.index_makers%' and datname = current_database()
                            and pid <> pg_backend_pid()
                    )
                    """)
                #expect(try await !connection.execute("select \(Self.hasIndex)")[0].bool(0))
                #expect(try await !connection.execute(SQLFile.unlockIndexes.statement).isEmpty)

                #expect(try await applied == ["9001_concurrent"])
                // The next one may begin.
                #expect(try await connection.execute(SQLFile.tryLockIndexes.statement)[0].bool(0))
            }
        }
    }

    /// A migration may empty a view to change the table below it. Rights, and views that others built upon it, stay.
    @Test func noReaderMissesAViewThatAMigrationEmpties() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                for (table, time) in [("latency_minutes", "minute"), ("latency_hours", "hour")] {
                    try await connection.executeScript(
                        """
                        insert into counterfoil.\(table) (\(time), bundle_id, measure, buckets, reached)
                        select date_trunc('\(time)', now()) - interval '2 hours', 'com.example.shop', 'fulfilment',
                            array[2, 7, 9], array[60, 70, 100]
                        """)
                }
                try await connection.executeScript(
                    """
                    grant select on counterfoil.latency to pg_monitor;
                    create view public.slow as select * from counterfoil.latency
                    """)

                let migrator = migrator(knowing: .emptyingViews)
                let migration = Task { try await migrator.migrate(connection) }
                let ending = Ending()
                Task {
                    _ = await migration.result
                    await ending.come()
                }
                try await database.withConnection { reader in
                    while await !ending.hasCome {
                        // It may be empty for a moment, but is never missing.
                        _ = try await reader.execute("select attempts from counterfoil.latency")
                    }
                }
                #expect(try await migration.value == ["9001_emptying_views"])

                #expect(
                    try await connection.execute(
                        "select has_table_privilege('pg_monitor', 'counterfoil.latency', 'select')")[0].bool(0))
                for view in ["counterfoil.latency", "counterfoil.latency_by_hour", "public.slow"] {
                    let row = try await connection.execute(
                        "select attempts, p50_seconds, p95_seconds from \(view)")[0]
                    #expect(try row.int64(0) == 100)
                    #expect(try row.double(1) == 0.05)
                    #expect(try row.double(2) == 10)
                }
            }
        }
    }

    private actor Ending {
        private(set) var hasCome = false

        func come() { hasCome = true }
    }

    private static let differences = "select count(*) from counterfoil.role_settings where found is distinct from value"

    /// They belong to the database by its name: a copy, or a database that was restored, has none.
    @Test func settingsOfRolesAreMadeEachTime() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(
                    """
                    do $$ begin
                        execute format('alter role counterfoil_worker in database %I reset all', current_database());
                        execute format('alter role counterfoil_reader in database %I set work_mem = %L', current_database(), '1MB');
                    end $$
                    """)
                #expect(try await connection.execute(Self.differences)[0].int64(0) == 12)

                #expect(try await migrator.migrate(connection) == [])

                #expect(try await connection.execute(Self.differences)[0].int64(0) == 0)
                let path = try await database.withConnection(as: "counterfoil_worker") { try await $0.execute("show search_path") }
                #expect(try path[0].string(0) == "pg_catalog, pg_temp")
            }
        }
    }

    /// Whoever may alter a role may not keep parameters out of the server's log: that is left, and all else is made.
    @Test func parametersOfAllRolesStayOutOfTheLog() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let roles = ["worker", "support", "backend", "reader"]
                for role in roles {
                    let row = try await database.withConnection(as: "counterfoil_\(role)") {
                        try await $0.execute(
                            "select current_setting('log_parameter_max_length'), current_setting('log_parameter_max_length_on_error')"
                        )[0]
                    }
                    #expect(try row.string(0) == "0" && row.string(1) == "0", "\(role)")
                }
                // The superuser's own session shows the server's default.
                #expect(try await connection.execute("show log_parameter_max_length")[0].string(0) == "-1")
                try await connection.executeScript(
                    """
                    do $$ begin
                        execute format('alter role counterfoil_backend in database %I reset all', current_database());
                    end $$;
                    create role migrating createrole login;
                    grant execute on function counterfoil.make_role_settings() to migrating;
                    grant select on counterfoil.role_settings to migrating;
                    grant usage on schema counterfoil to migrating
                    """)

                let refused = try await database.withConnection(as: "migrating") {
                    try await $0.execute("select refused from counterfoil.make_role_settings() where refused like '%backend'")
                }

                #expect(refused.isEmpty)
                let left = try await connection.execute(
                    "select string_agg(setting, ',') from counterfoil.role_settings where found is distinct from value and role = 'counterfoil_backend'"
                )
                #expect(try left[0].string(0) == "log_parameter_max_length")
                try await connection.executeScript("drop owned by migrating; drop role migrating")
            }
        }
    }

    /// A function that was parsed when it was made depends on what it reads, as a view does: a migration makes it empty first.
    @Test func aColumnThatAFunctionReadsCanBeReplaced() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let before = try await description(connection)

                #expect(try await migrator(knowing: .emptyingFunctions).migrate(connection) == ["9001_emptying_functions"])

                #expect(try await description(connection) == before)
            }
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
            let newer = migrator(knowing: .compatible)
            #expect(try await database.withConnection { try await newer.migrate($0) } == ["9001_compatible"])

            try await database.withConnection(as: "counterfoil_worker") { try await migrator.check($0) }
            try await database.withConnection(as: "counterfoil_worker") { try await newer.check($0) }
        }
    }

    @Test func aWorkerRefusesASchemaThatBrokeWithIt() async throws {
        try await withMigratedDatabase { database in
            let newer = migrator(knowing: .breaking)
            #expect(try await database.withConnection { try await newer.migrate($0) } == ["9001_breaking"])

            await #expect(throws: Problem.schemaIsNewer(migration: "9001_breaking")) {
                try await database.withConnection(as: "counterfoil_worker") { try await migrator.check($0) }
            }
            try await database.withConnection(as: "counterfoil_worker") { try await newer.check($0) }
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

    // MARK: Servers and databases that are refused

    @Test func aServerBefore15IsRefused() throws {
        try SchemaMigrator.judge(serverVersion: 150_000)
        #expect(throws: Problem.serverIsTooOld(version: 140_019)) { try SchemaMigrator.judge(serverVersion: 140_019) }
        #expect(Problem.serverIsTooOld(version: 140_019).description.contains("15 or later is needed, and this server is a 14"))
    }

    @Test(arguments: ["SQL_ASCII", "LATIN1"])
    func aDatabaseThatIsNotUTF8IsRefusedBeforeAnythingIsMade(encoding: String) async throws {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await TestDatabase.execute(
            "create database \(name) encoding '\(encoding)' lc_collate 'C' lc_ctype 'C' template template0")
        try await PostgresConnection.withConnection(to: try await TestServer.url(database: name)) { connection in
            await #expect(throws: Problem.databaseIsNotUTF8(encoding: encoding)) { try await migrator.migrate(connection) }
            let schema = try await connection.execute("select to_regnamespace('counterfoil')")
            #expect(schema[0].isNull(0))
        }
        try await TestDatabase.drop(name)
    }

    // MARK: Roles

    /// From PostgreSQL 16 on it has no power over roles that another role made.
    @Test func aSecondRoleThatMayCreateRolesNeedsNoMoreThanTheGrantThatItIsTold() async throws {
        try await withMigratedDatabase { _ in }
        let role = "migrator_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await TestDatabase.execute("create role \(role) login createrole")
        try await withTestDatabase { url in
            let version = try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    """
                    do $$ begin execute format('grant create on database %I to \(role)', current_database()); end $$
                    """
                )
                return try await connection.execute("select current_setting('server_version_num')::integer")[0].int32(0)
            }
            try await PostgresConnection.withConnection(to: url + "&user=" + role) { connection in
                if version >= 160_000 {
                    let problem = await #expect(throws: Problem.self) { try await migrator.migrate(connection) }
                    let told = try #require(problem?.description)
                    let grant = told[try #require(told.firstRange(of: "grant counterfoil_")).lowerBound...]
                    #expect(try await connection.execute("select to_regnamespace('counterfoil')")[0].isNull(0))
                    try await TestDatabase.execute(String(grant))
                }

                #expect(try await migrator.migrate(connection) == names)
                #expect(try await migrator.migrate(connection) == [])
            }
        }
        try await TestDatabase.execute("drop role \(role)")
    }

    // MARK: Definitions

    /// The routines and views that aren't as the last migration made them, each with how it differs.
    private func differences(_ connection: PostgresConnection) async throws -> [String: String] {
        let rows = try await connection.execute(SQLFile.findDefinitionDifferences.statement, SchemaMigrator.definitions)
        return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.string(0), try $0.string(1)) })
    }

    @Test func everyRoutineAndViewIsKept() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let kept = try await connection.execute("select name from counterfoil.definitions").map { try $0.string(0) }

                #expect(Set(kept) == Set(SQLFile.routinesAndViews.map(\.name)))
                #expect(try await differences(connection) == [:])
            }
        }
    }

    /// A change, and the routine or view that it replaces.
    @Test(arguments: [
        ("alter function counterfoil.roll_up() set work_mem = '1MB'", "roll_up"),
        ("alter function counterfoil.roll_up() security invoker", "roll_up"),
        ("alter function counterfoil.client_action(text, text, text) volatile", "client_action"),
        (
            """
            do $$ begin
                execute replace(pg_get_functiondef('counterfoil.feed_server()'::regprocedure), 'begin', 'begin -- ours');
            end $$
            """, "feed_server"
        ),
        // An overload may be called in its place.
        (
            """
            set role counterfoil_owner;
            create function counterfoil.feed_server(text) returns text language sql return 'x';
            reset role
            """, "feed_server"
        ),
        (
            """
            create or replace view counterfoil.throughput as
            select m.minute, m.bundle_id, m.outcome, 1::bigint as attempts from counterfoil.attempt_minutes m
            """, "throughput"
        ),
        ("drop view counterfoil.throughput", "throughput"),
        ("alter view counterfoil.throughput set (security_barrier)", "throughput"),
    ])
    func aReplacedRoutineOrViewIsNoticedUntilTheNextMigration(_ change: String, _ name: String) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(change)
                let found = try await differences(connection)
                _ = try await migrator.migrate(connection)

                #expect(found == [name: "replaced"])
                #expect(try await differences(connection) == [:])
            }
        }
    }

    @Test func aTextOfAnotherProgramIsNoticed() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(
                    """
                    update counterfoil.definitions set text_checksum = 'x' where name = 'submit';
                    delete from counterfoil.definitions where name = 'roll_up';
                    update counterfoil.definitions set name = 'gone' where name = 'throughput';
                    """)

                let found = try await differences(connection)

                #expect(
                    found == [
                        "submit": "of_another_version", "roll_up": "of_another_version", "throughput": "of_another_version",
                        "gone": "replaced",
                    ])
            }
        }
    }

    /// As `pg_dump` writes them and a restore reads them.
    @Test func aRestoreReplacesNothing() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(
                    """
                    set search_path = pg_catalog;
                    do $$
                    declare
                        made record;
                    begin
                        for made in
                            select pg_get_functiondef(p.oid) as text
                            from pg_proc p where p.pronamespace = 'counterfoil'::regnamespace
                            union all
                            select format('create or replace view counterfoil.%I as %s', c.relname, pg_get_viewdef(c.oid))
                            from pg_class c where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v'
                        loop
                            execute made.text;
                        end loop;
                    end $$;
                    create table counterfoil.restored as select * from counterfoil.definitions;
                    drop table counterfoil.definitions;
                    alter table counterfoil.restored rename to definitions;
                    """)

                let found = try await differences(connection)

                #expect(Set(found.values) == ["not_compared"])
                #expect(found["roll_up"] == nil)
                #expect(found["throughput"] == "not_compared")
            }
        }
    }

    @Test func aSessionsSettingsReplaceNothing() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(
                    """
                    set search_path = counterfoil, public;
                    set quote_all_identifiers = on;
                    set datestyle = 'German';
                    set intervalstyle = 'iso_8601';
                    set timezone = 'Asia/Tokyo';
                    """)

                #expect(try await differences(connection) == [:])
            }
        }
    }

    // MARK: Restores

    /// Owners and privileges, in no order.
    private func rights(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(
            """
            select o.name || ' of ' || o.owner::regrole || ': ' || coalesce(a.grantee::regrole::text, '') || ' ' || a.privilege_type
            from (
                select 'schema' as name, nspowner as owner, nspacl as acl from pg_namespace where nspname = 'counterfoil'
                union all
                select relname::text, relowner, coalesce(relacl, acldefault('r', relowner))
                from pg_class where relnamespace = 'counterfoil'::regnamespace and relkind in ('r', 'p', 'v', 'S')
                union all
                select c.relname || '.' || a.attname, c.relowner, a.attacl
                from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relnamespace = 'counterfoil'::regnamespace
                union all
                select p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
                from pg_proc p where p.pronamespace = 'counterfoil'::regnamespace
                union all
                select 'default', d.defaclrole, d.defaclacl from pg_default_acl d
            ) o
            left join lateral aclexplode(o.acl) a on true
            order by 1
            """
        ).map { try $0.optionalString(0) ?? "" }
    }

    /// As a restore leaves them behind on a server without the role.
    @Test(
        arguments: [
            "counterfoil_worker", "counterfoil_backend", "counterfoil_support", "counterfoil_reader", "counterfoil_owner",
            "counterfoil_gateway",
        ])
    func whatARestoreWithoutARoleLostIsGivenBack(_ role: String) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                let before = try await rights(connection)
                if role == "counterfoil_owner" {
                    try await connection.executeScript("reassign owned by counterfoil_owner to current_user")
                }
                try await connection.executeScript("drop owned by \(role)")
                #expect(try await rights(connection) != before)

                #expect(try await migrator.migrate(connection) == [])

                #expect(try await rights(connection) == before)
            }
        }
    }

    @Test func aSchemaThatAnotherOwnsIsLeftToASuperuser() async throws {
        let role = "migrator_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        let roles = [
            "counterfoil_owner", "counterfoil_backend", "counterfoil_worker", "counterfoil_support", "counterfoil_reader",
            "counterfoil_gateway",
        ].joined(separator: ", ")
        try await TestDatabase.execute("create role \(role) login createrole")
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                try await connection.executeScript(
                    "grant \(roles) to \(role) with admin option; reassign owned by counterfoil_owner to current_user")
                let before = try await rights(connection)

                let problem = try await database.withConnection(as: role) { migrating in
                    await #expect(throws: Problem.self) { try await migrator.migrate(migrating) }
                }

                #expect(problem?.description.contains("run counterfoil migrate once as a superuser") == true)
                #expect(try await rights(connection) == before)
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
