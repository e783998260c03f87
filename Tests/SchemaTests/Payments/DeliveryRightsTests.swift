// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import VerificationQueue

/// A shop's owner replaces the function after it was named: it has the rights of its owner, or none, whoever's session settles.
@Suite struct DeliveryRightsTests {
    enum Settler: String, CaseIterable, Sendable {
        case worker, support, owner
        /// Only by hand: no command writes as one.
        case superuser
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the function does.
        let body: String
        /// How the settlement is refused; nil where it isn't.
        let sqlState: String?
        let clauses: String
        /// What the shop's owner makes besides.
        let besides: String

        init(_ name: String, _ body: String, refused sqlState: String?, clauses: String = "", besides: String = "") {
            testDescription = name
            self.body = body
            self.sqlState = sqlState
            self.clauses = clauses
            self.besides = besides
        }
    }

    /// Run as the session's role it would leave that name in `shop.who`.
    private static let witness = """
        create function shop.witness() returns integer language plpgsql as
        $$ begin insert into shop.who values (current_user); return 1; end $$
        """

    private static func deferred(_ name: String, on table: String, _ body: String) -> String {
        """
        create function shop.\(name)() returns trigger language plpgsql as $$ begin \(body); return null; end $$;
        create constraint trigger \(name) after insert on shop.\(table) deferrable initially deferred
        for each row execute function shop.\(name)()
        """
    }

    static let attacks = [
        Attack("write to the ledger", "update counterfoil.payments set quantity = 99", refused: "42501"),
        Attack("as its owner", "update counterfoil.payments set quantity = 99", refused: "42501", clauses: "security definer"),
        Attack("make a superuser", "create role evil superuser", refused: "42501"),
        Attack("as its owner make a superuser", "create role evil superuser", refused: "42501", clauses: "security definer"),
        Attack("reset role", "reset role; insert into shop.who values (current_user)", refused: "42501"),
        Attack("set role", "set role counterfoil_owner", refused: "42501"),
        Attack("set_config", "perform set_config('role', 'none', false)", refused: "42501"),
        Attack("set session authorization", "set session authorization default", refused: "42501"),
        Attack("reset session authorization", "reset session authorization", refused: "42501"),
        Attack("reset all", "reset all; insert into shop.who values (current_user)", refused: nil),
        Attack(
            "replace what calls it",
            """
            create or replace function counterfoil.call_shop(shops_function text, entries anyarray) returns void
            language sql as 'select'
            """, refused: "42501"),
        Attack("alter what hands over", "alter function counterfoil.hand_over(text, anyarray) reset all", refused: "42501"),
        Attack("hold a cursor", "execute 'declare c cursor with hold for select shop.witness()'", refused: "09000", besides: witness),
        Attack("prepare a statement", "execute 'prepare evil as select shop.witness()'", refused: "09000", besides: witness),
        Attack(
            "prepare a statement and fail", "execute 'prepare evil as select shop.witness()'; raise exception 'x'", refused: "P0001",
            besides: witness),
        Attack(
            "leave a path",
            """
            perform set_config('search_path', 'shop, pg_catalog', false);
            perform set_config('search_path', 'pg_catalog, pg_temp', true)
            """, refused: nil),
        Attack(
            "a deferred trigger that writes to the ledger", "insert into shop.goods values (1)", refused: "42501",
            besides: deferred("react", on: "goods", "update counterfoil.payments set quantity = 99")),
        Attack(
            "a deferred trigger that defers another", "insert into shop.goods values (1)", refused: nil,
            besides: deferred("react", on: "goods", "set constraints all deferred; insert into shop.later values (1)") + ";"
                + deferred("react_later", on: "later", "insert into shop.who values (current_user)")),
        Attack(
            "deferred triggers without end", "insert into shop.goods values (1)", refused: "09000",
            besides: deferred("react", on: "goods", "set constraints all deferred; insert into shop.goods values (1)")),
    ]

    /// A shop with its own role, whose function delivers.
    private func withShop(_ body: @Sendable (Shop, _ role: String) async throws -> Void) async throws {
        try await Shop.open { shop in
            // A role of the server's: each test has its own name for it.
            let role = try #require(try await shop.value("select 'shop_' || oid from pg_database where datname = current_database()"))
            try await shop.run(
                """
                create role \(role);
                grant usage on schema counterfoil to \(role);
                create schema shop authorization \(role);
                set role \(role);
                grant usage on schema shop to public;
                create table shop.goods (number integer);
                create table shop.later (number integer);
                create table shop.who (name text);
                grant insert on shop.goods, shop.later, shop.who to public;
                create function shop.deliver(d counterfoil.delivery) returns void language plpgsql as 'begin end';
                reset role;
                select counterfoil.deliver_by('shop.deliver')
                """)
            try await shop.order("a")
            try await shop.order("b")
            try await body(shop, role)
            try await shop.run("drop owned by \(role) cascade; drop role \(role)")
        }
    }

    /// Has the shop's owner replace the function.
    private func replace(_ body: String, clauses: String = "", besides: String = "", _ role: String, _ shop: Shop) async throws {
        try await shop.run(
            """
            set role \(role);
            \(besides.isEmpty ? "" : besides + ";")
            create or replace function shop.deliver(d counterfoil.delivery) returns void language plpgsql \(clauses) as
            $$ begin \(body); end $$;
            reset role
            """)
    }

