// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What an uploaded proof costs doesn't grow with the queue.
@Suite struct InsertPlanTests {
    @Test func aSessionThatKnewAnEmptyQueueNeverReadsAllOfAFullOne() async throws {
        try await Shop.open { shop in
            try await shop.run("alter table counterfoil.jobs set (autovacuum_enabled = false)")
            try await shop.run("vacuum analyze counterfoil.jobs")
            for number in 1...12 {
                try await shop.order("order \(number)")
            }
            // The trigger's plan is made and kept.
            for number in 1...10 {
                try await shop.upload("order \(number)")
            }
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.jobs (order_id, order_number, proof, lane)
                select 'other ' || i, 1000 + i, 'eyJ', 1 from generate_series(1, 5000) i;
                reset session_replication_role
                """)

            try await shop.backend.withTransaction { backend in
                _ = try await backend.execute("insert into counterfoil.jobs (order_id, proof) values ('order 11', 'eyJ')")
                let read = try await backend.execute(
                    "select seq_tup_read from pg_stat_xact_user_tables where relid = 'counterfoil.jobs'::regclass")[0].int64(0)

                #expect(read == 0)
            }
        }
    }
}
