// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What `health` says of each thing that may hurt.
@Suite struct HealthTests {
    private func level(_ shop: Shop, _ subject: String) async throws -> [String] {
        try await shop.read("select level from counterfoil.health where subject = '\(subject)'")
    }

    @Test func everySubjectOfAHealthyDatabaseIsWell() async throws {
        try await Shop.open { shop in
            try await shop.run("insert into counterfoil.workers (name, host, pid, version, slots) values ('one', 'h', 1, '1', 10)")
            // Since the database was migrated, which other tests share, more time may have passed than counting may be late.
            try await shop.mark(final: "now()", counted: "now()")

            #expect(try await shop.read("select subject, finding from counterfoil.health where level <> 'ok'") == [])
        }
    }

    @Test func whatIsWrongIsNamedWithALevel() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            try await shop.order("b")
            try await shop.upload("b")
            let partition = try #require(
                try await shop.value(
                    "select 'other_attempts_' || to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM')"))
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - interval '2 minutes' where order_id = 'a';
                update counterfoil.jobs set state = 'discarded', reason = 'crashed_repeatedly' where order_id = 'b';
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at)
                values ('two', 'h', 2, '1', 10, now() - interval '5 minutes');
                drop table counterfoil.\(partition);
                update counterfoil.roll_up_marks set final_to = now() - interval '1 day', counted_to = now() - interval '1 day'
                """)

            #expect(try await level(shop, "oldest job") == ["(warning)"])
            #expect(try await level(shop, "discarded jobs") == ["(warning)"])
            #expect(try await level(shop, "workers") == ["(critical)"])
            #expect(try await level(shop, "partitions of attempts") == ["(critical)"])
            #expect(try await level(shop, "counts") == ["(warning)"])
        }
    }

    /// As after pg_upgrade, and after a restore: the server has another name.
    @Test func aFeedThatRefusesItsReadersIsCritical() async throws {
        try await Shop.open { shop in
            #expect(try await level(shop, "feed") == ["(ok)"])
            try await shop.run("update counterfoil.feed set server = 'another'")

            let found = try await shop.read("select level, finding, mend from counterfoil.health where subject = 'feed'")

            #expect(found.count == 1 && found[0].hasPrefix("(critical,"))
            #expect(found[0].contains("restored_changes_need_a_migration") && found[0].contains("counterfoil migrate"))
            let refusal = try await Refusal.of { _ = try await shop.backend.execute("select counterfoil.changes_from(now())") }
            #expect(refusal?.constraint == "restored_changes_need_a_migration")
            try await shop.run("select counterfoil.adopt_changes()")
            #expect(try await level(shop, "feed") == ["(ok)"])
        }
    }

    /// Notifications that Apple signed so many seconds ago by the server's clock, each of which was verified, or not.
    @Test(
        arguments: [
            ([1.0, 2], true, "ok"), ([700, 800, 3_700], true, "critical"), ([3_700, 3, 90_000], true, "ok"),
            ([-300], true, "critical"),
            ([-60], true, "ok"), ([-300], false, "ok"), ([700], false, "ok"), ([], true, "ok"),
        ] as [([Double], Bool, String)])
    func theServersClockIsComparedWithApples(ages: [Double], isVerified: Bool, level expected: String) async throws {
        try await Shop.open { shop in
            for (number, age) in ages.enumerated() {
                try await shop.run(
                    """
                    insert into counterfoil.notifications (
                        notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app, signed_at, outcome,
                        processed_at
                    ) values (
                        gen_random_uuid(), '\(Shop.bundle)', 'production', 'TEST', 'push', 'a.b.\(number)', sha256('\(number)'), true,
                        now() - make_interval(secs => \(age)), \(isVerified ? "'stored', now()" : "null, null")
                    )
                    """)
            }

            #expect(try await level(shop, "clock") == ["(\(expected))"])
        }
    }

    /// Whoever is to blame, and nobody else.
    @Test(arguments: [
        ("select", "mend what the message names"),
        ("revoke all on counterfoil.notifications from counterfoil_worker", "counterfoil migrate (see privileges)"),
    ])
    func theFirstOrderWhoseSettlementIsRefusedIsCritical(change: String, mend: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            #expect(try await level(shop, "refused settlements") == ["(ok)"])
            try await shop.run(
                """
                update counterfoil.jobs set reason = 'settlement_refused', run_at = now() + interval '1 minute';
                insert into counterfoil.other_attempts
                    (job_id, order_number, lease_token, attempt, disposition, reason, message, submitted_at, claimed_at)
                select
                    j.id, j.order_number, 1, 1, 'snooze', 'settlement_refused', '42P01: relation shop.x does not exist', now(), now()
                from counterfoil.jobs j
                """)
            try await shop.admin.executeScript(change)

            let found = try await shop.read(
                "select level, finding, mend from counterfoil.health where subject = 'refused settlements'")

            #expect(found.count == 1)
            #expect(found[0].contains("critical") && found[0].contains("1 paid orders wait: the database refuses them, since 2"))
            #expect(found[0].contains("42P01: relation") && found[0].contains("jobs retry --reason settlement_refused"))
            #expect(found[0].contains(mend), "\(found)")
        }
    }

    @Test func lostPrivilegesAreCriticalAndFurtherOnesAWarning() async throws {
        try await Shop.open { shop in
            #expect(try await level(shop, "privileges") == ["(ok)"])

            _ = try await shop.admin.execute("grant execute on function counterfoil.roll_up() to public")
            #expect(try await level(shop, "privileges") == ["(warning)"])

            _ = try await shop.admin.execute("revoke update (state) on counterfoil.jobs from counterfoil_worker")
            #expect(try await level(shop, "privileges") == ["(critical)"])
            let found = try await shop.read("select finding from counterfoil.health where subject = 'privileges'")
            let first = "grant update (state) on table counterfoil.jobs to counterfoil_worker"
            #expect(found == ["(\"2 differ from what migrate grants, such as: \(first)\")"])
        }
    }

    /// Apple decides without an answer that it doesn't take. One call may fail, and what was answered otherwise is over.
    @Test func answersThatAppleDoesNotTakeAreCounted() async throws {
        try await Shop.open { shop in
            func answer(_ question: Int, _ state: String, attempts: Int = 1, ended: String = "now()") async throws {
                try await shop.run(
                    """
                    insert into counterfoil.consumption_answers (
                        notification_id, state, delivery_status, sample_content_provided, who, why, attempts, error, ended_at
                    )
                    values (\(question), '\(state)', 'delivered', false, 'eve', 'x', \(attempts), 'why', \(ended))
                    """)
            }
            try await answer(1, "waiting", attempts: 2, ended: "null")
            try await answer(2, "refused", ended: "now() - interval '2 days'")
            try await answer(3, "refused")
            try await answer(3, "sent")
            #expect(try await level(shop, "answers about refunds") == ["(ok)"])

            try await answer(4, "waiting", attempts: 3, ended: "null")
            try await answer(5, "refused")
            try await answer(6, "late")

            let found = try await shop.read("select level, finding from counterfoil.health where subject = 'answers about refunds'")
            #expect(found.count == 1 && found[0].hasPrefix("(warning,"), "\(found)")
            #expect(found[0].contains("1 wait after three failed calls or more, 2 of the last day were refused or late"), "\(found)")
        }
    }

    @Test func deadlocksAreToldWithTheirNumber() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            #expect(try await level(shop, "deadlocks") == ["(ok)"])
            func lock(_ order: String) -> String { "select from counterfoil.orders where order_id = '\(order)' for update" }
            try await shop.database.withConnection { other in
                try await shop.admin.executeScript("begin; \(lock("a"))")
                try await other.executeScript("begin; \(lock("b"))")
                async let first: Void = shop.admin.executeScript(lock("b"))
                async let second: Void = other.executeScript(lock("a"))
                let ended = await [try? first, try? second].compactMap(\.self).count
                #expect(ended == 1)
                try await shop.admin.executeScript("rollback")
                try await other.executeScript("rollback")
            }

            try await shop.backend.waitUntil(
                "(select deadlocks > 0 from pg_stat_database where datname = current_database())", timeout: .seconds(30))
            #expect(try await level(shop, "deadlocks") == ["(warning)"])
        }
    }

    @Test func aGateThatAPersonClosedIsNamedThoughNothingWaits() async throws {
        try await Shop.open { shop in
            let lane = try #require(try await shop.value("select min(lane) from counterfoil.gates"))
            try await shop.run(
                """
                update counterfoil.gates
                set state = 'closed', closed_by = 'operator', closed_for = 'mo', why = 'test', closed_at = now()
                where lane = \(lane)
                """)

            let found = try await shop.read(
                "select level, finding from counterfoil.health where subject = 'parked jobs of lane \(lane)'")

            #expect(found.count == 1)
            #expect(found[0].contains("warning") && found[0].contains("0 wait behind the gate"))
        }
    }

    @Test func aSilentWorkerIsPassedOverOnceItsNamesakeLives() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            try await shop.run(
                """
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at)
                values ('one', 'h', 1, '1', 10, now() - interval '5 minutes');
                insert into counterfoil.workers (name, host, pid, version, slots) values ('one', 'h', 2, '1', 10);
                update counterfoil.jobs
                set state = 'running', worker_id = (select min(id) from counterfoil.workers), claimed_at = now(),
                    lease_expires_at = now() + interval '1 minute'
                """)
            let holding = try await level(shop, "workers")
            try await shop.run("delete from counterfoil.jobs")

            #expect(holding == ["(warning)"])
            #expect(try await level(shop, "workers") == ["(ok)"])
            try await shop.run("update counterfoil.workers set host = 'another' where pid = 2")
            #expect(try await level(shop, "workers") == ["(warning)"])
        }
    }

    @Test func parkedJobsAreNamedWithTheirGate() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            try await shop.run(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'operator', closed_for = 'eve', why = 'a test'
                where route = 'local'
                """)
            let lane = try await shop.lane()

            #expect(
                try await shop.read("select level, finding, mend from counterfoil.health where subject like 'parked%'") == [
                    "(warning,\"1 wait behind the gate of local for \(Shop.bundle), closed by operator: a test\",\"counterfoil gates open \(lane) --why WHY\")"
                ])
        }
    }

    @Test func theHolderOfTheOldestSnapshotIsNamedWithoutItsQuery() async throws {
        try await Shop.open { shop in
            try await shop.database.withConnection(as: "counterfoil_backend") { holder in
                try await holder.withTransaction { holder in
                    _ = try await holder.execute("set transaction isolation level repeatable read")
                    let pid = try await holder.execute("select pg_backend_pid(), 'a secret'")[0].int32(0)

                    let found = try await shop.read(
                        "select * from counterfoil.snapshot_holders() where pid = \(pid)")
                    let health = try await shop.read("select finding from counterfoil.health where subject = 'oldest snapshot'")

                    #expect(found.count == 1)
                    #expect(found.first?.contains("(session,\(pid),counterfoil_backend,") == true)
                    #expect(!(found + health).joined().contains("secret"))
                    #expect(health.first?.contains("of process ") == true)
                }
            }
        }
    }

    /// Idle after a write it has no snapshot any more, and vacuum waits for it all the same.
    @Test func aTransactionThatWroteAndForgotItselfIsAHolder() async throws {
        try await Shop.open { shop in
            try await shop.database.withConnection { holder in
                try await holder.withTransaction { holder in
                    let pid = try await holder.execute("select pg_backend_pid()")[0].int32(0)
                    // As a simple query, whose portal is gone with it.
                    try await holder.executeScript("update counterfoil.roll_up_marks set one_row = true")
                    let hasSnapshot = try await shop.value("select backend_xmin from pg_stat_activity where pid = \(pid)")

                    #expect(hasSnapshot == nil)
                    #expect(
                        try await shop.read("select pid from counterfoil.snapshot_holders() where pid = \(pid)") == ["(\(pid))"])
                }
            }
        }
    }

    @Test func whoHoldsASnapshotInAnotherDatabaseIsNotBlamed() async throws {
        try await Shop.open { shop in
            try await PostgresConnection.withConnection(to: TestServer.url()) { other in
                try await other.withTransaction { other in
                    _ = try await other.execute("set transaction isolation level repeatable read")
                    let pid = try await other.execute("select pg_backend_pid()")[0].int32(0)

                    #expect(try await shop.read("select pid from counterfoil.snapshot_holders() where pid = \(pid)") == [])
                }
            }
        }
    }

    @Test func deadRowsAreCounted() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                alter table counterfoil.jobs set (autovacuum_enabled = false);
                set session_replication_role = replica;
                insert into counterfoil.jobs (order_id, order_number, proof, lane) select 'x', 1, 'p', 1 from generate_series(1, 60000);
                delete from counterfoil.jobs;
                reset session_replication_role;
                select pg_stat_force_next_flush()
                """)
            try await shop.admin.waitUntil(
                "exists (select from pg_stat_user_tables where relname = 'jobs' and n_dead_tup >= 60000)")

            #expect(try await level(shop, "dead rows of jobs") == ["(critical)"])
        }
    }

    /// Jobs that came and went since the last vacuum, which came in time: as many as a naptime brings at a high rate.
    @Test func deadRowsBetweenTwoVacuumsAreNoAlarm() async throws {
        try await Shop.open { shop in
            try await shop.run("alter table counterfoil.jobs set (autovacuum_enabled = false)")
            try await shop.run("vacuum counterfoil.jobs")
            try await shop.run(comingAndGoing)
            try await shop.admin.waitUntil(
                """
                exists (
                    select from pg_stat_user_tables where relname = 'jobs' and n_dead_tup >= 120000 and last_vacuum is not null
                )
                """)
            let rushed = try await shop.read(
                """
                select level, finding like '1_0000 dead beside 0 live%' from counterfoil.health
                where subject = 'dead rows of jobs'
                """)

            #expect(rushed == ["(ok,t)"])
        }
    }

    /// Vacuum comes, and can't remove them.
    @Test func deadRowsThatAVacuumLeftAreCounted() async throws {
        try await Shop.open { shop in
            try await shop.run("alter table counterfoil.jobs set (autovacuum_enabled = false)")
            try await shop.database.withConnection { holder in
                try await holder.executeScript("begin isolation level repeatable read; select 1")
                try await shop.run(comingAndGoing)
                try await shop.run("vacuum counterfoil.jobs")
                try await shop.admin.waitUntil(
                    """
                    exists (
                        select from pg_stat_user_tables
                        where relname = 'jobs' and n_dead_tup >= 60000 and last_vacuum is not null and n_ins_since_vacuum = 0
                    )
                    """)

                #expect(try await level(shop, "dead rows of jobs") == ["(critical)"])
                try await holder.executeScript("rollback")
            }
        }
    }

    /// Sixty thousand jobs that are inserted, claimed and removed.
    private var comingAndGoing: String {
        """
        set session_replication_role = replica;
        insert into counterfoil.jobs (order_id, order_number, proof, lane) select 'x', 1, 'p', 1 from generate_series(1, 60000);
        update counterfoil.jobs set run_at = now() + interval '1 minute';
        delete from counterfoil.jobs;
        reset session_replication_role;
        select pg_stat_force_next_flush()
        """
    }

    @Test func aPublicationThatStopsUpdatesIsNamedWithItsMend() async throws {
        try await Shop.open { shop in
            let before = try await shop.read("select level, finding from counterfoil.health where subject like 'publication%'")
            try await shop.order("a")
            try await shop.run(
                """
                create publication inserts for table counterfoil.orders where (product_id = 'x') with (publish = 'insert');
                create publication by_key for table counterfoil.orders where (order_id = 'x');
                create publication whole for table counterfoil.payments
                """)
            let harmless = try await shop.read("select level, finding from counterfoil.health where subject like 'publication%'")
            try await shop.run("update counterfoil.orders set reason = 'malformed_proof', state = 'rejected'")
            try await shop.run("create publication by_app for table counterfoil.orders where (bundle_id = 'x')")

            let found = try await shop.read("select * from counterfoil.health where subject like 'publication%'")
            let refusal = try await Refusal.of { try await shop.run("update counterfoil.orders set reason = 'replayed'") }
            let mend = try #require(
                try await shop.value("select mend from counterfoil.health where subject = 'publication by_app'"))
            try await shop.run(mend)

            #expect(before == ["(ok,\"none stands in the way of an update\")"])
            #expect(harmless == before)
            #expect(
                found == [
                    "(\"publication by_app\",critical,\"it filters the rows of orders, so that the server refuses every update of that table\",\"alter publication by_app drop table counterfoil.orders\")"
                ])
            #expect(refusal == Refusal("42P10"))
            try await shop.run("update counterfoil.orders set reason = 'replayed'")
        }
    }

    /// The feed is read by its function: the rows of its table are nobody else's.
    @Test(arguments: ["changes", "changes_default"])
    func aPublicationOfTheFeedsTableIsNamedWithItsMend(table: String) async throws {
        try await Shop.open { shop in
            try await shop.run("create publication feed for table counterfoil.\(table) with (publish = 'insert')")

            let found = try await shop.read("select level, mend from counterfoil.health where subject = 'publication feed'")

            #expect(found == ["(warning,\"alter publication feed drop table counterfoil.\(table)\")"])
        }
    }

    @Test func anIndexIsAsLargeAsItsEntriesUntilItBloats() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                alter table counterfoil.jobs set (autovacuum_enabled = false);
                set session_replication_role = replica;
                insert into counterfoil.jobs (order_id, order_number, proof, lane)
                select 'order ' || i, i, 'p', 1 from generate_series(1, 50000) i;
                reset session_replication_role
                """)
            try await shop.run("vacuum analyze counterfoil.jobs")
            let ratio =
                "select round(bytes::numeric / packed_bytes) <= 2 from counterfoil.index_sizes() where index_name = 'jobs_pkey'"
            let packed = try await shop.read(ratio)
            try await shop.run("delete from counterfoil.jobs where id % 1000 <> 0")
            try await shop.run("vacuum analyze counterfoil.jobs")

            #expect(packed == ["(t)"])
            #expect(try await shop.read(ratio) == ["(f)"])
        }
    }
}
