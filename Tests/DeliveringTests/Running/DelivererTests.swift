// SPDX-License-Identifier: Apache-2.0

import EventSources
import Postgres
import TestSupport
import Testing

@testable import Delivering

/// Goods equal what the feed told: each once, and in order an order.
@Suite struct DelivererTests {
    private static let orders = (1...30).map { "o\($0)" }

    @Test func grantsAndRefundsAreDeliveredOnce() async throws {
        try await DeliveryShop.open { shop in
            try await shop.buy(Self.orders)
            try await shop.refund("o3")
            try await shop.delivering {
                try await shop.untilDelivered(30)
                try await shop.buy(["later"])
                try await shop.refund("o4")
                try await shop.untilDelivered(31)
                try await shop.admin.waitUntil("(select count(*) from shop.calls) = 33")
            }

            #expect(try await shop.faults() == [])
            #expect(try await shop.value("select delivered from shop.reader") == "33")
        }
    }

    @Test func aNewReaderOfNowDeliversNothingOld() async throws {
        try await DeliveryShop.open { shop in
            try await shop.buy(["old"])
            let log = EventLog<DelivererEvent>()
            try await shop.delivering(try shop.plan(.now), log: log) {
                try await log.wait(for: "a page") { $0.outcome == .empty(hasDue: false) }
                try await shop.buy(["new"])
                try await shop.untilDelivered(1)
            }

            #expect(try await shop.rows("select order_id from shop.deliveries") == ["(new)"])
        }
    }

    @Test func otherKindsAndAppsArePassedOver() async throws {
        try await DeliveryShop.open { shop in
            try await shop.buy(["a", "b"])
            try await shop.refund("a")
            var plan = try shop.plan()
            plan.selection.kinds = ["order_refunded"]
            try await shop.delivering(plan) { try await shop.admin.waitUntil("(select count(*) from shop.calls) = 1") }
            plan.selection = ChangeSelection(bundleIDs: ["com.example.other"])
            try await shop.buy(["c"])
            let log = EventLog<DelivererEvent>()
            try await shop.delivering(plan, log: log) {
                // Changes of other apps are passed over as a page, or found to be no news.
                try await log.wait(for: "the end") { $0.outcome == .empty(hasDue: false) || $0.outcome == .looked(hasNews: false) }
            }

            #expect(try await shop.rows("select order_id from shop.calls") == ["(a)"])
        }
    }

    // MARK: What changes meanwhile

    /// A column comes at the end, as with a newer schema, and the shop replaces its function by one that reads it.
    @Test func aTypeThatGetsAColumnAndAReplacedFunctionDisturbNoDelivery() async throws {
        try await DeliveryShop.open { shop in
            var patient = try shop.plan()
            patient.callTimeout = .seconds(30)
            let (plan, log) = (patient, EventLog<DelivererEvent>())
            try await shop.delivering(plan, log: log) {
                for round in 1...10 {
                    try await shop.buy((1...20).map { "r\(round)-\($0)" })
                    if round == 4 { try await shop.run("alter type counterfoil.change add attribute shelf text") }
                    if round == 7 {
                        // The new column is null: no change has it yet.
                        let function = DeliveryShop.function.replacing(
                            "insert into shop.calls (id, order_id) values (c.id, c.order_id)",
                            with: "insert into shop.calls (id, order_id) values (c.id, concat(c.order_id, c.shelf))")
                        try await shop.run("set role \(shop.role); \(function); reset role")
                    }
                    // Some of a round is under way when the next one changes something.
                    try await shop.admin.waitUntil("(select count(*) from shop.deliveries) > \(20 * (round - 1))")
                }
                try await shop.untilDelivered(200)
            }

            #expect(try await shop.faults() == [])
            #expect(try await shop.value("select count(*) from shop.calls") == "200")
            #expect(!log.all.contains { $0.outcome.isPageFailure })
        }
    }

