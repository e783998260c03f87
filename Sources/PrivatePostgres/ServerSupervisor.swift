// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// A small process that stops the server and removes its folder when we are gone, however we went.
///
/// It reads a pipe whose other end only this process holds: the system closes that also after a crash. In a session of its
/// own it doesn't see the terminal's signals.
final class ServerSupervisor: Sendable {
    private static let script = """
        trap '' HUP INT TERM
        cd /
        while read -r line; do :; done
        "$1" stop -D "$2" -m fast -t 20 >/dev/null 2>&1 || "$1" stop -D "$2" -m immediate >/dev/null 2>&1
        if [ -n "$3" ]; then rm -rf -- "$3"; fi
        exit 0
        """

    private let task: Task<Void, Never>
    private let release: AsyncStream<Never>.Continuation

    /// - Parameters:
    ///   - dataFolder: of the server to stop.
    ///   - removedFolder: what to remove afterwards; nil: nothing.
    init(tools: PostgresTools, user: ServerUser, dataFolder: String, removedFolder: String?) {
        let (held, release) = AsyncStream.makeStream(of: Never.self)
        self.release = release
        let command = ["sh", "-c", Self.script, "sh", tools.pgCtl, dataFolder, removedFolder ?? ""]
        // A task of its own: the process lives from here to `end()`, or to the end of this process.
        task = Task {
            do {
                _ = try await Subprocess.run(
                    .name("setsid"),
                    arguments: Arguments(["--wait"] + user.commandPrefix + command),
                    input: .inputWriter,
                    output: .discarded,
                    error: .discarded
                ) { execution in
                    for await _ in held {}
                    try await execution.standardInputWriter.finish()
                }
            } catch {
                // Without a supervisor the server can still be stopped in the ordinary way.
            }
        }
    }

    /// Lets it do its work now, and waits for that.
    func end() async {
        release.finish()
        await task.value
    }
}
