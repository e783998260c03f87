// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import VerificationQueue

@Suite struct QueueReaderTests {
    private func count(_ state: String, _ reason: String, _ jobs: Int) -> QueueCount {
        QueueCount(kind: .init(state: state, reason: reason), jobs: jobs)
    }

    @Test(.timeLimit(.minutes(2)))
    func anEmptyQueueHasNoRows() async throws {
        try await QueueFixture.run { queue in
            var reading = try await QueueReader(pool: queue.pool).read()

            #expect(reading.bytesOfJobs > 0 && reading.bytesOfKeptProofs > 0)
            (reading.bytesOfJobs, reading.bytesOfKeptProofs) = (0, 0)
            #expect(reading == QueueReading())
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func theDiskThatProofsTakeIsMeasured() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", String(repeating: "x", count: 1 << 20))
            let waiting = try await QueueReader(pool: queue.pool).read()
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .end(.rejected(.badSignature, nil)), proofKind: .signedTransaction))

            let kept = try await QueueReader(pool: queue.pool).read()

            #expect(waiting.bytesOfJobs > 1_048_576 && waiting.bytesOfKeptProofs < 1_048_576)
            #expect(kept.bytesOfKeptProofs > 1_048_576)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func jobsAreCountedByStateAndReason() async throws {
        try await QueueFixture.run { queue in
            for number in 0..<8 {
                try await queue.submit("o\(number)", "eyJ \(number)")
            }
            try await queue.submit("receipt", "MII 1")
            _ = try await queue.admin.execute(
                """
                update counterfoil.jobs
                set state = 'discarded', reason = case order_id when 'o5' then 'unknown_answer' else 'crashed_repeatedly' end
                where order_id in ('o4', 'o5')
                """)
            _ = try await queue.admin.execute(
                "update counterfoil.jobs set run_at = now() - interval '90 s' where order_id in ('o1', 'receipt')")
            _ = try await queue.admin.execute(
                """
                update counterfoil.jobs set run_at = now() + interval '1 h', reason = 'app_store_unavailable'
                where order_id = 'o2'
                """
            )
            _ = try await queue.admin.execute(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'configuration'
                where route = 'verify_receipt' and environment = 'production'
                """)
            _ = try await queue.admin.execute(
                """
                update counterfoil.jobs
                set state = 'running', worker_id = 1, claimed_at = now(), lease_expires_at = now() + interval '1 h'
                where order_id = 'o3'
                """)
            _ = try await queue.admin.execute(
                """
                update counterfoil.budgets set next_call_at = now() + interval '40 s'
                where endpoint = 'finish_transaction'
                """
            )

            let reading = try await QueueReader(pool: queue.pool).read()

            #expect(
                Set(reading.counts) == [
                    count("available", "none", 4), count("scheduled", "app_store_unavailable", 1),
                    count("parked", "configuration", 1), count("running", "none", 1),
                    count("discarded", "unknown_answer", 1), count("discarded", "crashed_repeatedly", 1),
                ])
            #expect((90..<120).contains(reading.oldestAvailable))
            #expect((90..<120).contains(reading.oldestParked))
            let ahead = try #require(reading.callsReservedAhead[.finishTransaction]?[.production])
            #expect((10...40).contains(ahead))
            #expect(reading.callsReservedAhead[.getTransactionInfo] == nil)
        }
    }

    /// However many there are, no more than the limit is looked at.
    @Test(.timeLimit(.minutes(3)))
    func nothingIsCountedBeyondTheLimit() async throws {
        try await QueueFixture.run { queue in
            let many = QueueReader.countLimit + 500
            _ = try await queue.admin.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select 'o' || n, '\(QueueFixture.bundle)', 'coins', 'ann' from generate_series(1, \(many)) n
                """)
            _ = try await queue.admin.execute(
                "insert into counterfoil.jobs (order_id, proof) select 'o' || n, 'eyJ' from generate_series(1, \(many)) n"
            )

            let reading = try await QueueReader(pool: queue.pool).read()

            #expect(reading.counts == [count("available", "none", QueueReader.countLimit)])

            _ = try await queue.admin.execute("update counterfoil.jobs set state = 'discarded', reason = 'unknown_answer'")

            let afterwards = try await QueueReader(pool: queue.pool).read()

            #expect(afterwards.counts == [count("discarded", "unknown_answer", QueueReader.countLimit)])
        }
    }
}