    /// 1,500 changes of one commit meet in 97 rows, which the shop's own work locks against their order.
    @Test(.timeLimit(.minutes(3))) func manyChangesOfOneCommitMeetInFewWallets() async throws {
        try await DeliveryShop.open { shop in
            var patient = try shop.plan()
            patient.callTimeout = .seconds(30)
            let plan = patient
            try await shop.delivering(plan) {
                try await shop.run("select shop_test.buy('o' || n, 97) from generate_series(1, 1500) n")
                for _ in 1...20 {
                    // It may be the one that a deadlock ends.
                    try? await shop.run(
                        """
                        do $$
                        declare w text;
                        begin
                            for w in select account_id from shop.wallets order by account_id desc loop
                                update shop.wallets set coins = coins where account_id = w;
                            end loop;
                        end $$
                        """)
                }
                try await shop.admin.waitUntil("(select count(*) from shop.deliveries) = 1500", timeout: .seconds(120))
                try await shop.run("update shop.reader_waiting set next_at = now() where next_at < 'infinity'")
                try await shop.untilDelivered(1500)
            }

            #expect(try await shop.faults() == [])
            #expect(try await shop.value("select count(*) from shop.wallets") == "97")
        }
    }

    // MARK: Functions that do harm

    /// What a function does to one order of a page, and whether that order's goods come all the same.
    private static let poisons: [(how: String, isDelivered: Bool)] = [
        ("P0001", false), ("08001", false), ("53100", false), ("40001", false), ("40P01", false), ("55P03", false),
        ("57014", false),
        ("57P01", false), ("XX000", false), ("ZCU01", false), ("25006", false), ("sleep", false), ("terminate", false),
        ("commit", false),
        ("deferred", false), ("constraints deferred", false), ("trigger at commit", false), ("read only", false),
        ("settings", true),
        ("temporary tables", true), ("cursor with hold", true), ("locks", true), ("role", true), ("cursor", true),
    ]

    @Test(arguments: poisons)
    func aPoisonedOrderHarmsNoOther(_ how: String, isDelivered: Bool) async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("insert into shop.poison values ('o5', '\(how)')")
            try await shop.buy(Self.orders)
            try await shop.refund("o5")
            try await shop.refund("o6")

            try await shop.delivering {
                try await shop.admin.waitUntil("(select count(*) from shop.deliveries) = \(isDelivered ? 30 : 29)")
                try await shop.admin.waitUntil(
                    "(select count(*) from shop.reader_waiting where next_at is not null) = \(isDelivered ? 0 : 2)")
                try await shop.admin.waitUntil("(select count(*) from shop.calls) = \(isDelivered ? 32 : 30)")
                #expect(try await shop.faults() == (isDelivered ? [] : ["(\"lacks o5\")"]))
                // The session is as new.
                #expect(
                    try await shop.value(
                        "select count(*) from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' "
                            + "and a.datname = current_database()") == "0")

