// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Glibc
import NIOCore
import Postgres
import PrivatePostgres
import Rehearsal
import Subprocess
import Synchronization

/// Carries a schedule of faults out, and keeps account of what did come about.
final class FaultInjector: Sendable {
    /// How long a fault may wait for its moment, such as a statement that passes.
    private static let patience = Duration.seconds(15)
    /// The workers' default.
    private static let rescuesBeforeIsolation = 2

    private let environment: ChaosEnvironment
    private let state = Mutex<[InjectedFault]>([])

    init(_ environment: ChaosEnvironment) {
        self.environment = environment
    }

    var injected: [InjectedFault] { state.withLock { $0 } }

    /// Returns when all is over, what was broken whole again.
    func run(_ events: [FaultEvent]) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for event in events where event.kind.movesTheServer { try await self.inject(event, start) }
            }
            for event in events where !event.kind.movesTheServer {
                group.addTask { try await self.inject(event, start) }
            }
            try await group.waitForAll()
        }
    }

    private func inject(_ event: FaultEvent, _ start: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: start + event.at)
        try await inject(event.kind)
    }

    private func inject(_ kind: FaultKind) async throws {
        switch kind {
        case .kill(let worker):
            kill(worker, kind)
        case .killWhileAsking(let worker):
            let isAsked = try? await before(.now + Self.patience, waitingFor: "a call") { [environment] in
                try await environment.simulator.statistics { $0.inFlight > 2 }
            }
            if isAsked != nil { kill(worker, kind) }
        case .killAt(let point, let worker):
            await kill(worker, at: point, kind)
        case .pause(let worker, let duration):
            try await pause(worker, for: duration, kind)
        case .drain(let worker):
            try await drain(worker, kind)
        case .crashDatabase(let away):
            try await crashDatabase(away, kind)
        case .terminateBackends:
            _ = try await environment.overseer.execute(ChaosSQL.terminateBackends)
            note(kind, .settlement)
        case .holdSnapshot(let duration):
            try await holdSnapshot(for: duration, kind)
        case .failOver:
            try await failOver(kind)
        case .killPooler:
            environment.pooler?.kill()
            note(kind, .settlement)
        case .apple(let fault, let duration):
            try await breakApple(fault, for: duration, kind)
        case .poison(let order):
            try await poison(order, kind)
        case .wrongClock(let worker):
            try checkClock(of: worker)
            note(kind, .settlementOf(worker: worker))
        case .strain:
            note(kind, .none)
        case .cutAt(let point, let worker):
            await spring(point, .cut, worker, kind)
        case .silenceAt(let point, let worker):
            await spring(point, .silence, worker, kind)
        case .silence(let worker):
            environment.proxies[worker].silenceAll()
            note(kind, .settlementOf(worker: worker))
        case .cutOff(let worker, let duration):
            try await cutOff(worker, for: duration, kind)
        case .slowDown(let worker, let delay, let duration):
            try await slowDown(worker, by: delay, for: duration, kind)
        }
    }

    private func note(_ kind: FaultKind, _ recovery: InjectedFault.Recovery) {
        let fault = InjectedFault(kind: kind, healedAt: Date(), recovery: recovery)
        state.withLock { $0.append(fault) }
    }

    // MARK: Processes

    private func kill(_ worker: Int, _ kind: FaultKind) {
        if let process = environment.fleet.killWorker(worker) { note(kind, .leasesOf(process: process)) }
    }

    private func kill(_ worker: Int, at point: NamedPoint, _ kind: FaultKind) async {
        _ = await environment.proxies[worker].spring(at: point, .cut, within: Self.patience) { self.kill(worker, kind) }
    }

    private func pause(_ worker: Int, for duration: Duration, _ kind: FaultKind) async throws {
        environment.fleet.signalWorker(worker, SIGSTOP)
        defer { environment.fleet.signalWorker(worker, SIGCONT) }
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }

    private func drain(_ worker: Int, _ kind: FaultKind) async throws {
        let start = ContinuousClock.now
        let ending = try await environment.fleet.drainWorker(worker)
        guard ending.status == .exited(0) else {
            throw RehearsalError("worker \(worker + 1) was asked to drain and ended with \(ending.status)")
        }
        note(kind, .ended(after: start.duration(to: ending.time)))
    }

    // MARK: Database and network

    private func crashDatabase(_ away: Duration, _ kind: FaultKind) async throws {
        try await environment.server.kill()
        try await Task.sleep(for: away)
        try await environment.server.start()
        note(kind, .settlement)
    }

    private func spring(_ point: NamedPoint, _ ending: Trap.Ending, _ worker: Int, _ kind: FaultKind) async {
        _ = await environment.proxies[worker].spring(at: point, ending, within: Self.patience) {
            self.note(kind, .settlementOf(worker: worker))
        }
    }

    private func cutOff(_ worker: Int, for duration: Duration, _ kind: FaultKind) async throws {
        let proxy = environment.proxies[worker]
        proxy.setMode(.refuse)
        defer { proxy.setMode(.forward) }
        proxy.cutAll()
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }

    private func slowDown(_ worker: Int, by delay: Duration, for duration: Duration, _ kind: FaultKind) async throws {
        let proxy = environment.proxies[worker]
        proxy.delay = .init(delay)
        defer { proxy.delay = .zero }
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }

    private func holdSnapshot(for duration: Duration, _ kind: FaultKind) async throws {
        _ = try await environment.overseer.execute(
            ChaosSQL.holdSnapshot, [.double(duration / .seconds(1))], timeout: duration + .seconds(30))
        note(kind, .none)
    }

    private func failOver(_ kind: FaultKind) async throws {
        guard let standby = environment.standby else { throw BenchError("there is no standby to fail over to") }
        try await environment.server.kill()
        try await standby.promote()
        note(kind, .settlement)
    }

    // MARK: Apple, proofs and clocks

    private func breakApple(_ fault: AppleFault, for duration: Duration, _ kind: FaultKind) async throws {
        let latency = environment.settings.latency
        environment.setApple(fault.plan(latency))
        try await Task.sleep(for: duration)
        environment.setApple(FaultPlan(latency: latency))
        note(kind, .verdictOfApple)
    }

    /// Calls about a poison proof are never answered, so that each attempt lasts until its process is found and killed.
    private func poison(_ order: String, _ kind: FaultKind) async throws {
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
    private func checkClock(of worker: Int) throws {
        let line = environment.folder.tail(ofWorker: worker + 1).split(separator: "\n").last ?? ""
        let logged = try Date(String(line.prefix(19)) + "Z", strategy: .iso8601)
        guard abs(logged.timeIntervalSinceNow) > 3600 else {
            throw BenchError("the clock of worker \(worker + 1) isn't off; is libfaketime installed?")
        }
    }
}
