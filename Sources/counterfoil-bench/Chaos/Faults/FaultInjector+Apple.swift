// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Glibc
import Postgres
import Rehearsal

/// What Apple does, poison proofs and clocks.
extension FaultInjector {
    /// The workers' default.
    private static let rescuesBeforeIsolation = 2

    func breakApple(_ fault: AppleFault, for duration: Duration, _ kind: FaultKind) async throws {
        environment.setApple(fault)
        try await Task.sleep(for: duration)
        environment.setApple(nil)
        note(kind, .verdictOfApple)
    }

    /// Calls about a poison proof are never answered, so that each attempt lasts until its process is found and killed.
    func poison(_ order: String, _ kind: FaultKind) async throws {
        environment.simulator.setFaults(.always(.stall), for: .verifyReceipt, in: .sandbox)
        let deadline = ContinuousClock.now + environment.settings.load + Self.patience
        var killed: Set<Int32> = []
        while ContinuousClock.now < deadline {
            if let holder = try await environment.overseer.execute(ChaosSQL.findHolder, [.text(order)]).first {
                let (job, pid) = (try holder.int64(0), try holder.int32(1))
                let isAlone = try holder.int16(2) >= Self.rescuesBeforeIsolation
                if let process = killAttempt(of: job, by: pid, isAlone: isAlone, unless: killed) {
                    killed.insert(process)
                    note(kind, .leasesOf(process: process))
                }
            } else if let state = try await environment.overseer.execute(ChaosSQL.readOrderState, [.text(order)]).first {
                guard try state.string(0) == "open" else { return }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Kills the worker that attempts a job, or the process of its own that does.
    ///
    /// - Returns: what was killed; nil when it is gone already, or not there yet.
    private func killAttempt(of job: Int64, by holder: Int32, isAlone: Bool, unless killed: Set<Int32>) -> Int32? {
        guard isAlone else {
            guard !killed.contains(holder) else { return nil }
            return environment.fleet.worker(ofProcess: holder).flatMap { environment.fleet.killWorker($0) }
        }
        let process = ProcessTree.children(of: holder).first { $0.commandLine.contains("attempt --job \(job) ") }?.id
        guard let process, !killed.contains(process) else { return nil }
        Glibc.kill(process, SIGKILL)
        return process
    }

    /// - Throws: when the worker's clock, by its log, is the machine's, so that nothing would be shown.
    func checkClock(of worker: Int) throws {
        let line = environment.folder.tail(ofWorker: worker + 1).split(separator: "\n").last ?? ""
        let logged = try Date(String(line.prefix(19)) + "Z", strategy: .iso8601)
        guard abs(logged.timeIntervalSinceNow) > 3600 else {
            throw BenchError("the clock of worker \(worker + 1) isn't off")
        }
    }
}
