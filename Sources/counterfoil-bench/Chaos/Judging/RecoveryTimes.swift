// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Rehearsal

/// How long it took after each fault until all went on, and after which it never did.
struct RecoveryTimes: Sendable {
    /// In seconds, of those faults that something had to recover from.
    let seconds: [Double]
    /// Faults from which nothing recovered though it had to, a line each.
    let gaps: [String]

    /// Reads both from the history.
    static func read(
        _ faults: [InjectedFault], of scenario: Scenario, _ database: PostgresPool
    ) async throws -> RecoveryTimes {
        var processes: [(pid: Int32, at: Double)] = []
        var settlements: [SettlementRecovery] = []
        var times: [Double] = []
        for (index, fault) in faults.enumerated() {
            switch fault.recovery {
            case .leasesOf(let process): processes.append((process, fault.healedAt.timeIntervalSince1970))
            case .settlement, .verdictOfApple, .settlementOf:
                settlements.append(SettlementRecovery(number: index + 1, fault: fault))
            case .none: break
            case .ended(let duration): times.append(duration / .seconds(1))
            }
        }
        let leases = try await database.execute(
            ChaosSQL.measureLeaseRecovery,
            [.int4Array(processes.map(\.pid)), .doubleArray(processes.map(\.at))])
        for row in leases { times.append(try row.double(1)) }
        try await measure(&settlements, recoveryLimit: scenario.recoveryLimit, database)
        return RecoveryTimes(
            seconds: times + settlements.compactMap(\.time),
            gaps: settlements.compactMap { $0.gap(workers: scenario.settings.workers) })
    }

    private static func measure(
        _ settlements: inout [SettlementRecovery], recoveryLimit: Duration, _ database: PostgresPool
    ) async throws {
        let moments = settlements.map(\.fault.healedAt.timeIntervalSince1970)
        let areByApple = settlements.map(\.isByApple)
        let times = try await database.execute(
            ChaosSQL.measureSettlementRecovery,
            [.doubleArray(moments), .textArray(settlements.map(\.worker)), .boolArray(areByApple)])
        for row in times {
            let index = Int(try row.int64(0)) - 1
            settlements[index].time = try row.double(1)
        }
        let limit = recoveryLimit / .seconds(1)
        let work = try await database.execute(
            ChaosSQL.countLaterClaims, [.doubleArray(moments.map { $0 + limit }), .boolArray(areByApple)])
        for row in work {
            let index = Int(try row.int64(0)) - 1
            settlements[index].laterClaims = try row.int64(1)
            settlements[index].jobsLeft = try row.int64(2)
        }
    }
}

extension SettlementRecovery {
    fileprivate var isByApple: Bool {
        if case .verdictOfApple = fault.recovery { true } else { false }
    }

    /// The worker that has to settle something, by its name; nil: anybody.
    fileprivate var worker: String? {
        if case .settlementOf(let worker) = fault.recovery { WorkerFleet.name(ofWorker: worker) } else { nil }
    }
}
