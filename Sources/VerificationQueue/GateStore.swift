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
                closedBy: try row.optionalString(5).flatMap(Gate.Closer.init)
            )
        }
    }

    /// Those of the given lanes that hold jobs which are due, or will be in a second.
    ///
    /// - Parameter marks: where to look for them, as of ``LaneSchedule/marks(of:slack:)``.
    package func lanesInUse(_ lanes: [LaneID], marks: [PostgresTimestamp]) async throws -> Set<LaneID> {
        let rows = try await pool.execute(
            SQLFile.listLanesInUse.statement, [.int4Array(lanes.map(\.rawValue)), .timestampArray(marks)])
        return Set(try rows.map { LaneID(rawValue: try $0.int32(0)) })
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
