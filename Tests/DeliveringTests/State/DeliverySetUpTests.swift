// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@testable import Delivering

/// What a reader is refused for before it delivers anything, and its statements.
@Suite struct DeliverySetUpTests {
    private func problem(_ shop: DeliveryShop, _ change: (inout DeliveryPlan) -> Void = { _ in }) async throws -> DeliveryProblem? {
        var plan = try shop.plan()
        change(&plan)
        do {
            try await shop.withStore(plan) { _ in }
            return nil
        } catch let problem as DeliveryProblem {
            return problem
        }
    }

    private func plan(_ shop: DeliveryShop, function: String) throws -> DeliveryPlan {
        let function = try #require(QualifiedName(function))
        var plan = DeliveryPlan(function: function, tables: try shop.plan().tables)
        plan.start = .now
        return plan
    }

    @Test func everyStatementIsOne() async throws {
        try await DeliveryShop.open { shop in
            try await shop.withStore { store in
                for statement in store.sql.all where statement.name != "restore_path" {
                    await #expect(throws: Never.self, "\(statement.name)") {
                        _ = try await store.connection.execute("prepare planned as \(statement.sql)")
                        _ = try await store.connection.execute("deallocate planned")
                    }
                }
            }
        }
    }

    @Test func theTypeHasTheColumnsOfTheFeed() async throws {
        try await DeliveryShop.open { shop in
            let ofType = try await shop.rows(
                """
                select a.attname, a.atttypid::regtype from pg_attribute a
                where a.attrelid = (select typrelid from pg_type where oid = 'counterfoil.change'::regtype) order by a.attname
                """)
            let ofFeed = try await shop.rows(
                """
                select u.name, u.type::regtype
                from pg_proc p, unnest(p.proargnames, p.proallargtypes, p.proargmodes) u (name, type, mode)
                where p.oid = 'counterfoil.changes_since'::regproc and u.mode = 't' and u.name <> 'next_cursor' order by u.name
                """)
            #expect(ofType == ofFeed)
            #expect(ofType.count == 19)
        }
    }

    @Test func theFunctionIsLookedAt() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run(
                """
                create function shop.of_text(t text, n integer) returns void language sql as '';
                create procedure shop.proc(c counterfoil.change) language sql as '';
                create function shop.many(c counterfoil.change) returns setof integer language sql as 'select 1';
                create function shop.secret(c counterfoil.change) returns void language sql as '';
                revoke execute on function shop.secret from public
                """)
            let cases: [(String, DeliveryProblem)] = try [
                ("shop.missing", .noFunction(#require(QualifiedName("shop.missing")))),
                ("shop.of_text", .functionTakesOthers(#require(QualifiedName("shop.of_text")), arguments: "t text, n integer")),
                ("shop.proc", .functionIsNotPlain(#require(QualifiedName("shop.proc")))),
                ("shop.many", .functionIsNotPlain(#require(QualifiedName("shop.many")))),
                ("shop.secret", .mayNotCall(#require(QualifiedName("shop.secret")), role: shop.role)),
            ]
            for (function, expected) in cases {
                let plan = try plan(shop, function: function)
                #expect(try await problem(shop) { $0 = plan } == expected)
            }
            #expect(try await shop.value("select to_regclass('shop.reader')") == nil)
        }
    }

    @Test func theStateIsLookedAt() async throws {
        try await DeliveryShop.open { shop in
            let name = try #require(QualifiedName("shop.reader"))
            #expect(try await problem(shop) { $0.start = nil } == .stateIsMissing(name))
            #expect(try await problem(shop) { $0.start = .time("yesterdayish") } == .badStart("yesterdayish"))
            try await shop.run("create table shop.reader (cursor text)")
            #expect(try await problem(shop) == .stateIsAnother(name, columns: "cursor text"))
            try await shop.run("drop table shop.reader")
            #expect(try await problem(shop) == nil)
            #expect(try await problem(shop) { $0.start = nil } == nil)
            try await shop.run("truncate shop.reader")
            #expect(try await problem(shop) == .stateIsEmpty(name))
            try await shop.run("drop table shop.reader_pages")
            #expect(try await problem(shop) == .stateIsIncomplete(name, missing: "shop.reader_pages"))
            let elsewhere = try shop.plan(state: "nowhere.reader")
            #expect(try await problem(shop) { $0 = elsewhere } == .noSchema("nowhere"))
        }
    }

    @Test func aRoleThatMayNotReadTheFeedIsNamed() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("revoke counterfoil_backend from \(shop.role)")
            #expect(try await problem(shop) == .mayNotReadFeed(role: shop.role))
            try await shop.run("grant usage on schema counterfoil to \(shop.role)")
            #expect(try await problem(shop) == .mayNotReadFeed(role: shop.role))
        }
    }

    @Test func twoThatMakeTheStateAtOnceShareIt() async throws {
        try await DeliveryShop.open { shop in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await shop.withStore { _ in } } }
                try await tasks.waitForAll()
            }
            #expect(try await shop.value("select count(*) from shop.reader") == "1")
        }
    }
}
