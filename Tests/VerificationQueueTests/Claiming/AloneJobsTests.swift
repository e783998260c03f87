// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// The hint that a job is its order's only one: it is false whenever it could mislead a claim for long, and a claim that it
/// misleads is sent again.
@Suite struct AloneJobsTests {
    private static func alone(_ queue: QueueFixture) async throws -> [String] {
        try await queue.admin.execute("select kind || ' ' || is_alone from counterfoil.jobs order by id").map { try $0.string(0) }
    }

    @Test func onlyTheFirstUploadIsAlone() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2")
            try await queue.submit("a", "eyJ 3")

            #expect(try await Self.alone(queue) == ["verify true", "verify true", "verify false"])
        }
    }

    @Test func anUploadBesideAFollowUpIsNotAlone() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await queue.submit("a", "eyJ 1")
            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], .grantOne, payments: .init(candidates: [Sample.candidate("1")])))
            try await queue.submit("a", "eyJ 2")

            #expect(try await Self.alone(queue) == ["finish false", "verify false"])
        }
    }

    @Test func anUploadBesideADiscardedJobIsAlone() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], .discard(.unknownAnswer, lane: nil)))
            try await queue.submit("a", "eyJ 2")

            #expect(try await Self.alone(queue) == ["verify false", "verify true"])
        }
    }

    /// A way in which a claimed job comes back to the queue: an upload may have come meanwhile, which runs.
    struct Return: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var lease = Duration.seconds(60)
        let act: @Sendable (QueueFixture, Job) async throws -> Void
    }

    @Test(arguments: [
        Return(testDescription: "an attempt that waits") { queue, job in
            _ = try await queue.settle(Settlement(job, .wait(.retry(after: .zero), .unknownAnswer, lane: nil)))
        },
        Return(testDescription: "a rescue", lease: .zero) { queue, _ in
            _ = try await JobStore(pool: queue.pool).rescueExpired(limit: 10)
        },
        Return(testDescription: "a claim whose answer was lost") { queue, _ in
            _ = try await JobStore(pool: queue.pool).handBackLostClaims(of: queue.worker, known: [], timeout: .seconds(5))
        },
        Return(testDescription: "a retry by hand") { queue, job in
            _ = try await queue.settle(Settlement(job, .discard(.unknownAnswer, lane: nil)))
            try await queue.admin.execute("update counterfoil.jobs set is_alone = true")
            _ = try await OperatorStore(pool: queue.admin).retryJobs(
                JobFilter(), by: OperatorAct(who: "eve", why: "mended"))
        },
    ])
    func whatComesBackIsNotAlone(_ example: Return) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim(lease: example.lease).first)

            try await example.act(queue, job)

            #expect(try await Self.alone(queue) == ["verify false"])
            #expect(try await queue.count("counterfoil.jobs where state = 'available'") == 1)
        }
    }

    /// Two uploads that were inserted at the same moment saw nothing of each other.
    @Test func twoThatSeemAloneAreClaimedOneAfterTheOther() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("a", "eyJ 2")
            try await queue.submit("b", "eyJ 3")
            try await queue.admin.execute("update counterfoil.jobs set is_alone = true")

            let first = try await queue.claim()
            let none = try await queue.claim()
            let alone = try await Self.alone(queue)
            for job in first { _ = try await queue.settle(Settlement(job, .end(.unchanged))) }
            let last = try await queue.claim()

            #expect(first.map(\.order.id.rawValue) == ["a", "b"])
            #expect(none.isEmpty)
            #expect(alone == ["verify true", "verify false", "verify true"])
            #expect(last.map(\.order.id.rawValue) == ["a"])
        }
    }

    /// A job that waits beside a running one holds up no claim of other orders.
    @Test func aWrongHintHoldsUpNoOtherOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let running = try await queue.claim()
            try await queue.submit("a", "eyJ 2")
            try await queue.submit("b", "eyJ 3")
            try await queue.admin.execute("update counterfoil.jobs set is_alone = true")

            #expect(running.count == 1)
            #expect(try await queue.claim().map(\.order.id.rawValue) == ["b"])
            #expect(try await Self.alone(queue) == ["verify true", "verify false", "verify true"])
        }
    }

    /// The end of a running job calls only what isn't alone. So no scan for lane heads passes over what seems alone, until a claim
    /// has tried it.
    @Test(arguments: [false, true])
    func aWrongHintLeavesNoJobBehindTheMarks(isTried: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", dueSince: 70)
            try await queue.submit("a", "eyJ 2", dueSince: 60)
            try await queue.admin.execute("update counterfoil.jobs set is_alone = true")
            let running = try #require(try await queue.claim(limit: 1).first)
            let (jobs, gates) = (JobStore(pool: queue.pool), GateStore(pool: queue.pool))
            let lanes = try await gates.list().map(\.lane)
            var planner = ClaimPlanner()
            var taken: [[String]] = []
            for isOver in [false, true] {
                planner.note(
                    try await gates.laneHeads(of: lanes, lowWaterMarks: planner.lowWaterMarks(of: lanes, slack: nil)))
                guard isOver || isTried else { continue }
                if isOver { _ = try await queue.settle(Settlement(running, .end(.unchanged))) }
                let plan = planner.plan(lanes: lanes, running: [:], slots: 1000, limit: 10)
                let claimed = try await jobs.claim(plan, worker: queue.worker, proofBytes: 1 << 26, lease: .seconds(60))
                taken.append(claimed.map(\.job.work.text))
            }

            #expect(taken == (isTried ? [[], ["eyJ 2"]] : [["eyJ 2"]]))
        }
    }

    /// A claim that trusts the hints takes what one takes that looks at all jobs.
    @Test(arguments: 1...5)
    func hintsChangeNoClaim(seed: Int) async throws {
        try await QueueFixture.run { queue in
            for number in 0..<60 {
                // Spread without a pattern, the same in each run.
                let drawn = (number + 1) * 7919 * (seed + 1) % 1009
                try await queue.submit(
                    "\(drawn % 40)", number % 3 == 0 ? "4300000000" : "eyJ \(number)", dueSince: drawn % 97)
            }
            let lanes = try await GateStore(pool: queue.pool).list().map(\.lane.rawValue)
            var taken: [[Int64]] = []
            for looksAtOthers in [false, true] {
                try await PostgresConnection.withConnection(to: queue.adminURL) { connection in
                    try await connection.executeScript("begin")
                    let rows = try await connection.execute(
                        SQLFile.claimJobs.statement,
                        [
                            .int4Array(lanes), .int4Array(lanes.map { _ in 100 }),
                            .timestampArray(Array(repeating: .distantPast, count: lanes.count * 4)), .int4(100),
                            .int8(1 << 20), .int8(1), .double(60), .int4(nil), .bool(looksAtOthers),
                        ])
                    taken.append(try rows.map { try $0.int64(0) })
                    try await connection.executeScript("rollback")
                }
            }
            #expect(taken[0] == taken[1])
            #expect(taken[0].count > 20)
        }
    }
}
