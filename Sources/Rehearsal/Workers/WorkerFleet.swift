// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Subprocess
import Synchronization
import SystemPackage

/// Processes, mostly workers: started, killed, stopped or asked to drain on demand and started again, stopped in the end.
package final class WorkerFleet: Sendable {
    /// How a process of a worker ended.
    package struct Ending: Sendable {
        /// The process.
        package let pid: Int32
        package let status: TerminationStatus
        package let time: ContinuousClock.Instant
    }

    private struct State {
        /// By the worker's index, while it runs.
        var pids: [Int: Int32] = [:]
        var condemned: Set<Int32> = []
        /// Indices of workers to be killed as soon as they run again.
        var doomed: Set<Int> = []
        var kills = 0
        var waiting: [Int32: CheckedContinuation<Ending, any Error>] = [:]

        mutating func killWorker(_ index: Int) -> Int32? {
            guard let pid = pids[index], !condemned.contains(pid) else {
                doomed.insert(index)
                return nil
            }
            doomed.remove(index)
            condemned.insert(pid)
            kills += 1
            kill(pid, SIGKILL)
            return pid
        }
    }

    private let environments: [WorkerEnvironment]
    private let program: String
    private let processGuard: ProcessGuard
    private let state = Mutex(State())

    /// - Parameters:
    ///   - environments: of each worker.
    ///   - program: the path of a program that has the command `worker`.
    package init(environments: [WorkerEnvironment], program: String, processGuard: ProcessGuard) {
        self.environments = environments
        self.program = program
        self.processGuard = processGuard
    }

    /// How many workers there are.
    package var count: Int { environments.count }

    /// How many workers were killed so far.
    package var kills: Int { state.withLock { $0.kills } }

    /// What a worker is called, in the database too.
    package static func name(ofWorker index: Int) -> String { "worker-\(index + 1)" }

    /// The name of a process and of its log.
    package func name(of index: Int) -> String { environments[index].name ?? Self.name(ofWorker: index) }

    /// Keeps all workers running until it is cancelled; then they drain.
    ///
    /// - Throws: ``RehearsalError`` with the end of its log when a worker ends by itself.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            for index in environments.indices {
                group.addTask { try await self.keepRunning(index) }
            }
            try await group.waitForAll()
        }
    }

    /// Sends a worker SIGKILL; it is started again. One that isn't running is killed as soon as it is.
    ///
    /// A process that has just ended by itself may be listed for an instant longer; the system doesn't give its id away so
    /// soon.
    ///
    /// - Returns: the process that was killed; nil when there was none.
    @discardableResult
    package func killWorker(_ index: Int) -> Int32? {
        state.withLock { $0.killWorker(index) }
    }

    /// The process of a worker; nil while it doesn't run.
    package func process(ofWorker index: Int) -> Int32? { state.withLock { $0.pids[index] } }

    /// The worker that is a process now; nil when none is.
    package func worker(ofProcess pid: Int32) -> Int? {
        state.withLock { state in state.pids.first { $0.value == pid }?.key }
    }

    /// Sends a signal that doesn't end a worker. Nothing happens when it isn't running.
    package func signalWorker(_ index: Int, _ signal: CInt) {
        state.withLock { state in
            if let pid = state.pids[index] { kill(pid, signal) }
        }
    }

    /// Sends a worker SIGTERM, waits until it has drained and ended; it is started again.
    ///
    /// - Throws: ``RehearsalError`` when it isn't running, or is being ended already.
    package func drainWorker(_ index: Int) async throws -> Ending {
        try await withCheckedThrowingContinuation { continuation in
            let isSent = state.withLock { state in
                guard let pid = state.pids[index], state.condemned.insert(pid).inserted else { return false }
                state.waiting[pid] = continuation
                kill(pid, SIGTERM)
                return true
            }
            if !isSent {
                continuation.resume(throwing: RehearsalError("worker \(index + 1) wasn't running when it was to drain"))
            }
        }
    }

    private func keepRunning(_ index: Int) async throws {
        while true {
            try await runOnce(index)
            try Task.checkCancellation()
        }
    }

    /// Runs one process to its end.
    ///
    /// - Throws: ``RehearsalError`` when that end was not our doing.
    private func runOnce(_ index: Int) async throws {
        let folder = environments[index].folder
        let name = name(of: index)
        let log = try FileDescriptor.open(
            folder.log(of: name), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
        defer { try? log.close() }
        var options = PlatformOptions()
        // The terminal's signals are for us alone; we stop workers in our own order.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(15))]
        let result = try await Subprocess.run(
            .path(FilePath(environments[index].program ?? program)),
            arguments: Arguments(executablePathOverride: "counterfoil", remainingValues: environments[index].arguments),
            environment: variables(ofWorker: index), platformOptions: options, input: .none,
            output: .fileDescriptor(log, closeAfterSpawningProcess: false),
            error: .fileDescriptor(log, closeAfterSpawningProcess: false)
        ) { execution in
            let pid = execution.processIdentifier.value
            self.processGuard.watch(pid)
            self.state.withLock { state in
                state.pids[index] = pid
                if state.doomed.contains(index) { _ = state.killWorker(index) }
            }
            return pid
        }
        let pid = result.closureResult
        processGuard.forget(pid)
        let (wasOurDoing, waiting) = state.withLock { state in
            state.pids[index] = nil
            return (state.condemned.remove(pid) != nil, state.waiting.removeValue(forKey: pid))
        }
        waiting?.resume(returning: Ending(pid: pid, status: result.terminationStatus, time: .now))
        guard wasOurDoing || Task.isCancelled else {
            throw RehearsalError(
                "\(name) ended by itself (\(result.terminationStatus)); the end of its log:\n" + folder.tail(of: name))
        }
    }

    private func variables(ofWorker index: Int) -> Environment {
        var variables: [Environment.Key: String] = [:]
        for (name, value) in environments[index].variables(name: name(of: index)) {
            if let key = Environment.Key(rawValue: name) { variables[key] = value }
        }
        return .custom(variables)
    }
}
