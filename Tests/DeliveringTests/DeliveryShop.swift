// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Logging
import Postgres
import TestSupport

@testable import Delivering

/// A shop with a role, a schema and goods of its own beside a ledger, and a function that delivers.
struct DeliveryShop: Sendable {
    static let bundle = "com.example.game"

    /// Of the shop's role.
    let url: String
    let role: String
    /// A superuser.
    let admin: PostgresConnection

    static func open(_ body: @Sendable (DeliveryShop) async throws -> Void) async throws {
        try await withMigratedDatabase { database in
            let role = "shop_" + UUID().uuidString.lowercased().replacing("-", with: "_")
            try await database.withConnection { admin in
                let shop = DeliveryShop(url: database.url(user: role), role: role, admin: admin)
                try await shop.setUp()
                try await body(shop)
            }
        }
    }

    /// Makes the role, its tables and its function, and an app.
    func setUp() async throws {
        let sql = Self.tables.replacing("ROLE", with: role)
        try await run(sql)
        try await run(
            "insert into counterfoil.apps (bundle_id) values ('\(Self.bundle)'); set role \(role); \(Self.function); reset role")
    }

    func run(_ script: String) async throws {
        try await admin.executeScript(script)
    }

    func rows(_ query: String) async throws -> [String] {
        try await admin.execute("select listed::text from (\(query)) listed").map { try $0.string(0) }
    }

    func value(_ query: String) async throws -> String? {
        try await admin.execute("select (\(query))::text").first?.optionalString(0)
    }

    /// Orders that are granted in one commit: of five accounts, one order each unless a prefix comes again.
    func buy(_ orders: [String]) async throws {
        try await run(
            """
            select shop_test.buy(id)
            from unnest('{\(orders.joined(separator: ","))}'::text[]) with ordinality u (id, n) order by n
            """
        )
    }

    func refund(_ order: String) async throws {
        try await run("update counterfoil.orders set state = 'refunded', reason = 'refunded' where order_id = '\(order)'")
    }

    // MARK: Delivering

    func plan(_ start: DeliveryStart? = .all, state: String = "shop.reader") throws -> DeliveryPlan {
        guard let function = QualifiedName("shop.on_change"), let tables = StateTables(state) else {
            fatalError("the names are plain")
        }
        var plan = DeliveryPlan(function: function, tables: tables)
        plan.start = start
        plan.callTimeout = .seconds(1)
        plan.limits.poll = .milliseconds(10)
        return plan
    }

