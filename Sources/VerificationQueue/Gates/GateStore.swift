// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Reads and moves gates in the database, where all workers see them.
package struct GateStore: Sendable {
    /// The right to try one job against a closed gate.
    package struct Probe: Sendable, Hashable {
        package let lane: LaneID
        package let closedBy: Gate.Closer
        package let failedProbes: Int
    }

    /// Where the jobs of a lane begin.
    package struct LaneHeads: Sendable, Hashable {
        package let lane: LaneID
        /// For each priority the time before which no job waits that could run.
        package let lowWaterMarks: [PostgresTimestamp]
        /// For each priority whether one is due, or will be in a second.
        package let inUse: [Bool]

        package var isInUse: Bool { inUse.contains(true) }

        package init(lane: LaneID, lowWaterMarks: [PostgresTimestamp], inUse: [Bool]) {
            self.lane = lane
            self.lowWaterMarks = lowWaterMarks
            self.inUse = inUse
        }
    }

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package func list() async throws -> [Gate] {
        try await pool.execute(SQLFile.listGates.statement).compactMap { row in
            // A route that a newer schema brought is not ours to claim.
            guard let route = Route(rawValue: try row.string(2)) else { return nil }
            let environment = try row.optionalString(3).flatMap(AppStoreEnvironment.init)
            return Gate(
                lane: LaneID(rawValue: try row.int32(0)),
                bundleID: BundleID(rawValue: try row.string(1)),
                endpoint: Endpoint(route: route, environment: environment),
                closedBy: try row.optionalString(5).flatMap(Gate.Closer.init),
                failedProbes: Int(try row.int32(10))
            )
        }
    }

    /// Where the jobs of the given lanes begin.
    ///
    /// - Parameter lowWaterMarks: where to look for them, as of ``ClaimPlanner/lowWaterMarks(of:slack:)``.
    package func laneHeads(of lanes: [LaneID], lowWaterMarks: [PostgresTimestamp]) async throws -> [LaneHeads] {
        try await pool.execute(
            SQLFile.findLaneHeads.statement, [.int4Array(lanes.map(\.rawValue)), .timestampArray(lowWaterMarks)]
        ).map { row in
            LaneHeads(
                lane: LaneID(rawValue: try row.int32(0)), lowWaterMarks: try row.timestampArray(1), inUse: try row.boolArray(2))
        }
    }

    /// Closes a gate for a reason.
    ///
    /// - Parameter firstProbe: when it may be probed; nil leaves it to an operator.
    /// - Returns: whether it was this call that closed it.
    package func close(
        _ lane: LaneID, by closer: Gate.Closer, for name: String, why: String, firstProbe: Duration?
    ) async throws -> Bool {
        let closed = try await pool.execute(
            SQLFile.closeGate.statement,
            [.int4(lane.rawValue), .text(closer.rawValue), .text(name), .text(why), .double(firstProbe?.seconds)]
        )
        return !closed.isEmpty
    }

    /// Opens a gate; one that an operator closed only by an operator's hand.
    ///
    /// - Returns: whether it was closed.
    package func open(_ lane: LaneID, byOperator: Bool = false) async throws -> Bool {
        try await !pool.execute(SQLFile.openGate.statement, [.int4(lane.rawValue), .bool(byOperator)]).isEmpty
    }

    /// Takes the right to probe every closed gate that is due and has a job; it lapses after `duration`.
    package func takeProbes(lasting duration: Duration) async throws -> [Probe] {
        try await pool.execute(SQLFile.takeProbes.statement, [.double(duration.seconds)]).compactMap { row in
            guard let closer = Gate.Closer(rawValue: try row.string(1)) else { return nil }
            return Probe(
                lane: LaneID(rawValue: try row.int32(0)), closedBy: closer, failedProbes: Int(try row.int32(2))
            )
        }
    }

    /// Gives a probe up; the next may go after `delay`.
    package func fail(_ probe: Probe, nextAfter delay: Duration, counts: Bool) async throws {
        _ = try await pool.execute(
            SQLFile.failProbe.statement, [.int4(probe.lane.rawValue), .double(delay.seconds), .bool(counts)]
        )
    }
}

extension GateStore.Probe {
    /// What a job finds out that was claimed although its gate is closed; nil where the gate is open.
    package init?(of gate: Gate) {
        guard let closer = gate.closedBy else { return nil }
        self.init(lane: gate.lane, closedBy: closer, failedProbes: gate.failedProbes)
    }
}
