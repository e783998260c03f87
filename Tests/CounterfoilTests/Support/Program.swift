// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess
import SystemPackage
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The built programs, run as processes of their own.
enum Program {
    /// One of the two, by its file's name.
    enum Name: String {
        case counterfoil
        case counterfoilDev = "counterfoil-dev"

        /// Beside the tests, in the build folder.
        var path: String {
            let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(rawValue).path
        }
    }

    /// How a process ended.
    enum Status: Hashable {
        case exited(Int32)
        case killed(signal: Int32)

        var isSuccess: Bool { self == .exited(0) }

        fileprivate init(_ status: TerminationStatus) {
            switch status {
            case .exited(let code): self = .exited(code)
            case .signaled(let signal): self = .killed(signal: signal)
            }
        }
    }

    /// A process that ended.
    struct Ended {
        let status: Status
        let output: String
        let errors: String

        /// The lines on standard error.
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// A process that runs, with its log.
    struct Running: Sendable {
        let processID: Int32
        let log: LineLog

        func send(_ signal: Int32) {
            kill(processID, signal)
        }
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], of program: Name = .counterfoil, environment: [String: String] = [:], input: String = ""
    ) async throws -> Ended {
        try await run(program.path, arguments, variables(environment), input: input)
    }

    /// Runs a line of a shell in which `"$0"` is the program.
    static func run(shell line: String) async throws -> Ended {
        try await run("/bin/sh", ["-c", line, Name.counterfoil.path], variables([:]), input: "")
    }

    private static func run(
        _ executable: String, _ arguments: [String], _ environment: Subprocess.Environment, input: String
    ) async throws -> Ended {
        let result = try await Subprocess.run(
            .path(FilePath(executable)), arguments: Arguments(arguments), environment: environment,
            input: .string(input), output: .string(limit: 1 << 22), error: .string(limit: 1 << 22))
        return Ended(
            status: Status(result.terminationStatus), output: result.standardOutput, errors: result.standardError)
    }

    /// Runs a command while `act` lasts, asks it to stop, and waits for its end.
    ///
    /// - Returns: how it ended, and all that it logged.
    static func whileRunning(
        _ arguments: [String], of program: Name = .counterfoil, environment: [String: String],
        _ act: @escaping @Sendable (Running) async throws -> Void
    ) async throws -> Ended {
        let result = try await Subprocess.run(
            .path(FilePath(program.path)), arguments: Arguments(arguments), environment: variables(environment), input: .none,
            output: .discarded, error: .sequence
        ) { execution in
            let running = Running(processID: execution.processIdentifier.value, log: LineLog())
            let errors = execution.standardError
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await line in errors.strings() {
                        running.log.append(String(line.prefix { !$0.isNewline }))
                    }
                    running.log.end()
                }
                group.addTask {
                    do {
                        try await act(running)
                        running.send(SIGTERM)
                    } catch {
                        running.send(SIGKILL)
                        throw error
                    }
                }
                try await group.waitForAll()
            }
            return running.log.lines
        }
        return Ended(
            status: Status(result.terminationStatus), output: "", errors: result.closureResult.joined(separator: "\n"))
    }

    private static func variables(_ environment: [String: String]) -> Subprocess.Environment {
        var variables: [Subprocess.Environment.Key: String] = [:]
        for (name, value) in environment.merging(["PATH": "/usr/bin:/bin"], uniquingKeysWith: { own, _ in own }) {
            if let key = Subprocess.Environment.Key(rawValue: name) {
                variables[key] = value
            }
        }
        return .custom(variables)
    }
}
