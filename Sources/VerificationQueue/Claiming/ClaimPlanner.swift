// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Verification

/// Which lanes a claim scans into, how much it may take of each, and where it starts in each.
///
/// A value without I/O. Claims begin one lane further each time, so that none starves; no lane holds more than half of a
/// worker's slots, so that one app's outage leaves room for the others.
///
/// A claim starts shortly before the oldest job of the last one: what was claimed since lies behind as dead entries of the
/// index, which no vacuum removes while an old snapshot is held. A job shows up later than its `run_at` when the database
/// transaction that inserted it was open for a while. A look for the first jobs, whenever the gates are read, finds what claims
/// would not: it starts some seconds before the lowWaterMarks, or, now and then, at the beginning, and moves the lowWaterMarks to what it
/// finds. Priorities that hold no job then are left to it, but for the one that jobs are inserted with: each costs a claim a
/// look-up in every lane.
package struct ClaimPlanner: Sendable {
    /// The priorities that a job can have, 0 first.
    package static let priorities = 4
    /// The one that jobs are inserted with.
    package static let usualPriority = 1

    /// How far before its mark a claim starts: longer than database transactions that insert jobs are usually open.
    package static let slack = Duration.milliseconds(100)
    /// How far before the lowWaterMarks a look for first jobs starts.
    package static let slackOfScans = Duration.seconds(4)

    /// What one claim is to look for.
    package struct Plan: Sendable, Equatable {
        package var lanes: [LaneID]
        /// The most jobs to take of each lane.
        package var quotas: [Int32]
        /// Four a lane, one for each priority; the distant future where it is not to be looked for.
        package var lowWaterMarks: [PostgresTimestamp]
        package var limit: Int32
        /// Whether a lane is not looked into because it holds all that it may.
        package var leavesOut = false
        /// How many scans for first jobs had been noted.
        var scans = 0

        package init(lanes: [LaneID] = [], quotas: [Int32] = [], lowWaterMarks: [PostgresTimestamp] = [], limit: Int32 = 0) {
            self.lanes = lanes
            self.quotas = quotas
            self.lowWaterMarks = lowWaterMarks
            self.limit = limit
        }

        package var isEmpty: Bool { lanes.isEmpty || limit <= 0 }

        /// Whether more could have been taken of a lane, had it not held all that it may, before the claim or with what this took.
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
    /// When the oldest job of a lane's last claim was due, or of the last look for first jobs, for each priority.
    private var lowWaterMarks: [LaneID: [PostgresTimestamp]] = [:]
    /// Which priorities the last look for first jobs found in use.
    private var inUse: [LaneID: [Bool]] = [:]

    package init() {}

    /// Plans a claim of at most `limit` jobs.
    ///
    /// - Parameters:
    ///   - lanes: the lanes to serve, in a fixed order.
    ///   - running: how many jobs of each lane are being executed.
    ///   - worthRunning: the most that should be, of lanes whose calls have a budget.
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

    /// Where to start in these lanes: four a lane, one for each priority.
    ///
    /// - Parameter slack: how far before their lowWaterMarks; nil: at the beginning.
    package func lowWaterMarks(of lanes: [LaneID], slack: Duration?) -> [PostgresTimestamp] {
        guard let slack else { return lanes.flatMap { _ in Self.noLowWaterMarks } }
        return lanes.flatMap { lane in
            (lowWaterMarks[lane] ?? Self.noLowWaterMarks).map { time in
                guard time != .distantPast else { return time }
                return PostgresTimestamp(microsecondsSince1970: time.microsecondsSince1970 - slack.nanoseconds / 1000)
            }
        }
    }

    /// Takes note of a look for first jobs.
    package mutating func note(_ first: some Sequence<GateStore.LaneHeads>) {
        scans += 1
        for jobs in first { (lowWaterMarks[jobs.lane], inUse[jobs.lane]) = (jobs.lowWaterMarks, jobs.inUse) }
    }

    /// Takes note of one claim's jobs, so that the next starts where this one did; unless a look for first jobs has found out
    /// meanwhile where it should.
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
