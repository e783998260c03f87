// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Rehearsal
import Synchronization

/// Carries a schedule of faults out, and keeps account of what did come about.
final class FaultInjector: Sendable {
    private struct State {
        var injected: [InjectedFault] = []
        var findings: [String] = []
        var futureJobs: Int?
        var records: [Int: PlayRecord] = [:]
    }

    /// How long a fault may wait for its moment, such as a statement that passes.
    static let patience = Duration.seconds(15)

    let environment: ChaosEnvironment
    /// The purchases that a fault holds, and plays.
    let held: [Purchase]
    private let state = Mutex(State())
    private let end: AsyncStream<Never>
    private let ending: AsyncStream<Never>.Continuation

    init(_ environment: ChaosEnvironment, held: [Purchase] = []) {
        self.environment = environment
        self.held = held
        (end, ending) = AsyncStream.makeStream()
    }

    var injected: [InjectedFault] { state.withLock { $0.injected } }

    /// What a fault itself brought to light, and must not have.
    var findings: CheckResult { CheckResult(name: "faults", rows: state.withLock { $0.findings }) }

    /// The results of the players of ``held``, by the number of the purchase.
    var records: [Int: PlayRecord] { state.withLock { $0.records } }

    /// Returns when all is over, what was broken whole again.
    func run(_ events: [FaultEvent]) async throws {
        defer { ending.finish() }
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

    /// Returns when ``run(_:)`` has.
    func waitForEnd() async {
        for await _ in end {}
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
            try await killWhileAsking(worker, kind)
        case .killAt(let point, let worker):
            await kill(worker, at: point, kind)
        case .pause(let worker, let duration):
            try await pause(worker, for: duration, kind)
        case .drain(let worker):
            try await drain(worker, kind)
        case .drainInFlight(let jobs, let orders, let worker):
            try await drain(worker, with: jobs, of: orders, kind)
        case .killGateway(let gateway):
            if environment.gateways.killWorker(gateway) != nil { note(kind, .none) }
        case .stopGateway(let gateway):
            try await stopGateway(gateway, kind)
        case .crashDatabase(let away):
            try await crashDatabase(away, kind)
        case .terminateBackends:
            _ = try await environment.overseer.execute(ChaosSQL.terminateBackends)
            note(kind, .settlement)
        case .churnUnderSnapshot(let jobs, let duration):
            try await churn(jobs, for: duration, kind)
        case .futureJobs(let jobs):
            try await insertFutureJobs(jobs, kind)
            state.withLock { $0.futureJobs = jobs }
        case .fillDisk(let duration):
            try await fillDisk(for: duration, kind)
        case .migrate:
            try await migrate(kind)
        case .hold(let hold, let duration):
            try await self.hold(hold, for: duration, kind)
        case .migrateBeside(let duration):
            try await migrateBeside(for: duration, kind)
        case .failOver:
            try await failOver(kind)
        case .switchOver:
            try await switchOver(kind)
        case .standbyAway(let duration):
            try await takeStandbyAway(for: duration, kind)
        case .killPooler:
            environment.pooler?.kill()
            note(kind, .settlement)
        case .killDeliverer(let deliverer):
            killDeliverer(deliverer, kind)
        case .terminateDeliverers:
            try await terminateDeliverers(kind)
        case .replaceFunctions(let duration):
            try await replaceFunctions(for: duration, kind)
        case .spend(let duration):
            try await spend(for: duration, kind)
        case .uploadInOneCommit:
            try await uploadInOneCommit(kind)
        case .harm(let shop, let harm, let duration):
            try await self.harm(shop, harm, for: duration, kind)
        case .failOverAfterLateCommit:
            try await failOverAfterLateCommit(kind)
        case .apple(let fault, let duration):
            try await breakApple(fault, for: duration, kind)
        case .intakeAway(let duration):
            try await takeIntakeAway(for: duration, kind)
        case .nothing(let duration):
            let beginning = Date()
            try await Task.sleep(for: duration)
            note(kind, .none, since: beginning)
        case .renewSecret(let app, let delay):
            try await renewSecret(of: app, mendedAfter: delay, kind)
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

    /// Keeps account of a fault that is over.
    func note(
        _ kind: FaultKind, _ recovery: InjectedFault.Recovery, since beginning: Date = Date(), until end: Date = Date(),
        remark: String? = nil
    ) {
        let fault = InjectedFault(
            kind: kind, begunAt: beginning, healedAt: end, recovery: recovery, remark: remark)
        state.withLock { $0.injected.append(fault) }
    }

    func keep(_ record: PlayRecord, of purchase: Purchase) {
        state.withLock { $0.records[purchase.number] = record }
    }

    func complain(_ finding: String) {
        state.withLock { $0.findings.append(finding) }
    }

    /// Takes away what a fault left in the database for as long as the load lasted.
    func clearUp() async throws {
        guard let jobs = state.withLock({ $0.futureJobs.take() }) else { return }
        let untouched = try await removeFutureJobs()
        if untouched != jobs { complain("\(jobs) jobs waited for tomorrow, and \(untouched) of them were left alone") }
    }
}
