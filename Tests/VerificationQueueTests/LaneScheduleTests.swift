// SPDX-License-Identifier: Apache-2.0

import Postgres
import Testing
import Verification
import VerificationQueue

@Suite struct LaneScheduleTests {
    private let lanes = [1, 2, 3].map { LaneID(rawValue: $0) }

    @Test func eachClaimBeginsOneLaneFurther() {
        var schedule = LaneSchedule()

        let starts = (0..<4).map { _ in
            schedule.plan(lanes: lanes, running: [:], slots: 100, limit: 10, slack: .seconds(2)).lanes.first?.rawValue
        }

        #expect(starts == [2, 3, 1, 2])
    }

    @Test func everyOpenLaneIsInEachPlan() {
        var schedule = LaneSchedule()

        let plan = schedule.plan(lanes: lanes, running: [:], slots: 100, limit: 10, slack: .seconds(2))

        #expect(Set(plan.lanes) == Set(lanes))
        #expect(plan.marks.count == lanes.count * LaneSchedule.priorities)
    }

    @Test(arguments: [(running: 0, quota: Int32?(50)), (49, 1), (50, nil), (60, nil)])
    func noLaneHoldsMoreThanHalfOfTheSlots(running: Int, quota: Int32?) {
        var schedule = LaneSchedule()

        let plan = schedule.plan(
            lanes: [lanes[0]], running: [lanes[0]: running], slots: 100, limit: 100, slack: .seconds(2))

        #expect(plan.quotas.first == quota)
    }

    @Test func aWorkerWithOneSlotServesItsLane() {
        var schedule = LaneSchedule()

        let plan = schedule.plan(lanes: [lanes[0]], running: [:], slots: 1, limit: 1, slack: .seconds(2))

        #expect(plan.quotas == [1])
    }

    @Test func theNextClaimStartsBehindTheLastOnesOldestJob() {
        var schedule = LaneSchedule()
        let oldest = PostgresTimestamp(microsecondsSince1970: 1_000_000_000)
        let newer = PostgresTimestamp(microsecondsSince1970: 2_000_000_000)

        schedule.note([(lanes[0], 1, newer), (lanes[0], 1, oldest)])
        let plan = schedule.plan(lanes: [lanes[0]], running: [:], slots: 10, limit: 10, slack: .seconds(2))

        #expect(plan.marks[1].microsecondsSince1970 == 1_000_000_000 - 2_000_000)
        #expect(plan.marks[0] == .distantPast)
    }

    @Test func marksAreToldOfAnyLanes() {
        var schedule = LaneSchedule()
        schedule.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))])

        let marks = schedule.marks(of: [lanes[1], lanes[0]], slack: .zero)

        #expect(marks.count == 8)
        #expect(marks.firstIndex { $0 != .distantPast } == 5)
    }

    @Test func aFullScanStartsAtTheBeginning() {
        var schedule = LaneSchedule()
        schedule.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))])

        let plan = schedule.plan(lanes: [lanes[0]], running: [:], slots: 10, limit: 10, slack: nil)

        #expect(plan.marks.allSatisfy { $0 == .distantPast })
    }

    @Test func marksOfOneLaneSayNothingOfAnother() {
        var schedule = LaneSchedule()
        schedule.note([(lanes[0], 1, PostgresTimestamp(microsecondsSince1970: 1_000_000_000))])

        let plan = schedule.plan(lanes: [lanes[1]], running: [:], slots: 10, limit: 10, slack: .seconds(2))

        #expect(plan.marks.allSatisfy { $0 == .distantPast })
    }

    @Test func noFreeSlotIsNoClaim() {
        var schedule = LaneSchedule()

        #expect(schedule.plan(lanes: lanes, running: [:], slots: 10, limit: 0, slack: .seconds(2)).isEmpty)
        #expect(schedule.plan(lanes: [], running: [:], slots: 10, limit: 5, slack: .seconds(2)).isEmpty)
    }
}
