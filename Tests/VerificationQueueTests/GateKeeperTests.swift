// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

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
    ) async throws -> [GateStore.FirstJobs] {
        let lanes = keeper.book.openLanes
        let marks = Array(repeating: mark, count: lanes.count * LaneSchedule.priorities)
        return try await keeper.findFirstJobs(of: lanes, marks: marks, running: running)
    }

    @Test func claimsLookIntoAllOfFewLanes() async throws {
        try await QueueFixture.run { queue in
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            _ = try await Self.look(keeper)

            #expect(!keeper.book.openLanes.isEmpty)
            #expect(keeper.lanesToClaim == keeper.book.openLanes)
        }
    }

    @Test func ofManyLanesClaimsLookIntoThoseInUse() async throws {
        try await QueueFixture.run { queue in
            try await Self.addApps(GateKeeper.lanesWithoutLookingFirst, queue)
            try await queue.submit("a", "eyJ 1")
            let lane = LaneID(rawValue: try await queue.admin.execute("select lane from counterfoil.jobs")[0].int32(0))
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            #expect(keeper.book.openLanes.count > GateKeeper.lanesWithoutLookingFirst)

            let found = try await Self.look(keeper)
            #expect(found.filter(\.isInUse).map(\.lane) == [lane])
            #expect(keeper.lanesToClaim == [lane])

            // A mark that lies beyond the job hides it; a lane whose jobs run here is in use all the same.
            let beyond = PostgresTimestamp(microsecondsSince1970: .max / 2)
            _ = try await Self.look(keeper, from: beyond)
            #expect(keeper.lanesToClaim == [])
            _ = try await Self.look(keeper, from: beyond, running: [lane])
            #expect(keeper.lanesToClaim == [lane])
        }
    }
}
