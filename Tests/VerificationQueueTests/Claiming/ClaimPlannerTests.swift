// SPDX-License-Identifier: Apache-2.0

import Postgres
import Testing
import Verification
import VerificationQueue

@Suite struct ClaimPlannerTests {
    private let lanes = [1, 2, 3].map { LaneID(rawValue: $0) }

    @Test func eachClaimBeginsOneLaneFurther() {
        var planner = ClaimPlanner()

        let starts = (0..<4).map { _ in
            planner.plan(lanes: lanes, running: [:], slots: 100, limit: 10).lanes.first?.rawValue
        }

        #expect(starts == [2, 3, 1, 2])
    }

    @Test func everyOpenLaneIsInEachPlan() {
        var planner = ClaimPlanner()

        let plan = planner.plan(lanes: lanes, running: [:], slots: 100, limit: 10)

        #expect(Set(plan.lanes) == Set(lanes))
        #expect(plan.lowWaterMarks.count == lanes.count * ClaimPlanner.priorities)
    }

    @Test(arguments: [(running: 0, quota: Int32?(50)), (49, 1), (50, nil), (60, nil)])
    func noLaneHoldsMoreThanHalfOfTheSlots(running: Int, quota: Int32?) {
        var planner = ClaimPlanner()

        let plan = planner.plan(
            lanes: [lanes[0]], running: [lanes[0]: running], slots: 100, limit: 100)

        #expect(plan.quotas.first == quota)
    }

    @Test(arguments: [(running: 49, claimed: 0, isHeldBack: false), (49, 1, true), (50, 0, true), (0, 49, false), (0, 50, true)])
    func aLaneThatHoldsAllThatItMayHoldsTheClaimBack(running: Int, claimed: Int, isHeldBack: Bool) {
        var planner = ClaimPlanner()

        let plan = planner.plan(lanes: lanes, running: [lanes[0]: running], slots: 100, limit: 100)

        #expect(plan.heldBack(Array(repeating: lanes[0], count: claimed)) == isHeldBack)
    }

    @Test func aWorkerWithOneSlotServesItsLane() {
        var planner = ClaimPlanner()

        let plan = planner.plan(lanes: [lanes[0]], running: [:], slots: 1, limit: 1)

        #expect(plan.quotas == [1])
    }

    @Test func theNextClaimStartsBehindTheLastOnesOldestJob() {
        var planner = ClaimPlanner()
        let oldest = PostgresTimestamp(microsecondsSince1970: 1_000_000_000)
        let newer = PostgresTimestamp(microsecondsSince1970: 2_000_000_000)

        planner.note([(lanes[0], 1, newer), (lanes[0], 1, oldest)], of: ClaimPlanner.Plan())
        let plan = planner.plan(lanes: [lanes[0]], running: [:], slots: 10, limit: 10)

        #expect(plan.lowWaterMarks[1].microsecondsSince1970 == 1_000_000_000 - 100_000)
        #expect(plan.lowWaterMarks[0] == .distantPast)
    }

    @Test func marksAreGivenForAnyLanes() {
        var planner = ClaimPlanner()
        planner.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))], of: ClaimPlanner.Plan())

        let lowWaterMarks = planner.lowWaterMarks(of: [lanes[1], lanes[0]], slack: .zero)

        #expect(lowWaterMarks.count == 8)
        #expect(lowWaterMarks.firstIndex { $0 != .distantPast } == 5)
    }

    /// A scan that found the first job of priority 1 of a lane, and none of another priority.
    private func scan(_ lane: LaneID, _ time: Int64, now: Int64) -> [GateStore.LaneHeads] {
        let lowWaterMarks = [now, time, now, now].map { PostgresTimestamp(microsecondsSince1970: $0) }
        return [GateStore.LaneHeads(lane: lane, lowWaterMarks: lowWaterMarks, inUse: [false, true, false, false])]
    }

    /// The priorities that one plan for a lane leaves out.
    private func leftOut(_ planner: inout ClaimPlanner, _ lane: LaneID) -> [Int] {
        let lowWaterMarks = planner.plan(lanes: [lane], running: [:], slots: 10, limit: 10).lowWaterMarks
        return lowWaterMarks.indices.filter { lowWaterMarks[$0] == .distantFuture }
    }

    @Test func prioritiesWithoutJobsAreLeftToTheScans() {
        var planner = ClaimPlanner()
        let time = PostgresTimestamp(microsecondsSince1970: 1_000_000)
        #expect(leftOut(&planner, lanes[0]) == [])

        planner.note(scan(lanes[0], 1_000_000, now: 9_000_000))
        #expect(leftOut(&planner, lanes[0]) == [0, 2, 3])
        #expect(leftOut(&planner, lanes[1]) == [])

        // Each claim looks for the priority that jobs are inserted with; scans look for all priorities.
        let lowWaterMarks = Array(repeating: time, count: 4)
        planner.note([GateStore.LaneHeads(lane: lanes[0], lowWaterMarks: lowWaterMarks, inUse: [true, false, false, true])])
        #expect(leftOut(&planner, lanes[0]) == [2])
        #expect(planner.lowWaterMarks(of: [lanes[0]], slack: .zero) == lowWaterMarks)
    }

    @Test func aScanForLaneHeadsMovesTheMarksBothWays() {
        var planner = ClaimPlanner()
        planner.note(
            [(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 5_000_000))], of: ClaimPlanner.Plan())

        planner.note(scan(lanes[0], 1_000_000, now: 9_000_000))

        #expect(
            planner.lowWaterMarks(of: [lanes[0]], slack: .zero).map(\.microsecondsSince1970)
                == [9_000_000, 1_000_000, 9_000_000, 9_000_000])
    }

    @Test func aClaimThatBeganBeforeAScanDoesNotMoveItsMarks() {
        var planner = ClaimPlanner()
        let late: [(lane: LaneID, priority: Int, runAt: PostgresTimestamp)] = [
            (lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 5_000_000))
        ]
        let before = planner.plan(lanes: lanes, running: [:], slots: 10, limit: 10)
        planner.note(scan(lanes[0], 1_000_000, now: 9_000_000))

        planner.note(late, of: before)
        #expect(planner.lowWaterMarks(of: [lanes[0]], slack: .zero)[1].microsecondsSince1970 == 1_000_000)

        planner.note(late, of: planner.plan(lanes: lanes, running: [:], slots: 10, limit: 10))
        #expect(planner.lowWaterMarks(of: [lanes[0]], slack: .zero)[1].microsecondsSince1970 == 5_000_000)
    }

    @Test func aFullScanStartsAtTheBeginning() {
        var planner = ClaimPlanner()
        planner.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))], of: ClaimPlanner.Plan())

        #expect(planner.lowWaterMarks(of: [lanes[0]], slack: nil).allSatisfy { $0 == .distantPast })
    }

    @Test func marksOfOneLaneSayNothingOfAnother() {
        var planner = ClaimPlanner()
        planner.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))], of: ClaimPlanner.Plan())

        let plan = planner.plan(lanes: [lanes[1]], running: [:], slots: 10, limit: 10)

        #expect(plan.lowWaterMarks.allSatisfy { $0 == .distantPast })
    }

    @Test func noFreeSlotIsNoClaim() {
        var planner = ClaimPlanner()

        #expect(planner.plan(lanes: lanes, running: [:], slots: 10, limit: 0).isEmpty)
        #expect(planner.plan(lanes: [], running: [:], slots: 10, limit: 5).isEmpty)
    }
}
