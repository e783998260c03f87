// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

@Suite struct LostClaimsTests {
    @Test func looksFollowUntilTheLeasesHaveRunOut() {
        let now = ContinuousClock.now
        var lost = LostClaims()
        #expect(!lost.isLookDue(at: now))

        lost.claimWasLost(at: now, lease: .seconds(3))
        #expect(lost.isLookDue(at: now))

        lost.looked(from: now, to: now)
        #expect(!lost.isLookDue(at: now + .milliseconds(999)))
        #expect(lost.isLookDue(at: now + .seconds(1)))

        lost.looked(from: now + .milliseconds(2500), to: now + .milliseconds(2500))
        #expect(!lost.isLookDue(at: now + .seconds(60)))
    }

    /// A server that is away refuses at once, and is there again soon; one that doesn't answer keeps the connection.
    @Test(arguments: [(seconds: 0, pause: 1), (seconds: 5, pause: 5)])
    func aLookIsFollowedByAPauseAsLong(_ look: (seconds: Int, pause: Int)) {
        let now = ContinuousClock.now
        var lost = LostClaims()
        lost.claimWasLost(at: now, lease: .seconds(60))

        let ended = now + .seconds(look.seconds)
        lost.looked(from: now, to: ended)

        #expect(!lost.isLookDue(at: ended + .seconds(look.pause) - .milliseconds(1)))
        #expect(lost.isLookDue(at: ended + .seconds(look.pause)))
    }

    /// Jobs that the worker knows of, and those of others, keep their leases.
    @Test func onlyUnknownLeasesOfTheWorkerAreHandedBack() async throws {
        try await QueueFixture.run { queue in
            let store = JobStore(pool: queue.pool)
            let other = try await WorkerStore(pool: queue.pool, identity: .test).register(slots: 10).id
            for order in ["known", "lost", "others", "expired"] { try await queue.submit(order, "eyJ \(order)") }
            let jobs = try await queue.claim()
            _ = try await queue.admin.execute(
                "update counterfoil.jobs set worker_id = \(other.rawValue) where order_id = 'others'")
            _ = try await queue.admin.execute(
                "update counterfoil.jobs set lease_expires_at = now() - interval '1 second' where order_id = 'expired'")
            let known = try #require(jobs.first { $0.order.id.rawValue == "known" })
            let lost = try #require(jobs.first { $0.order.id.rawValue == "lost" })

            let count = try await store.handBackLostClaims(of: queue.worker, known: [known.lease], timeout: .seconds(5))

            #expect(count == 1)
            #expect(try await queue.job(lost.id) == "available 0 -")
            #expect(try await queue.count("counterfoil.jobs where state = 'running'") == 3)
            #expect(try await queue.count("counterfoil.attempts where disposition = 'release' and attempt = 1") == 1)
            // It is claimed anew under another token, with its attempt still its first; the first lease settles nothing.
            let again = try #require(try await queue.claim().first)
            #expect(again.id == lost.id)
            #expect(again.attempt == 1)
            #expect(again.lease.token > lost.lease.token)
            #expect(try await queue.settle(Settlement(lost, .end(.unchanged))) == [.leaseLost])
        }
    }

    /// The job was known under an older lease.
    @Test func aLeaseOfAnotherTokenIsUnknown() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ")
            let job = try #require(try await queue.claim().first)
            let older = Lease(jobID: job.id, token: job.lease.token - 1)

            let count = try await JobStore(pool: queue.pool)
                .handBackLostClaims(of: queue.worker, known: [older], timeout: .seconds(5))

            #expect(count == 1)
        }
    }
}