    func configuration() throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url)
        configuration.connectTimeout = .seconds(60)
        return configuration
    }

    /// Runs a deliverer while `body` runs.
    func delivering(
        _ plan: DeliveryPlan? = nil, log: EventLog<DelivererEvent> = EventLog(), _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let plan = try plan ?? self.plan()
        let deliverer = Deliverer(try configuration(), plan: plan, logger: .test, observe: { log.append($0) })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await deliverer.run() }
            // It runs until it is cancelled, unless it has to say why not.
            tasks.addTask {
                try await admin.waitUntil("to_regclass('\(plan.tables.state)_waiting') is not null")
                try await body()
            }
            try await tasks.next()
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    /// Opens a store by the shop's role, with its state made.
    func withStore(_ plan: DeliveryPlan? = nil, _ body: (DeliveryStore) async throws -> Void) async throws {
        var configuration = try configuration()
        configuration.isPinned = false
        let connection = try await PostgresConnection.connect(configuration, logger: .test)
        try await endingLast(connection.close) {
            let plan = try plan ?? self.plan()
            let store = plan.makeStore(connection)
            _ = try await DeliverySetUp(store: store, start: plan.start).prepare()
            try await body(store)
        }
    }

    /// Waits until nothing is left to deliver.
    func untilDelivered(_ orders: Int, state: String = "shop.reader") async throws {
        try await admin.waitUntil(
            """
            (select count(*) from shop.deliveries) = \(orders)
                and not exists (select from \(state)_waiting where next_at is not null)
            """
        )
    }

    /// Rows that differ between the goods and the feed, each named by what is wrong with it.
    func faults() async throws -> [String] {
        try await rows(Self.faults)
    }

    private static let faults = """
        with f as (select * from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 10000)),
        g as (
            select f.*, exists (select from f r where r.order_id = f.order_id and r.kind = 'order_refunded') as is_refunded
            from f where f.kind = 'order_fulfilled'
        )
        select 'lacks ' || g.order_id from g
        where not exists (
            select from shop.deliveries d
            where d.order_id = g.order_id and (d.refunded_share = 100) = g.is_refunded and d.calls = 1)
        union all
        select 'too many ' || d.order_id from shop.deliveries d where not exists (select from g where g.order_id = d.order_id)
        union all
        select 'called twice ' || c.id from shop.calls c group by c.id having count(*) > 1
        union all
        select 'out of order ' || a.id from shop.calls a join shop.calls b on a.order_id = b.order_id and a.id < b.id and a.n > b.n
        union all
        select 'wallet ' || w.account_id from shop.wallets w
        where w.coins <> (
            select coalesce(sum(100 * g.quantity) filter (where not g.is_refunded), 0) from g where g.account_id = w.account_id)
        """

    private static let tables = """
        create role ROLE login;
        grant counterfoil_backend to ROLE;
        create schema shop authorization ROLE;
        create schema shop_test;
        -- As a client who uploaded and a worker that granted would leave it.
        create function shop_test.buy(id text, accounts integer default 5) returns void language plpgsql as $$
        begin
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            values (id, '\(bundle)', 'coins', 'account ' || abs(hashtext(id)) % accounts);
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                account_id, order_number, granted_at
            )
            select
                't-' || id, '\(bundle)', 'production', 't-' || id, 'coins', 'consumable', 1, '2026-03-01', o.account_id,
                o.number, now()
            from counterfoil.orders o where o.order_id = id;
            update counterfoil.orders set state = 'fulfilled', transaction_id = 't-' || id, environment = 'production',
                fulfilled_at = now() where order_id = id;
        end $$;
        set role ROLE;
        create table shop.deliveries (
            bundle_id text, environment text, transaction_id text, order_id text, account_id text, quantity integer,
            refunded_share numeric not null default 0, calls integer not null default 1,
            primary key (bundle_id, environment, transaction_id)
        );
        create table shop.wallets (account_id text primary key, coins integer not null);
        create table shop.calls (n bigint generated always as identity, id bigint, order_id text);
        create table shop.poison (order_id text primary key, how text not null);
        create table shop.late (id bigint, ref text references shop.wallets (account_id) deferrable initially deferred);
        create function shop.fail() returns trigger language plpgsql as $$
        begin raise exception 'late' using errcode = 'check_violation'; end $$;
        create table shop.at_commit (id bigint);
        create constraint trigger at_commit after insert on shop.at_commit deferrable initially deferred
            for each row execute function shop.fail();
        reset role;
        """

    /// Harms by what shop.poison has for an order, or for an account where there is none, and delivers. Not safe to repeat, so that
    /// a second call shows.
    static let function = """
        create or replace function shop.on_change(c counterfoil.change) returns void language plpgsql as $$
        declare
            how text := (select p.how from shop.poison p where p.order_id = coalesce(c.order_id, c.account_id));
        begin
            insert into shop.calls (id, order_id) values (c.id, c.order_id);
            case
                when how ~ '^[0-9A-Z]{5}$' then raise exception 'poison' using errcode = how;
                when how = 'sleep' then perform pg_sleep(3600);
                when how = 'terminate' then perform pg_terminate_backend(pg_backend_pid()), pg_sleep(5);
                when how = 'commit' then commit;
                when how = 'deferred' then insert into shop.late values (c.id, 'nobody');
                when how = 'constraints deferred' then
                    set constraints all deferred;
                    insert into shop.late values (c.id, 'nobody');
                when how = 'trigger at commit' then insert into shop.at_commit values (c.id);
                when how = 'read only' then set transaction read only;
                when how = 'settings' then
                    set search_path = shop;
                    set synchronous_commit = off;
                    set statement_timeout = 0;
                    set default_transaction_isolation = serializable;
                    set default_transaction_read_only = on;
                when how = 'temporary tables' then
                    create temp table reader (cursor text);
                    create temp table pg_class (x integer);
                when how = 'cursor with hold' then
                    execute 'declare h cursor with hold for select 1 / (n - n) from (select count(*) n from shop.wallets) x';
                when how = 'locks' then
                    perform pg_advisory_lock(7);
                    execute 'prepare p as select 1';
                    listen x;
                when how = 'role' then set role counterfoil_backend;
                when how = 'cursor' then update shop.reader set cursor = 'x', failures = 100;
                else null;
            end case;
            if how = 'role' then reset role; end if;
            if c.kind = 'order_fulfilled' then
                insert into shop.deliveries (bundle_id, environment, transaction_id, order_id, account_id, quantity)
                values (c.bundle_id, c.environment, c.transaction_id, c.order_id, c.account_id, c.quantity)
                on conflict (bundle_id, environment, transaction_id) do update set calls = shop.deliveries.calls + 1;
                insert into shop.wallets as w values (c.account_id, 100 * c.quantity)
                on conflict (account_id) do update set coins = w.coins + excluded.coins;
            elsif c.kind = 'order_refunded' then
                update shop.deliveries d set refunded_share = 100 where d.order_id = c.order_id;
                update shop.wallets w set coins = w.coins - 100 * c.quantity where w.account_id = c.account_id;
            end if;
            if how = 'role' then set role counterfoil_backend; end if;
        end $$
        """
}
