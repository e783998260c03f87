// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Verification

/// Plans claims: the lanes that a claim scans, the quota of each lane, and where the scan of each lane starts.
///
/// A value without I/O.
///
/// **Fairness.** Each claim begins one lane further than the last, so that no lane starves. No lane holds more than
/// half of a worker's slots, so that one app's outage leaves room for the others.
///
/// **Low-water marks.** Jobs that were claimed leave dead entries in the index, and no vacuum removes these entries
/// while an old snapshot is held. So a claim starts ``slack`` before the low-water mark of the lane: the due time of
/// the oldest job of the last claim.
///
/// **Scans.** A job shows up late when the database transaction that inserted the job stays open. Claims miss a job
/// that is further than ``slack`` behind the mark. Each refresh of the gates therefore scans for the lane heads, the
/// first jobs of each lane. A scan starts ``slackOfScans`` before the marks, a full scan at the beginning. Both move
/// the marks to the lane heads.
///
/// **Priorities.** Each priority costs a claim one index look-up in each lane. Claims skip the priorities in which the
/// last scan found no job, except ``usualPriority``.
package struct ClaimPlanner: Sendable {
    /// The priorities that a job can have, 0 first.
    package static let priorities = 4
    /// The priority that jobs are inserted with.
    package static let usualPriority = 1

    /// How far before the low-water mark a claim starts. Database transactions that insert jobs are usually shorter.
    package static let slack = Duration.milliseconds(100)
    /// How far before the low-water mark a scan for lane heads starts, unless it is a full scan.
    package static let slackOfScans = Duration.seconds(4)

    /// The lanes, quotas and starting points of one claim.
    package struct Plan: Sendable, Equatable {
        package var lanes: [LaneID]
        /// The most jobs to take from each lane.
        package var quotas: [Int32]
        /// Where to start: four times for each lane, one for each priority. The claim skips a priority of the distant
        /// future.
        package var lowWaterMarks: [PostgresTimestamp]
        package var limit: Int32
        /// Whether the plan leaves out a lane that holds its quota.
        package var leavesOut = false
        /// How many scans for lane heads the planner had noted before.
        var scans = 0

        package init(lanes: [LaneID] = [], quotas: [Int32] = [], lowWaterMarks: [PostgresTimestamp] = [], limit: Int32 = 0) {
            self.lanes = lanes
            self.quotas = quotas
            self.lowWaterMarks = lowWaterMarks
            self.limit = limit
        }

        /// The plan of a probe: any job of a closed lane.
        static func probe(of lane: LaneID) -> Plan {
            Plan(lanes: [lane], quotas: [1], lowWaterMarks: noLowWaterMarks, limit: 1)
        }

        package var isEmpty: Bool { lanes.isEmpty || limit <= 0 }

        /// Whether a quota held the claim back: that of a lane which the plan left out, or of a lane which the claim
        /// filled.
        package func heldBack(_ claimed: some Sequence<LaneID>) -> Bool {
            if leavesOut { return true }
            var counts: [LaneID: Int32] = [:]
            for lane in claimed { counts[lane, default: 0] += 1 }
            return zip(lanes, quotas).contains { lane, quota in counts[lane, default: 0] >= quota }
        }
    }

    private static let noLowWaterMarks = Array(repeating: PostgresTimestamp.distantPast, count: priorities)
    private static let noJobs = Array(repeating: PostgresTimestamp.distantFuture, count: priorities)

    private var turn = 0
    private var scans = 0
    /// For each priority of a lane the due time of the oldest job that the last claim or scan found.
    private var lowWaterMarks: [LaneID: [PostgresTimestamp]] = [:]
    /// For each priority of a lane whether the last scan found a job.
    private var inUse: [LaneID: [Bool]] = [:]

    package init() {}

    /// Plans a claim of at most `limit` jobs.
    ///
    /// - Parameters:
    ///   - lanes: the lanes to serve, in a fixed order.
    ///   - running: how many jobs of each lane run.
    ///   - worthRunning: how many jobs should run at most, for lanes whose calls have a rate limit.
    package mutating func plan(
        lanes: [LaneID], running: [LaneID: Int], worthRunning: [LaneID: Int] = [:], slots: Int, limit: Int
    ) -> Plan {
        var plan = Plan()
        plan.scans = scans
        plan.limit = Int32(clamping: limit)
        guard !lanes.isEmpty else { return plan }
        turn = (turn + 1) % lanes.count
        let most = max(1, (slots + 1) / 2)
        for index in lanes.indices {
            let lane = lanes[(turn + index) % lanes.count]
            let quota = min(limit, min(most, worthRunning[lane] ?? most) - (running[lane] ?? 0))
            guard quota > 0 else {
                plan.leavesOut = true
                continue
            }
            plan.lanes.append(lane)
            plan.quotas.append(Int32(clamping: quota))
        }
        plan.lowWaterMarks = lowWaterMarks(of: plan.lanes, slack: Self.slack)
        for (place, lane) in plan.lanes.enumerated() {
            for (priority, isInUse) in (inUse[lane] ?? []).enumerated() where !isInUse && priority != Self.usualPriority {
                plan.lowWaterMarks[place * Self.priorities + priority] = .distantFuture
            }
        }
        return plan
    }

    /// Where to start in these lanes: four times for each lane, one for each priority.
    ///
    /// - Parameter slack: how far before the low-water marks; nil starts at the beginning, for a full scan.
    package func lowWaterMarks(of lanes: [LaneID], slack: Duration?) -> [PostgresTimestamp] {
        guard let slack else { return lanes.flatMap { _ in Self.noLowWaterMarks } }
        return lanes.flatMap { lane in
            (lowWaterMarks[lane] ?? Self.noLowWaterMarks).map { time in
                guard time != .distantPast else { return time }
                return PostgresTimestamp(microsecondsSince1970: time.microsecondsSince1970 - slack.nanoseconds / 1000)
            }
        }
    }

    /// Moves the low-water marks to the lane heads that a scan found.
    package mutating func note(_ heads: some Sequence<GateStore.LaneHeads>) {
        scans += 1
        for head in heads { (lowWaterMarks[head.lane], inUse[head.lane]) = (head.lowWaterMarks, head.inUse) }
    }

    /// Moves the low-water marks to the oldest jobs of a claim. A claim that began before the last scan moves nothing:
    /// the scan knows better.
    package mutating func note(
        _ claimed: some Sequence<(lane: LaneID, priority: Int, runAt: PostgresTimestamp)>, of plan: Plan
    ) {
        guard plan.scans == scans else { return }
        var found: [LaneID: [PostgresTimestamp]] = [:]
        for job in claimed {
            let earliest = found[job.lane]?[job.priority] ?? .distantFuture
            if job.runAt < earliest { found[job.lane, default: Self.noJobs][job.priority] = job.runAt }
        }
        for (lane, times) in found {
            lowWaterMarks[lane] = zip(times, lowWaterMarks[lane] ?? Self.noLowWaterMarks).map { $0 == .distantFuture ? $1 : $0 }
        }
    }
}
