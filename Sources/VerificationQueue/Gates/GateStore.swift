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

    /// The first jobs of a lane.
    package struct LaneHeads: Sendable, Hashable {
        package let lane: LaneID
        /// For each priority a time: no job that could run waits since before it.
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

    /// The columns of `list_gates.sql`.
    enum GateColumn: Int, RowColumn {
        case lane, bundleID, route, environment, state, closedBy, closedFor, why, closedAt, probeAt, failedProbes, refusals,
            neededRefusals, foundCredentialDigest, unfoundCredentialDigest, unfoundAccounts
    }

    /// The columns of `find_lane_heads.sql`.
    enum HeadsColumn: Int, RowColumn { case lane, marks, inUse }

    /// The columns of `take_probes.sql`.
    enum ProbeColumn: Int, RowColumn { case lane, closedBy, failedProbes }

    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package func list() async throws -> [Gate] {
        try await pool.execute(SQLFile.listGates.statement, [.double(KeyStanding.secondsBetweenAnswers)]).compactMap { row in
            let columns = row.named(by: GateColumn.self)
            // Workers of this version don't claim from a route that a newer schema brought.
            guard let route = Route(rawValue: try columns.string(.route)) else { return nil }
            let environment = try columns.optionalString(.environment).flatMap(AppStoreEnvironment.init)
            return Gate(
                lane: LaneID(rawValue: try columns.int32(.lane)),
                bundleID: BundleID(rawValue: try columns.string(.bundleID)),
                endpoint: Endpoint(route: route, environment: environment),
                closedBy: try columns.optionalString(.closedBy).flatMap(Gate.Closer.init),
                failedProbes: Int(try columns.int32(.failedProbes)),
                refusals: Gate.Refusals(
                    all: Int(try columns.int32(.refusals)), needed: Int(try columns.int32(.neededRefusals))),
                findingKey: try Self.digest(columns, .foundCredentialDigest),
                foreignKey: try Self.foreignKey(columns))
        }
    }

    private static func foreignKey(_ columns: NamedRow<GateColumn>) throws -> CredentialDigest? {
        let key = try digest(columns, .unfoundCredentialDigest)
        let standing = KeyStanding(
            hasFound: try digest(columns, .foundCredentialDigest) == key, unfoundAccounts: Int(try columns.int32(.unfoundAccounts)))
        return standing.fault == .credential ? key : nil
    }

    private static func digest(_ columns: NamedRow<GateColumn>, _ column: GateColumn) throws -> CredentialDigest? {
        let position = columns.position(column)
        return columns.row.isNull(position) ? nil : CredentialDigest(try columns.row.bytes(position))
    }

    /// Finds the first jobs of the given lanes.
    ///
    /// - Parameter lowWaterMarks: where to begin, from ``ClaimPlanner/lowWaterMarks(of:slack:)``.
    package func laneHeads(of lanes: [LaneID], lowWaterMarks: [PostgresTimestamp]) async throws -> [LaneHeads] {
        try await pool.execute(
            SQLFile.findLaneHeads.statement, [.int4Array(lanes.map(\.rawValue)), .timestampArray(lowWaterMarks)]
        ).map { row in
            let columns = row.named(by: HeadsColumn.self)
            return LaneHeads(
                lane: LaneID(rawValue: try columns.int32(.lane)), lowWaterMarks: try columns.timestampArray(.marks),
                inUse: try columns.boolArray(.inUse))
        }
    }

    /// Which of the given lanes have a job that waits.
    package func lanesWithJobs(among lanes: [LaneID]) async throws -> [LaneID] {
        try await pool.execute(SQLFile.findLanesWithJobs.statement, [.int4Array(lanes.map(\.rawValue))])
            .map { LaneID(rawValue: try $0.int32(0)) }
    }

    /// Closes a gate.
    ///
    /// - Parameter firstProbe: the time until its first probe; nil leaves the gate to an operator.
    /// - Returns: whether this call closed it.
    package func close(
        _ lane: LaneID, by closer: Gate.Closer, for name: String, why: String, firstProbe: Duration?
    ) async throws -> Bool {
        let closed = try await pool.execute(
            SQLFile.closeGate.statement,
            [.int4(lane.rawValue), .text(closer.rawValue), .text(name), .text(why), .double(firstProbe?.seconds)]
        )
        return !closed.isEmpty
    }

    /// Opens a gate, and lets its app's jobs that failed meanwhile run soon. Only an operator opens one that an operator closed.
    ///
    /// - Parameter window: the time before the gate closed in which the breaker counted failures.
    /// - Returns: whether it was closed.
    package func open(
        _ lane: LaneID, byOperator: Bool = false, window: Duration = BreakerConfiguration().window
    ) async throws -> Bool {
        try await !pool.execute(
            SQLFile.openGate.statement, Self.opening(lane, byOperator: byOperator, window: window)).isEmpty
    }

    /// The parameters of `open_gate.sql`.
    package static func opening(
        _ lane: LaneID, byOperator: Bool, window: Duration = BreakerConfiguration().window
    ) -> [PostgresParameter] {
        [.int4(lane.rawValue), .bool(byOperator), .double(window.seconds)]
    }

    /// Takes the right to probe each closed gate that is due and has a job. The right lapses after `duration`.
    package func takeProbes(lasting duration: Duration) async throws -> [Probe] {
        try await pool.execute(SQLFile.takeProbes.statement, [.double(duration.seconds)]).compactMap { row in
            let columns = row.named(by: ProbeColumn.self)
            guard let closer = Gate.Closer(rawValue: try columns.string(.closedBy)) else { return nil }
            return Probe(
                lane: LaneID(rawValue: try columns.int32(.lane)), closedBy: closer,
                failedProbes: Int(try columns.int32(.failedProbes)))
        }
    }

    /// Ends a failed probe; the next may begin after `delay`.
    ///
    /// - Parameter counts: whether the gate's next delays grow by it.
    package func fail(_ probe: Probe, nextAfter delay: Duration, counts: Bool) async throws {
        _ = try await pool.execute(
            SQLFile.failProbe.statement, [.int4(probe.lane.rawValue), .double(delay.seconds), .bool(counts)]
        )
    }
}

extension GateStore.Probe {
    /// The probe of a job that was claimed although its gate is closed; nil where the gate is open.
    package init?(of gate: Gate) {
        guard let closer = gate.closedBy else { return nil }
        self.init(lane: gate.lane, closedBy: closer, failedProbes: gate.failedProbes)
    }
}
