// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Glibc
import Postgres
import Rehearsal
import VerificationQueue

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

    func takeIntakeAway(for duration: Duration, _ kind: FaultKind) async throws {
        let (beginning, before) = (Date(), try await countFromHistory())
        environment.intake.isAway = true
        try await Task.sleep(for: duration)
        environment.intake.isAway = false
        _ = try await NotificationStore(pool: environment.support).askForCatchUps(of: nil, all: false)
        let deadline = ContinuousClock.now + Self.patience * 4
        while try await countFromHistory() == before, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(200))
        }
        let taken = try await countFromHistory() - before
        guard taken > 0 else { return complain("nothing was missed while the intake was away, or nobody asked Apple for it") }
        note(kind, .none, since: beginning, remark: "\(taken) or more notifications came by Apple's history")
    }

    private func countFromHistory() async throws -> Int64 {
        try await environment.overseer.execute(ChaosSQL.countFromHistory)[0].int64(0)
    }

    /// The gate must close, and open again for the new secret.
    func renewSecret(of app: ShopApp, mendedAfter delay: Duration, _ kind: FaultKind) async throws {
        let (beginning, secret) = (Date(), String(repeating: "5e", count: 16))
        environment.simulator.registerApp(
            app.bundleID, sharedSecret: secret, insistsOnSharedSecret: true, account: app.account, isReleased: app.isReleased)
        guard try await isClosed(app, becomes: true) else {
            return complain("the secret of \(app.bundleID) was renewed, and its gate stayed open")
        }
        let closedAfter = Self.tenths(since: beginning)
        try await Task.sleep(for: delay)
        try environment.folder.writeSharedSecret(secret, of: app)
        let mended = Date()
        guard try await isClosed(app, becomes: false) else {
            return complain("the secret of \(app.bundleID) was mended, and its gate stayed closed")
        }
        let openedAfter = Self.tenths(since: mended)
        note(
            kind, .none, since: beginning,
            remark: "the gate closed \(closedAfter) s after that, and opened \(openedAfter) s after the secret was mended")
    }

    private static func tenths(since moment: Date) -> Double { (Date().timeIntervalSince(moment) * 10).rounded() / 10 }

    private func isClosed(_ app: ShopApp, becomes isClosed: Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience * 5
        while ContinuousClock.now < deadline {
            let gates = try await environment.overseer.execute(ChaosSQL.countMisconfiguredGates, [.text(app.bundleID)])
            if (try gates[0].int64(0) > 0) == isClosed { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
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
        let line = environment.folder.tail(of: WorkerFleet.name(ofWorker: worker)).split(separator: "\n").last ?? ""
        let logged = try Date(String(line.prefix(19)) + "Z", strategy: .iso8601)
        guard abs(logged.timeIntervalSinceNow) > 3600 else {
            throw BenchError("the clock of worker \(worker + 1) isn't off")
        }
    }
}
