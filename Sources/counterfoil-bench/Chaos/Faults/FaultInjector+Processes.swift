// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Glibc
import Postgres
import Rehearsal
import Subprocess

/// What befalls worker processes.
extension FaultInjector {
    /// How long a worker that drains may take for what its bound doesn't cover: the last settlements, and its end.
    private static let settlingTime = Duration.seconds(2)
    /// Five seconds for what a gateway was asked, and its end.
    private static let longestStop = Duration.seconds(7)

    func kill(_ worker: Int, _ kind: FaultKind) {
        if let process = environment.fleet.killWorker(worker) { note(kind, .leasesOf(process: process)) }
    }

    func killWhileAsking(_ worker: Int, _ kind: FaultKind) async throws {
        let isAsked = try? await before(.now + Self.patience, waitingFor: "a call") { [environment] in
            try await environment.simulator.statistics { $0.inFlight > 2 }
        }
        if isAsked != nil { kill(worker, kind) }
    }

    func kill(_ worker: Int, at point: NamedPoint, _ kind: FaultKind) async {
        _ = await environment.proxies[worker].spring(at: point, .cut, within: Self.patience) { self.kill(worker, kind) }
    }

    /// Stops a worker as soon as it holds jobs, and lets it go on.
    func pause(_ worker: Int, for duration: Duration, _ kind: FaultKind) async throws {
        try? await before(.now + Self.patience, waitingFor: "a job that the worker holds") { [environment] in
            while true {
                let process = environment.fleet.process(ofWorker: worker)
                let leases = try await environment.overseer.execute(ChaosSQL.countLeases, [.int4(process)])[0].int64(0)
                if leases > 0 { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        environment.fleet.signalWorker(worker, SIGSTOP)
        defer { environment.fleet.signalWorker(worker, SIGCONT) }
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }

    /// Asks a worker to drain, and judges what became of the jobs that it held.
    ///
    /// - Parameter inFlight: how many those are, where they were counted.
    func drain(_ worker: Int, inFlight: Int64? = nil, _ kind: FaultKind) async throws {
        guard let process = environment.fleet.process(ofWorker: worker),
            let row = try await environment.overseer.execute(ChaosSQL.findWorker, [.int4(process)]).first
        else { throw RehearsalError("worker \(worker + 1) wasn't running when it was to drain") }
        let id = try row.int64(0)
        let beginning = Date()
        let duration = try await endByDraining(worker, process)
        if duration > environment.settings.drain + Self.settlingTime {
            complain("a drain took \(duration), and may take \(environment.settings.drain + Self.settlingTime)")
        }
        let counts = try await environment.overseer.execute(
            ChaosSQL.measureDrain, [.int8(id), .double(beginning.timeIntervalSince1970)])[0]
        let (settled, released) = (try counts.int64(0), try counts.int64(1))
        let (failed, left) = (try counts.int64(2), try counts.int64(3))
        if failed > 0 { complain("\(failed) attempts failed by a drain") }
        if left > 0 { complain("\(left) jobs were still leased to a worker that had drained") }
        let remark = inFlight.map { "\($0) jobs in flight, then \(settled) settled and \(released) released" }
        note(kind, .ended(after: duration), since: beginning, remark: remark)
    }

    /// Asks a gateway to stop, unless it isn't running.
    func stopGateway(_ gateway: Int, _ kind: FaultKind) async throws {
        guard environment.gateways.process(ofWorker: gateway) != nil else { return }
        // A process that has only begun doesn't handle the signal yet.
        try await environment.site.waitUntilReady(gateway)
        let beginning = (Date(), ContinuousClock.now)
        let ending = try await environment.gateways.drainWorker(gateway)
        let duration = beginning.1.duration(to: ending.time)
        if ending.status != .exited(0) { complain("a gateway was asked to stop and ended with \(ending.status)") }
        if duration > Self.longestStop { complain("a gateway took \(duration) to stop, and may take \(Self.longestStop)") }
        note(kind, .ended(after: duration), since: beginning.0)
    }

    /// - Returns: how long it took until the worker was gone.
    /// - Throws: when it ended otherwise, if only because it didn't go and was killed.
    private func endByDraining(_ worker: Int, _ process: Int32) async throws -> Duration {
        let start = ContinuousClock.now
        let executioner = Task { [drain = environment.settings.drain] in
            try await Task.sleep(for: drain + Self.patience)
            Glibc.kill(process, SIGKILL)
        }
        defer { executioner.cancel() }
        let ending = try await environment.fleet.drainWorker(worker)
        guard ending.status == .exited(0) else {
            throw RehearsalError("worker \(worker + 1) was asked to drain and ended with \(ending.status)")
        }
        return start.duration(to: ending.time)
    }

    /// Asks a worker to drain when it has taken a number of jobs, all at once: it is stopped until they are there.
    func drain(_ worker: Int, with jobs: Int, of orders: Int, _ kind: FaultKind) async throws {
        environment.fleet.signalWorker(worker, SIGSTOP)
        do {
            defer { environment.fleet.signalWorker(worker, SIGCONT) }
            try await waitForJobs("the jobs of most orders") { available, _ in available * 10 >= orders * 9 }
        }
        let inFlight = try await waitForJobs("\(jobs) jobs in flight") { _, running in running >= jobs }
        try await drain(worker, inFlight: inFlight, kind)
    }

    /// Asks for a count of jobs until it suits.
    ///
    /// - Returns: how many ran then.
    @discardableResult
    private func waitForJobs(
        _ what: String, _ suits: @escaping @Sendable (_ available: Int64, _ running: Int64) -> Bool
    ) async throws -> Int64 {
        let database = environment.overseer
        return try await before(.now + .seconds(60), waitingFor: what) {
            while true {
                let counts = try await database.execute(ChaosSQL.countJobsByState)[0]
                if suits(try counts.int64(0), try counts.int64(1)) { return try counts.int64(1) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
