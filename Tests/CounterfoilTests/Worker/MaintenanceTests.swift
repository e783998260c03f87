// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What a running worker does beside its jobs.
@Suite struct MaintenanceTests {
    @Test(.timeLimit(.minutes(3)))
    func aWorkerCountsForTheDashboards() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")
            try await shop.execute("delete from counterfoil.jobs")
            try await shop.execute(
                """
                insert into counterfoil.other_attempts (
                    job_id, order_number, lease_token, attempt, disposition, transaction_id, submitted_at, claimed_at, finished_at
                )
                select 1, \(orderNumber("o")), 1, 1, 'complete', '1', t, t, t from (select now() - interval '2 hours' as t) x
                """)
            try await shop.execute(
                """
                update counterfoil.roll_up_marks
                set final_to = date_trunc('minute', now()) - interval '3 hours',
                    counted_to = date_trunc('minute', now()) - interval '3 hours'
                """)

            try await shop.whileWorking { _ in
                try await shop.wait(
                    until: """
                        exists (select from counterfoil.attempt_minutes where outcome = 'fulfilled' and attempts = 1)
                            and exists (select from counterfoil.roll_up_marks where counted_to > now() - interval '2 minutes')
                        """)
            }
        }
    }

    /// It began last month, and holds the default partition for hours. Nobody needs the partition that is missing for two months.
    @Test(.timeLimit(.minutes(3)))
    func aWorkerStartsWhileABackupReads() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                """
                do $$ begin
                    execute 'drop table counterfoil.other_attempts_'
                        || to_char(now() at time zone 'UTC' + interval '2 months', 'YYYY_MM');
                end $$
                """)
            try await shop.database.withConnection { backup in
                try await backup.withTransaction { backup in
                    _ = try await backup.execute("select count(*) from counterfoil.attempts")
                    try await shop.whileWorking { _ in
                        try await shop.wait(until: "exists (select from counterfoil.workers)")
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aChoreThatFailsKeepsNoOtherFromBeingDone() async throws {
        try await Shop.run { shop in
            try await shop.execute("revoke execute on function counterfoil.make_attempt_partitions() from counterfoil_worker")
            try await shop.execute(
                """
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at)
                values ('silent', 'h', 1, '1', 1, now() - interval '2 days')
                """)

            try await shop.whileWorking { _ in
                try await shop.wait(until: "not exists (select from counterfoil.workers where name = 'silent')")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerDropsWhatIsPastItsRetention() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                """
                create table counterfoil.other_attempts_2020_01 partition of counterfoil.other_attempts
                for values from ('2020-01-01Z') to ('2020-02-01Z')
                """)
            try await shop.execute(
                """
                insert into counterfoil.attempt_minutes
                values (now() - interval '20 days', 'b', 'fulfilled', '', '', '', 1), (now() - interval '10 days', 'b', 'fulfilled', '', '', '', 1)
                """)
            try await shop.execute(
                """
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at)
                values ('silent', 'h', 1, '1', 1, now() - interval '2 days')
                """)

            try await shop.whileWorking { _ in
                try await shop.wait(
                    until: """
                        to_regclass('counterfoil.other_attempts_2020_01') is null
                            and (select count(*) from counterfoil.attempt_minutes) = 1
                            and not exists (select from counterfoil.workers where name = 'silent')
                        """)
            }
        }
    }
}
