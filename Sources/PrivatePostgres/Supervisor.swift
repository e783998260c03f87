// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// A small process that cleans up behind us when we are gone, however we went.
///
/// It reads a pipe whose other end only this process holds: the system closes that also after a crash. In a session of its
/// own it doesn't see the terminal's signals.
package final class Supervisor: Sendable {
    private static let wait = """
        trap '' HUP INT TERM
        cd /
        while read -r line; do :; done

        """

    private let task: Task<Void, Never>
    private let release: AsyncStream<Never>.Continuation

    /// - Parameters:
    ///   - script: what is to be done then, in the shell's language, by absolute paths.
    ///   - arguments: `$1` and so on of it.
    ///   - prefix: a command, with its arguments, that starts the shell as somebody else.
    package init(script: String, arguments: [String], prefix: [String] = []) {
        let (held, release) = AsyncStream.makeStream(of: Never.self)
        self.release = release
        let command = ["sh", "-c", Self.wait + script, "sh"] + arguments
        // A task of its own: the process lives from here to `end()`, or to the end of this process.
        task = Task {
            do {
                _ = try await Subprocess.run(
                    .name("setsid"),
                    arguments: Arguments(["--wait"] + prefix + command),
                    input: .inputWriter,
                    output: .discarded,
                    error: .discarded
                ) { execution in
                    for await _ in held {}
                    try await execution.standardInputWriter.finish()
                }
            } catch {
                // Without a supervisor whoever made it can still clean up in the ordinary way.
            }
        }
    }

    /// Lets it do its work now, and waits for that.
    package func end() async {
        release.finish()
        await task.value
    }
}
