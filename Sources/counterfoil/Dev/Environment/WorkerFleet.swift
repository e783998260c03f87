// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The worker processes: started, killed on demand and started again, stopped in the end.
final class WorkerFleet: Sendable {
    private struct State {
        /// By the worker's index, while it runs.
        var pids: [Int: pid_t] = [:]
        var condemned: Set<pid_t> = []
        /// Indices of workers to be killed as soon as they run again.
        var doomed: Set<Int> = []
        var kills = 0

        mutating func killWorker(_ index: Int) {
            guard let pid = pids[index], !condemned.contains(pid) else {
                doomed.insert(index)
                return
            }
            doomed.remove(index)
            condemned.insert(pid)
            kills += 1
            kill(pid, SIGKILL)
        }
    }

    private let count: Int
    private let environment: WorkerEnvironment
    private let processGuard: ProcessGuard
    private let state = Mutex(State())

    init(count: Int, environment: WorkerEnvironment, processGuard: ProcessGuard) {
        self.count = count
        self.environment = environment
        self.processGuard = processGuard
    }

    /// How many workers were killed so far.
    var kills: Int { state.withLock { $0.kills } }

    /// Keeps all workers running until it is cancelled; then they drain.
    ///
    /// - Throws: ``DevError`` with the end of its log when a worker ends by itself.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            for index in 0..<count {
                group.addTask { try await self.keepRunning(index) }
            }
            try await group.waitForAll()
        }
    }

    /// Sends a worker SIGKILL; it is started again. One that isn't running is killed as soon as it is.
    ///
    /// A process that has just ended by itself may be listed for an instant longer; the system doesn't give its id away so
    /// soon.
    func killWorker(_ index: Int) {
        state.withLock { $0.killWorker(index) }
    }

    private func keepRunning(_ index: Int) async throws {
        while true {
            try await runOnce(index)
            try Task.checkCancellation()
        }
    }

    /// Runs one process to its end.
    ///
    /// - Throws: ``DevError`` when that end was not our doing.
    private func runOnce(_ index: Int) async throws {
        let number = index + 1
        let log = try FileDescriptor.open(
            environment.folder.log(ofWorker: number), .writeOnly, options: [.create, .append, .closeOnExec],
            permissions: .ownerReadWrite)
        defer { try? log.close() }
        var options = PlatformOptions()
        // The terminal's signals are for us alone; we stop workers in our own order.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(15))]
        let result = try await Subprocess.run(
            .path("/proc/self/exe"), arguments: Arguments(executablePathOverride: "counterfoil", remainingValues: ["worker"]),
            environment: variables(ofWorker: number), platformOptions: options, input: .none,
            output: .fileDescriptor(log, closeAfterSpawningProcess: false),
            error: .fileDescriptor(log, closeAfterSpawningProcess: false)
        ) { execution in
            let pid = execution.processIdentifier.value
            self.processGuard.watch(pid)
            self.state.withLock { state in
                state.pids[index] = pid
                if state.doomed.contains(index) { state.killWorker(index) }
            }
            return pid
        }
        processGuard.forget(result.closureResult)
        let wasOurDoing = state.withLock { state in
            state.pids[index] = nil
            return state.condemned.remove(result.closureResult) != nil
        }
        guard wasOurDoing || Task.isCancelled else {
            throw DevError(
                "worker \(number) ended by itself (\(result.terminationStatus)); the end of its log:\n"
                    + environment.folder.tail(ofWorker: number))
        }
    }

    private func variables(ofWorker number: Int) -> Environment {
        var variables: [Environment.Key: String] = [:]
        for (name, value) in environment.variables(name: "dev-\(number)") {
            if let key = Environment.Key(rawValue: name) { variables[key] = value }
        }
        return .custom(variables)
    }
}