                try await shop.run(
                    "truncate shop.poison; update shop.reader_waiting set next_at = now() where next_at < 'infinity'")
                try await shop.buy(["later"])
                try await shop.untilDelivered(31)
            }

            #expect(try await shop.faults() == [])
        }
    }

    @Test func laterChangesOfAnOrderWaitBehindTheFirst() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("insert into shop.poison values ('a', 'P0001')")
            try await shop.buy(["a", "b"])
            try await shop.delivering {
                try await shop.admin.waitUntil("(select count(*) from shop.reader_waiting) = 1")
                try await shop.refund("a")
                try await shop.refund("b")
                try await shop.admin.waitUntil("(select count(*) from shop.reader_waiting where next_at = 'infinity') = 1")
                try await shop.admin.waitUntil("(select tries from shop.reader_waiting order by id limit 1) > 1")
                #expect(try await shop.rows("select order_id, refunded_share from shop.deliveries") == ["(b,100)"])
                try await shop.run("truncate shop.poison")
                try await shop.untilDelivered(2)
            }

            #expect(try await shop.faults() == [])
        }
    }

    /// Changes of accounts name neither an order nor a payment.
    @Test func aChangeOfAnAccountThatWaitsHoldsUpNoOtherAccount() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run(
                """
                insert into shop.poison values ('ann', 'P0001');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select a, '\(DeliveryShop.bundle)', 'coins', a from unnest('{ann,bob}'::text[]) a;
                select counterfoil.move_account('ann', 'cat', 'eve', 'one person');
                select counterfoil.move_account('bob', 'dan', 'eve', 'one person')
                """)

            try await shop.delivering {
                try await shop.admin.waitUntil("(select count(*) from shop.calls) = 3")
                try await shop.admin.waitUntil("(select count(*) from shop.reader_waiting) = 1")
            }

            #expect(try await shop.rows("select w.key from shop.reader_waiting w") == ["(\"account ann\")"])
        }
    }

    /// The shop has obeyed the move by then.
    @Test func aChangeThatWaitedIsOfTheAccountThatItIsNow() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("insert into shop.poison values ('a', 'P0001')")
            try await shop.buy(["a"])
            try await shop.delivering {
                try await shop.admin.waitUntil("(select count(*) from shop.reader_waiting) = 1")
                try await shop.run(
                    "select counterfoil.move_account(account_id, 'zoe', 'eve', 'one person') from counterfoil.orders")
                try await shop.admin.waitUntil("(select count(*) from shop.calls) = 2")
                try await shop.run("truncate shop.poison")
                try await shop.untilDelivered(1)
            }

            #expect(try await shop.rows("select * from shop.wallets") == ["(zoe,100)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func twentyFailuresPauseThePagesAndOneSuccessGoesOn() async throws {
        try await DeliveryShop.open { shop in
            var plan = try shop.plan()
            plan.limits.paused = .milliseconds(50)
            try await shop.run("insert into shop.poison select 'o' || n, 'P0001' from generate_series(1, 30) n")
            try await shop.buy(Self.orders)
            let log = EventLog<DelivererEvent>()
            try await shop.delivering(plan, log: log) {
                try await log.wait(for: "a pause") { $0.outcome == .paused }
                #expect(try await shop.value("select count(*) from shop.reader_waiting") == "20")
                try await log.wait(for: "tries while paused", count: 3) { $0.outcome == .tried(succeeded: false, isPaused: true) }
                #expect(try await shop.value("select count(*) from shop.reader_waiting") == "20")

                try await shop.run("truncate shop.poison; update shop.reader_waiting set next_at = now()")
                try await shop.untilDelivered(30)
            }

            #expect(try await shop.faults() == [])
        }
    }

    // MARK: Deaths

    /// Holds up the function at its end until the advisory lock is free.
    private static let gate = """
        create function shop.hold_up() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(8); return null; end $$;
        create trigger hold_up after insert on shop.wallets for each statement execute function shop.hold_up()
        """

    @Test func aSessionThatDiesBetweenCallAndCommitLeavesNothing() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("set role \(shop.role); \(Self.gate); reset role; select pg_advisory_lock(8)")
            try await shop.buy(["a", "b"])
            var plan = try shop.plan()
            plan.callTimeout = .seconds(60)
            try await shop.delivering(plan) {
                try await shop.admin.waitUntilALockIsWaitedFor("advisory")
                try await shop.run("select pg_terminate_backend(pid) from pg_stat_activity where usename = '\(shop.role)'")
                try await shop.run("select pg_advisory_unlock(8)")
                try await shop.untilDelivered(2)
            }

            #expect(try await shop.faults() == [])
        }
    }

    /// Who stands by for a row that never comes would deliver nothing, and nobody would know.
    @Test func aStateThatWasEmptiedEndsTheDeliverer() async throws {
        try await DeliveryShop.open { shop in
            let state = try #require(QualifiedName("shop.reader"))
            await #expect(throws: DeliveryProblem.stateIsEmpty(state)) {
                try await shop.delivering {
                    try await shop.buy(["a"])
                    try await shop.untilDelivered(1)
                    try await shop.run("truncate shop.reader")
                    await untilCancelled()
                }
            }
        }
    }

    @Test func aSecondDelivererStandsByAndTakesOver() async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("set role \(shop.role); \(Self.gate); reset role; select pg_advisory_lock(8)")
            try await shop.buy(Self.orders)
            var patient = try shop.plan()
            patient.callTimeout = .seconds(60)
            let plan = patient
            let (first, second) = (EventLog<DelivererEvent>(), EventLog<DelivererEvent>())
            try await shop.delivering(plan, log: second) {
                try await shop.delivering(plan, log: first) {
                    // One holds the state; the other, whichever it is, stands by.
                    try await shop.admin.waitUntilALockIsWaitedFor("advisory")
                    try await eventually("one stands by") {
                        (first.all + second.all).contains { $0.outcome == .standsBy }
                    }
                    try await shop.run("select pg_advisory_unlock(8)")
                    try await shop.untilDelivered(30)
                }
                try await shop.buy(["later"])
                try await shop.untilDelivered(31)
            }

            #expect(try await shop.faults() == [])
        }
    }
}

extension DeliveryMachine.Outcome {
    fileprivate var isPageFailure: Bool {
        if case .pageFailed = self { true } else { false }
    }
}
