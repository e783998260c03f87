// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// Runs a short program of the server's as its user.
struct ServerCommand: Sendable {
    let user: ServerUser

    /// - Throws: with the program's output when it doesn't end well.
    func run(_ program: String, _ arguments: [String]) async throws(PrivatePostgresError) {
        let result: ExecutionResult<Void, StringOutput<UTF8>, CombinedErrorOutput>
        do {
            // Through a shell, to start in a folder that the user may read.
            result = try await Subprocess.run(
                .name("sh"),
                arguments: Arguments(["-c", "cd / && exec \"$@\"", "sh"] + user.commandPrefix + [program] + arguments),
                output: .string(limit: 1 << 20),
                error: .combinedWithOutput
            )
        } catch {
            throw PrivatePostgresError("could not run \(program): \(error)")
        }
        guard result.terminationStatus.isSuccess else {
            throw PrivatePostgresError("\(program) failed (\(result.terminationStatus)): \(result.standardOutput)")
        }
    }
}
