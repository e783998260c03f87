// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

@Suite struct ClaimJobsTests {
    /// An order with one job each, named by the proof's number.
    private func fill(_ shop: Shop, _ numbers: ClosedRange<Int>, proof: String = "eyJ") async throws {
        for number in numbers {
            try await shop.order("\(proof) \(number)")
            try await shop.upload("\(proof) \(number)", "\(proof) \(number)")
        }
    }

    @Test func ofOneOrderARescuedJobComesFirst() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for number in 1...3 {
                try await shop.upload("a", "eyJ \(number)")
            }
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - interval '1 hour';
                update counterfoil.jobs set rescues = 1, run_at = now() where proof = 'eyJ 2';
                """
            )

            // The first upload's hint is that it is alone: this claim looks all the same, as one that is sent again.
            let turns = [try await shop.claim(9, looksAtOthers: true), try await shop.claim(9, looksAtOthers: true)]

            // One at a time, and the others' age doesn't put it behind them.
            #expect(turns.map(\.count) == [1, 0])
            #expect(try await shop.rows("select proof from counterfoil.jobs where state = 'running'") == ["(\"eyJ 2\")"])
        }
    }

    @Test func theOldestDueJobsOfAPriorityComeFirst() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...5)
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - interval '1 hour' where proof = 'eyJ 4';
                update counterfoil.jobs set priority = 0, run_at = now() - interval '1 s' where proof = 'eyJ 5';
                update counterfoil.jobs set run_at = now() + interval '1 hour' where proof = 'eyJ 1'
                """
            )

            #expect(try await shop.claim(2).map(\.order).sorted() == ["eyJ 4", "eyJ 5"])
            #expect(try await shop.claim(9).map(\.order).sorted() == ["eyJ 2", "eyJ 3"])
        }
    }

    /// The worker begins with them in this order.
    @Test func claimedJobsComeByPriorityAndThenTheOldestFirst() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...20)
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - substring(proof from 5)::int * interval '1 minute',
                    priority = case when substring(proof from 5)::int % 5 = 0 then 0 else 1 end
                """
            )

            let expected = [20, 15, 10, 5] + (1...19).reversed().filter { !$0.isMultiple(of: 5) }
            #expect(try await shop.claim(50).map(\.order) == expected.map { "eyJ \($0)" })
        }
    }

    @Test func aClaimMarksTheJobAsRunningUnderANewToken() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...1)

            let first = try #require(try await shop.claim(leaseSeconds: 60).first)
            #expect(first.token == 1)
            let row = try await shop.rows(
                """
                select state, attempt, worker_id, claimed_at = updated.now, lease_expires_at = claimed_at + interval '60 s'
                from counterfoil.jobs, (select max(claimed_at) as now from counterfoil.jobs) updated
                """
            )
            #expect(row == ["(running,1,7,t,t)"])

            try await shop.putBack(first, counts: false)
            #expect(try await shop.claim().map(\.token) == [2])
        }
    }

    @Test func aLaneGivesNoMoreThanItsQuota() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...6)
            try await fill(shop, 1...6, proof: "MII")
            let local = try await shop.lane()
            let receipts = try await shop.lane("verify_receipt", "production")

            let claimed = try await shop.claim(5, lanes: [(local, 2), (receipts, 50)])

            #expect(claimed.filter { $0.lane == local }.count == 2)
            #expect(claimed.filter { $0.lane == receipts }.count == 3)
        }
    }

    @Test func aLaneThatIsNotNamedIsLeftAlone() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...2)

            #expect(try await shop.claim(lanes: [(try await shop.lane("verify_receipt", "production"), 9)]) == [])
        }
    }

    @Test func proofsAreTakenUpToTheBudgetOfBytes() async throws {
        try await Shop.open { shop in
            for number in 1...4 {
                try await shop.order("\(number)")
                try await shop.upload("\(number)", "eyJ" + String(repeating: "x", count: 97))
            }

            #expect(try await shop.claim(bytes: 250).count == 3)
            #expect(try await shop.claim(bytes: 1).count == 1)
        }
    }

    @Test func nothingThatRanBeforeItsMarkIsLookedFor() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...3)
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - interval '1 hour' where proof = 'eyJ 1';
                update counterfoil.jobs set run_at = now() - interval '1 hour', priority = 2 where proof = 'eyJ 2'
                """
            )
            let lane = try await shop.lane()

            let claimed = try await shop.claim(lanes: [(lane, 9)], marks: [-60, -60, -7200, -60])

            #expect(claimed.map(\.order).sorted() == ["eyJ 2", "eyJ 3"])
        }
    }

    @Test func aPriorityWhoseMarkIsInfiniteIsNotLookedFor() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...3)
            try await shop.run("update counterfoil.jobs set priority = 2 where proof = 'eyJ 2'")
            let lane = try await shop.lane()

            let claimed = try await shop.claim(lanes: [(lane, 9)], marks: [nil, -60, nil, nil])

            #expect(claimed.map(\.order).sorted() == ["eyJ 1", "eyJ 3"])
        }
    }

    @Test func aClosedGateIsSeenAtOnce() async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...2)

            try await shop.run("update counterfoil.gates set state = 'closed', closed_by = 'breaker'")

            #expect(try await shop.claim() == [])
        }
    }

    @Test(arguments: [("breaker", 1), ("configuration", 1), ("operator", 0)])
    func aProbePassesAClosedGateUnlessAnOperatorClosedIt(closer: String, claimed: Int) async throws {
        try await Shop.open { shop in
            try await fill(shop, 1...2)
            let lane = try await shop.lane()
            try await shop.run("update counterfoil.gates set state = 'closed', closed_by = '\(closer)'")

            #expect(try await shop.claim(1, probing: lane).count == claimed)
            #expect(try await shop.claim(1, probing: lane + 1) == [])
        }
    }

    @Test func ofOneOrderOneJobRunsAtATime() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for number in 1...3 {
                try await shop.upload("a", "eyJ \(number)")
            }

            let first = try await shop.claim()
            #expect(first.count == 1)
            #expect(try await shop.claim() == [])

            #expect(try await shop.fence(first) == ["a"])
            let second = try await shop.claim()
            #expect(second.count == 1)
            #expect(second != first)
        }
    }

    @Test func ofOneOrderOneJobIsTakenThoughItHasSeveralInOtherLanesAndPriorities() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for proof in ["eyJ 1", "eyJ 2", "MII 3"] {
                try await shop.upload("a", proof)
            }
            try await shop.run("update counterfoil.jobs set priority = 0 where proof = 'eyJ 2'")

            #expect(try await shop.claim().count == 1)
            #expect(try await shop.count("counterfoil.jobs where state = 'running'") == 1)
        }
    }

    @Test func manyJobsOfOneOrderDoNotKeepAClaimFromBeingFull() async throws {
        try await Shop.open { shop in
            for order in 1...10 {
                try await shop.order("\(order)")
                for number in 1...5 {
                    try await shop.upload("\(order)", "eyJ \(number)")
                }
            }

            #expect(try await shop.claim(8).count == 8)
        }
    }

    @Test func aJobBehindAClosedGateDoesNotHoldUpAnotherOfItsOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "MII 1")
            try await shop.upload("a", "eyJ 2")
            try await shop.run(
                "update counterfoil.gates set state = 'closed', closed_by = 'breaker' where route = 'verify_receipt'"
            )

            #expect(try await shop.claim().map(\.lane) == [try await shop.lane()])
        }
    }

    @Test func aJobThatWaitsForLaterDoesNotHoldUpAnotherOfItsOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "eyJ 1")
            try await shop.run("update counterfoil.jobs set run_at = now() + interval '1 h', priority = 0")
            try await shop.upload("a", "eyJ 2")

            #expect(try await shop.claim().count == 1)
        }
    }

    @Test func claimsAtOnceTakeEveryJobOnce() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 2000, orders: 400)
            let lane = try await shop.lane()

            let claimed = try await withThrowingTaskGroup(of: [Leased].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                            let other = Shop(
                                database: shop.database, admin: shop.admin, backend: shop.backend, worker: connection)
                            var mine: [Leased] = []
                            while true {
                                let claimed = try await other.claim(20, lanes: [(lane, 20)])
                                if claimed.isEmpty { return mine }
                                mine += claimed
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            #expect(claimed.count == 400)
            #expect(Set(claimed.map(\.order)).count == 400)
            #expect(try await shop.count("counterfoil.jobs where state = 'running'") == 400)
        }
    }

    /// Two orders have a job in each of two lanes, due in opposite orders, and two workers begin with different lanes.
    @Test func claimsOfTheSameOrdersInTwoLanesDoNotWaitForEachOther() async throws {
        try await Shop.open { shop in
            let lanes = [try await shop.lane(), try await shop.lane("verify_receipt", "production")]
            for order in ["a", "b"] {
                try await shop.order(order)
                for proof in ["eyJ", "MII"] { try await shop.upload(order, proof) }
            }
            // Each row's update takes long enough for the other claim to make its first.
            try await shop.run(
                """
                update counterfoil.jobs
                set run_at = now() - interval '1 hour' * case when (order_id = 'a') = (lane = \(lanes[0])) then 2 else 1 end;
                create function pause() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return new; end';
                create trigger pause before update on counterfoil.jobs for each row execute function pause();
                grant execute on function pause() to public
                """
            )

            let refusals = try await withThrowingTaskGroup(of: Refusal?.self) { group in
                for order in [lanes, lanes.reversed()] {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                            try await Refusal.of {
                                _ = try await connection.execute(
                                    SQLFile.claimJobs.statement,
                                    [
                                        .int4Array(order), .int4Array([2, 2]),
                                        .timestampArray(Array(repeating: .distantPast, count: 8)), .int4(2), .int8(1 << 20),
                                        .int8(7), .double(60), .int4(nil), .bool(false),
                                    ])
                            }
                        }
                    }
                }
                return try await group.reduce(into: Set<Refusal?>()) { $0.insert($1) }
            }

            #expect(refusals == [nil, Refusal("23505", "one_job_of_an_order_runs_at_a_time")])
            #expect(try await shop.count("counterfoil.jobs where state = 'running'") == 2)
        }
    }

    @Test func theHintTellsWhetherTheLedgerHoldsItForThisOrder() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
                try await shop.upload(order, "eyJ \(order)", hint: "1")
            }
            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            let claimed = try await shop.claim()

            #expect(claimed.filter(\.isHintGranted).map(\.order) == ["a"])
        }
    }
}