    private func withSettler(_ settler: Settler, _ shop: Shop, _ body: @Sendable (Shop) async throws -> Void) async throws {
        let user: String? =
            switch settler {
            case .worker, .support: "counterfoil_" + settler.rawValue
            case .owner, .superuser: nil
            }
        try await shop.database.withConnection(as: user) { session in
            if settler == .owner { _ = try await session.execute("set role counterfoil_owner") }
            try await body(Shop(database: shop.database, admin: shop.admin, backend: shop.backend, worker: session))
        }
    }

    @Test(arguments: attacks, Settler.allCases)
    func theShopsFunctionHasNoRightsOfWhoSettles(_ attack: Attack, _ settler: Settler) async throws {
        try await withShop { shop, role in
            try await replace(attack.body, clauses: attack.clauses, besides: attack.besides, role, shop)
            try await withSettler(settler, shop) { settling in
                let session = try await settling.rows("select session_user, current_user", as: settling.worker)

                let refusal = try await Refusal.of { _ = try await settling.insertGrant("a", Payment(id: "1")) }

                #expect(refusal?.sqlState == attack.sqlState)
                #expect(try await settling.rows("select session_user, current_user", as: settling.worker) == session)
                #expect(try await settling.rows("select name from pg_prepared_statements where from_sql", as: settling.worker) == [])
                let path = try await settling.rows("select current_setting('search_path')", as: settling.worker)
                #expect(!path[0].contains("shop"))
            }
            #expect(try await shop.count("counterfoil.payments where quantity <> 1") == 0)
            #expect(try await shop.count("pg_roles where rolname = 'evil'") == 0)
            #expect(try await shop.count("shop.who where name not in ('counterfoil_delivery', '\(role)')") == 0)
        }
    }

    /// The shop's function may alter it: where it has no rights of its own, it runs as the owner of what calls it.
    @Test(arguments: ["security invoker", "set search_path = shop, pg_catalog"])
    func alteringWhatCallsItGainsNothing(_ change: String) async throws {
        try await withShop { shop, role in
            try await replace(
                "alter function counterfoil.call_shop(text, anyarray) security invoker; "
                    + "alter function counterfoil.call_shop(text, anyarray) \(change)", role, shop)
            #expect(try await shop.insertGrant("a", Payment(id: "1")))
            try await replace(
                "insert into shop.who values (current_user)",
                besides: """
                    create function shop.differs(name, name) returns boolean language plpgsql as
                    $$ begin insert into shop.who values (current_user); return false; end $$;
                    create operator shop.<> (leftarg = name, rightarg = name, function = shop.differs)
                    """, role, shop)

            let refusal = try await Refusal.of { _ = try await shop.insertGrant("b", Payment(id: "2")) }

            #expect(refusal == Refusal("P0001"))
            #expect(try await shop.count("shop.who") == 0)
            // The next migration puts it right.
            try await shop.database.withConnection { connection in
                _ = try await SchemaMigrator(logger: .test).migrate(connection)
            }
            #expect(try await shop.insertGrant("b", Payment(id: "2")))
            #expect(try await shop.rows("select name from shop.who") == ["(counterfoil_delivery)"])
        }
    }

    /// What the shop defers is deferred until its function has ended, also at the second call of a database transaction.
    @Test func eachCallMayDefer() async throws {
        try await withShop { shop, role in
            try await replace(
                "insert into shop.first values (d.order_id); insert into shop.second values (d.order_id)", clauses: "security definer",
                besides: """
                    create table shop.second (id text primary key);
                    create table shop.first (id text references shop.second deferrable initially deferred)
                    """, role, shop)
            try await shop.worker.executeScript("begin")
            #expect(try await shop.insertGrant("a", Payment(id: "1")))
            #expect(try await shop.insertGrant("b", Payment(id: "2")))
            try await shop.worker.executeScript("commit")

            #expect(try await shop.count("shop.first") == 2)
        }
    }

    @Test func theRoleThatCallsItHasNothing() async throws {
        try await Shop.open { shop in
            let facts = try await shop.rows(
                """
                select r.rolcanlogin, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolbypassrls, r.rolreplication,
                    exists (select from pg_auth_members m where m.member = r.oid), has_schema_privilege(r.oid, 'counterfoil', 'create')
                from pg_roles r where r.rolname = 'counterfoil_delivery'
                """)
            #expect(facts == ["(f,f,f,f,f,f,f,f)"])
            #expect(
                try await shop.rows("select proname from pg_proc where proowner = 'counterfoil_delivery'::regrole") == ["(call_shop)"])
            let granted = try await shop.rows(
                """
                select c.relname from pg_class c, aclexplode(c.relacl) a where a.grantee = 'counterfoil_delivery'::regrole
                union all
                select p.proname from pg_proc p, aclexplode(p.proacl) a
                where a.grantee = 'counterfoil_delivery'::regrole and p.proowner <> a.grantee
                """)
            #expect(granted == [])
        }
    }

    @Test func nobodyMayMakeTriggersOnOurTables() async throws {
        try await Shop.open { shop in
            let granted = try await shop.rows(
                """
                select c.relname, a.grantee::regrole from pg_class c, aclexplode(c.relacl) a
                where c.relnamespace = 'counterfoil'::regnamespace and a.privilege_type = 'TRIGGER' and a.grantee <> c.relowner
                """)
            #expect(granted == [])
        }
    }
}
