// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import CommandSupport
@testable import counterfoil

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `counterfoil deliver` as a process.
@Suite struct DelivererProcessTests {
    /// A database with a shop's role, schema and function, and three orders that were rejected.
    private struct Site: Sendable {
        let url: String
        let admin: PostgresConnection

        static let arguments = ["deliver", "--function", "shop.on_change", "--state", "shop.reader"]

        static func open(_ body: @Sendable (Site) async throws -> Void) async throws {
            try await withMigratedDatabase { database in
                let role = "site_" + UUID().uuidString.lowercased().replacing("-", with: "_")
                try await database.withConnection { admin in
                    try await admin.executeScript(setUp.replacing("ROLE", with: role))
                    try await body(Site(url: database.url(user: role), admin: admin))
                }
            }
        }

        func environment(metrics: Bool = false) -> [String: String] {
            var environment = ["COUNTERFOIL_DATABASE_URL": url]
            if metrics { environment["COUNTERFOIL_METRICS_ADDRESS"] = "127.0.0.1:0" }
            return environment
        }

        func run(_ further: [String], function: String = "shop.on_change") async throws -> Program.Ended {
            var arguments = Self.arguments
            arguments[2] = function
            return try await Program.run(arguments + further, environment: environment())
        }

        func whileDelivering(
            metrics: Bool = false, _ act: @escaping @Sendable (Program.Running) async throws -> Void
        ) async throws -> Program.Ended {
            try await Program.whileRunning(
                Self.arguments + ["--from", "all"], environment: environment(metrics: metrics)
            ) { deliverer in
                try await admin.waitUntil("to_regclass('shop.reader_waiting') is not null")
                try await act(deliverer)
            }
        }

        private static let setUp = """
            create role ROLE login;
            grant counterfoil_backend to ROLE;
            create schema shop authorization ROLE;
            set role ROLE;
            create table shop.calls (id bigint, order_id text);
            create function shop.on_change(c counterfoil.change) returns void language plpgsql as $$
            begin
                insert into shop.calls values (c.id, c.order_id);
                if c.order_id = 'bad' then raise exception 'no such account'; end if;
            end $$;
            reset role;
            insert into counterfoil.apps (bundle_id) values ('com.example.game');
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            select id, 'com.example.game', 'coins', 'ann' from unnest('{a,b,c,bad}'::text[]) id;
            update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id <> 'bad';
            """
    }

    private static let calls = "select count(*) from shop.calls"

