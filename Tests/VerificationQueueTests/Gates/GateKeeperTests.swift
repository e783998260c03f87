// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

@Suite struct GateKeeperTests {
    private static func keeper(_ queue: QueueFixture) -> GateKeeper {
        GateKeeper(store: GateStore(pool: queue.pool), configuration: WorkerConfiguration(), name: "w", logger: .test)
    }

    private static func addApps(_ count: Int, _ queue: QueueFixture) async throws {
        _ = try await queue.admin.execute(
            "insert into counterfoil.apps (bundle_id) select 'com.example.' || n from generate_series(1, \(count)) as n")
    }

    /// Looks for first jobs, from one mark for all lanes and priorities.
    private static func look(
        _ keeper: GateKeeper, from mark: PostgresTimestamp = .distantPast, running: [LaneID] = []
    ) async throws -> [GateStore.LaneHeads] {
        let lanes = keeper.cache.openLanes
        let lowWaterMarks = Array(repeating: mark, count: lanes.count * ClaimPlanner.priorities)
        return try await keeper.findLaneHeads(of: lanes, lowWaterMarks: lowWaterMarks, running: running)
    }

    /// Probes a closed gate on the way to an open one, and returns by whom each is closed then, "-" for an open one.
    private static func probe(_ queue: QueueFixture, finding results: [Attempt.Call.Result]) async throws -> [String] {
        let keeper = Self.keeper(queue)
        let closed = try await queue.closeGate(of: try await queue.submit("a", "MII 1"))
        let probe = try #require(try await keeper.refresh().first)
        let lanes = [closed, try #require(keeper.cache.openLanes.first)]

        await keeper.end(
            probe,
            with: Attempt(
                settlement: Settlement(Sample.job(lane: closed), .end(.unchanged)),
                calls: zip(lanes, results).map { Attempt.Call(lane: $0, result: $1) }))

        return lanes.map { lane in keeper.cache[lane]?.closedBy?.rawValue ?? "-" }
    }

    @Test func aProbeThatIsAnsweredOpensItsGate() async throws {
        try await QueueFixture.run { queue in
            let closers = try await Self.probe(queue, finding: [.answered, .answered])

            #expect(closers == ["-", "-"])
        }
    }

    /// Else its credential would never be read anew, and nobody told.
    @Test func aProbeThatFindsAFaultOfConfigurationClosesTheGateForThat() async throws {
        try await QueueFixture.run { queue in
            let closers = try await Self.probe(queue, finding: [.misconfigured("the key is refused")])

            #expect(closers == ["configuration", "-"])
        }
    }

    @Test func whatAProbeLearnsOfAnotherLaneCounts() async throws {
        try await QueueFixture.run { queue in
            let closers = try await Self.probe(queue, finding: [.answered, .limited(.seconds(60))])

            #expect(closers == ["-", "budget"])
        }
    }

    @Test func whoMakesNoProbesTakesNone() async throws {
        try await QueueFixture.run { queue in
            try await queue.closeGate(of: try await queue.submit("a", "MII 1"))
            let keeper = Self.keeper(queue)

            #expect(try await keeper.refresh(takesProbes: false).isEmpty)
            #expect(try await keeper.refresh().count == 1)
        }
    }

    @Test func claimsLookIntoAllOfFewLanes() async throws {
        try await QueueFixture.run { queue in
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            _ = try await Self.look(keeper)

            #expect(!keeper.cache.openLanes.isEmpty)
            #expect(keeper.lanesToClaim == keeper.cache.openLanes)
        }
    }

    @Test func ofManyLanesClaimsLookIntoThoseInUse() async throws {
        try await QueueFixture.run { queue in
            try await Self.addApps(GateKeeper.lanesWithoutLookingFirst, queue)
            try await queue.submit("a", "eyJ 1")
            let lane = LaneID(rawValue: try await queue.admin.execute("select lane from counterfoil.jobs")[0].int32(0))
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            #expect(keeper.cache.openLanes.count > GateKeeper.lanesWithoutLookingFirst)

            let found = try await Self.look(keeper)
            #expect(found.filter(\.isInUse).map(\.lane) == [lane])
            #expect(keeper.lanesToClaim == [lane])

            // Until the heads are found again, a lane that a job comes into is noticed.
            try await queue.submit("b", "MII 1")
            let other = LaneID(
                rawValue: try await queue.admin.execute("select lane from counterfoil.jobs where order_id = 'b'")[0].int32(0))
            #expect(other != lane)
            #expect(keeper.lanesToClaim == [lane])
            try await keeper.noticeNewLanes()
            #expect(Set(keeper.lanesToClaim) == [lane, other])

            // A mark that lies beyond the job hides it; a lane whose jobs run here is in use all the same.
            let beyond = PostgresTimestamp(microsecondsSince1970: .max / 2)
            _ = try await Self.look(keeper, from: beyond)
            #expect(keeper.lanesToClaim == [])
            _ = try await Self.look(keeper, from: beyond, running: [lane])
            #expect(keeper.lanesToClaim == [lane])
        }
    }
}
