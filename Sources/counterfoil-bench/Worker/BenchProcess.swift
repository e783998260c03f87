// SPDX-License-Identifier: Apache-2.0

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
}
