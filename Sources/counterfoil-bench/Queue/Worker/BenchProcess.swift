// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess

/// Runs a program and collects what it prints; its complaints go where ours go. It is ended when this task is cancelled.
enum BenchProcess {
    static func run(_ path: String, _ arguments: [String]) async throws -> (status: TerminationStatus, output: String) {
        // A shell takes the path as a word, and leaves its place to the program.
        let result = try await Subprocess.run(
            .name("sh"), arguments: Arguments(["-c", "exec \"$0\" \"$@\"", path] + arguments),
            output: .string(limit: 64 << 20), error: .currentStandardError)
        return (result.terminationStatus, result.standardOutput)
    }

    /// Runs a command of this program, so that what it uses is measured apart. It takes a plan and prints a report.
    static func runOwn<Plan: Encodable, Report: Decodable>(
        _ command: String, _ plan: Plan, reporting type: Report.Type
    ) async throws -> Report {
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        let ownPath = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let (status, output) = try await run(ownPath, [command, "--plan", text])
        guard status.isSuccess else {
            throw BenchError("a process of its own for \(command) failed (\(status))")
        }
        return try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }
}