    @Test(.timeLimit(.minutes(3)))
    func aDelivererThatIsKilledBetweenCallAndCommitDeliversOnce() async throws {
        try await Site.open { site in
            // It makes the state.
            _ = try await site.whileDelivering { _ in try await site.admin.waitUntil("(\(Self.calls)) = 3") }
            try await site.admin.executeScript("update counterfoil.orders set reason = 'bad_signature' where order_id <> 'bad'")

            // The calls are made; the note of the page waits for the lock.
            try await site.admin.executeScript("begin; lock table shop.reader_pages in exclusive mode")
            let killed = try await site.whileDelivering { deliverer in
                // By a session of its own: within a database transaction the sessions are seen as they were first.
                try await PostgresConnection.withConnection(to: site.url) { observer in
                    try await observer.waitUntilALockIsWaitedFor("relation")
                }
                deliverer.send(SIGKILL)
            }
            try await site.admin.executeScript("commit")
            #expect(killed.status == .killed(signal: SIGKILL))
            _ = try await site.whileDelivering { _ in try await site.admin.waitUntil("(\(Self.calls)) >= 6") }

            let counted = try await site.admin.execute("select count(*), count(distinct id) from shop.calls")[0]
            #expect(try counted.int64(0) == 6)
            #expect(try counted.int64(1) == 6)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDelivererTellsHowItIsDoing() async throws {
        try await Site.open { site in
            try await site.admin.executeScript(
                "update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = 'bad'")
            let ended = try await site.whileDelivering(metrics: true) { deliverer in
                try await MetricsPage.wait(for: "counterfoil_waiting_changes 1", of: deliverer)
                try await MetricsPage.wait(for: "counterfoil_deliverer_ready 1", of: deliverer)
                try await MetricsPage.wait(for: "counterfoil_deliveries_total{result=\"delivered\"} 3", of: deliverer)
                let ready = try await MetricsPage.get("/readyz", of: deliverer)
                #expect(ready.status == 200)
                #expect(ready.body.contains("no such account"))
                #expect(try await MetricsPage.get("/healthz", of: deliverer).status == 200)
            }

            #expect(ended.status == .exited(0))
            #expect(ended.errors.contains("a change can't be delivered; it waits"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func operatorsSeeRetryAndSkipWhatWaits() async throws {
        try await Site.open { site in
            try await site.admin.executeScript(
                "update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = 'bad'")
            _ = try await site.whileDelivering { _ in
                try await site.admin.waitUntil("(select count(*) from shop.reader_waiting) = 1")
            }
            let id = String(try await site.admin.execute("select id from shop.reader_waiting")[0].int64(0))

            let listed = try await site.run(["--waiting"])
            #expect(listed.output.contains("no such account"))
            let retried = try await site.run(["--retry", id])
            #expect(retried.status == .exited(1))
            #expect(retried.errorLines.count == 1)
            #expect(retried.errors.contains("change \(id) failed again: P0001 no such account"))
            #expect(try await site.run(["--skip", id]).status == .exited(64))
            let skipped = try await site.run(["--skip", id, "--why", "a test", "--operator", "ann"])
            #expect(skipped.output == "change \(id) is skipped\n")
            let again = try await site.run(["--skip", id, "--why", "a test"])
            #expect(again.status == .exited(1))
            #expect(again.errors.contains("no change \(id) waits"))
            #expect(try await site.run(["--waiting", "--json"]).output.contains(#""skipped_by":"ann""#))
        }
    }

    /// Each is one line, and nothing is lost.
    @Test(.timeLimit(.minutes(3)))
    func wrongInputIsNamed() async throws {
        try await Site.open { site in
            let cases: [(arguments: [String], function: String, status: Int32, part: String)] = [
                ([], "shop.on_change", 78, "there is no state shop.reader yet: say with --from"),
                (["--from", "now"], "shop.missing", 78, "there is no function shop.missing"),
                (["--from", "now"], "counterfoil.changes_from", 78, "takes (since timestamp with time zone), and not one counterfoil.change"),
                (["--from", "tomorrowish"], "shop.on_change", 78, "--from tomorrowish: it must be now, all, or a time"),
                (["--waiting"], "shop.on_change", 78, "there is no state shop.reader yet"),
            ]
            for (arguments, function, status, part) in cases {
                let ended = try await site.run(arguments, function: function)
                #expect(ended.status == .exited(status), "\(part)")
                #expect(ended.errors.contains(part), "\(ended.errors)")
            }
            for (arguments, function) in [(["--kinds", "order_fullfilled"], "shop.on_change"), ([], "Shop.x"), ([], "x;y")] {
                #expect(try await site.run(arguments, function: function).status == .exited(64))
            }
            try await site.admin.executeScript("create table shop.reader (cursor text)")
            let another = try await site.run(["--from", "now"])
            #expect(another.status == .exited(78))
            #expect(another.errors.contains("the table shop.reader isn't a state that counterfoil deliver made"))
            #expect(try await site.admin.execute("select to_regclass('shop.reader_pages') is null")[0].bool(0))
        }
    }

    /// As a state that was copied with a shop's schema: it begins anew.
    @Test(.timeLimit(.minutes(3)))
    func aCursorOfAnotherServerLosesNothing() async throws {
        try await Site.open { site in
            _ = try await site.whileDelivering { _ in try await site.admin.waitUntil("(\(Self.calls)) = 3") }
            try await site.admin.executeScript(
                """
                update shop.reader set cursor = '123.4.5.00000001/700:700://.';
                update counterfoil.orders set state = 'rejected', reason = 'wrong_product' where order_id = 'a'
                """)

            let ended = try await site.whileDelivering { _ in try await site.admin.waitUntil("(\(Self.calls)) >= 4") }

            #expect(try await site.admin.execute(Self.calls)[0].int64(0) == 4)
            #expect(ended.errorLines.filter { $0.contains("the cursor is unknown here: begins anew") }.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRoleWithoutTheFeedIsNamed() async throws {
        try await Site.open { site in
            try await site.admin.executeScript(
                """
                do $$ begin
                    execute (select format('revoke counterfoil_backend from %I', nspowner::regrole::text) from pg_namespace
                        where nspname = 'shop');
                end $$
                """)
            let ended = try await site.run(["--from", "now"])
            #expect(ended.status == .exited(77))
            #expect(ended.errors.contains("may not read the feed: grant counterfoil_backend to it"))
        }
    }
}
