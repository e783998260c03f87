// SPDX-License-Identifier: Apache-2.0

import Subprocess
import Synchronization

/// A small process that ends ours and removes their folder when we are gone, however we went.
///
/// It reads a pipe whose other end only this process holds: the system closes that also after a crash. In a session of its
/// own it doesn't see the terminal's signals.
package final class ProcessGuard: Sendable {
    private static let script = """
        trap '' HUP INT TERM
        cd /
        watched=
        while read -r word pid; do
            case $word in
                watch) watched="$watched $pid" ;;
                forget)
                    left=
                    for one in $watched; do [ "$one" = "$pid" ] || left="$left $one"; done
                    watched=$left
                    ;;
            esac
        done
        for pid in $watched; do kill -s TERM "$pid" 2>/dev/null; done
        for wait in 1 2 3 4 5; do
            for pid in $watched; do
                if kill -s 0 "$pid" 2>/dev/null; then sleep 1; break; fi
            done
        done
        for pid in $watched; do kill -s KILL "$pid" 2>/dev/null; done
        rm -rf -- "$1"
        exit 0
        """

    private let orders: AsyncStream<String>.Continuation
    private let task: Task<Void, Never>

    /// - Parameter folder: what to remove in the end.
    package init(folder: String) {
        let (lines, orders) = AsyncStream.makeStream(of: String.self)
        self.orders = orders
        var options = PlatformOptions()
        options.createSession = true
        // A task of its own: the process lives from here to `end()`, or to the end of this process.
        task = Task { [options] in
            do {
                _ = try await Subprocess.run(
                    .name("sh"), arguments: ["-c", Self.script, "sh", folder], platformOptions: options,
                    input: .inputWriter, output: .discarded, error: .discarded
                ) { execution in
                    for await line in lines {
                        _ = try await execution.standardInputWriter.write(line + "\n")
                    }
                    try await execution.standardInputWriter.finish()
                }
            } catch {
                // Without a guard everything still ends in the ordinary way.
            }
        }
    }

    package func watch(_ pid: Int32) {
        orders.yield("watch \(pid)")
    }

    package func forget(_ pid: Int32) {
        orders.yield("forget \(pid)")
    }

    /// Lets it do its work now, and waits for that.
    package func end() async {
        orders.finish()
        await task.value
    }
}
