// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Rehearsal

/// Reads from the history how long it took after each fault until all went on.
enum RecoveryTimes {
    /// In seconds, of those faults that something had to recover from.
    static func read(_ faults: [InjectedFault], _ database: PostgresPool) async throws -> [Double] {
        var processes: [(pid: Int32, at: Double)] = []
        var moments: [(at: Double, worker: String?, byApple: Bool)] = []
        var times: [Double] = []
        for fault in faults {
            let moment = fault.healedAt.timeIntervalSince1970
            switch fault.recovery {
            case .leasesOf(let process): processes.append((process, moment))
            case .settlement: moments.append((moment, nil, false))
            case .verdictOfApple: moments.append((moment, nil, true))
            case .settlementOf(let worker): moments.append((moment, WorkerFleet.name(ofWorker: worker), false))
            case .none: break
            case .ended(let duration): times.append(duration / .seconds(1))
            }
        }
        let leases = try await database.execute(
            ChaosSQL.measureLeaseRecovery,
            [.int4Array(processes.map(\.pid)), .doubleArray(processes.map(\.at))])
        let settlements = try await database.execute(
            ChaosSQL.measureSettlementRecovery, [
                .doubleArray(moments.map(\.at)), .textArray(moments.map(\.worker)), .boolArray(moments.map(\.byApple)),
            ])
        for row in leases { times.append(try row.double(1)) }
        for row in settlements { times.append(try row.double(1)) }
        return times
    }
}
