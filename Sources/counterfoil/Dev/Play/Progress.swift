// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Shows how far the play is: a bar on a terminal, a line now and then elsewhere.
final class Progress: Sendable {
    private let total: Int
    private let started = ContinuousClock.now
    private let done = Mutex(0)
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    init(total: Int) {
        self.total = total
    }

    func countOne() {
        done.withLock { $0 += 1 }
    }

    /// Shows until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            show()
            try? await Task.sleep(for: isTerminal ? .milliseconds(100) : .seconds(5))
        }
        if isTerminal { StandardOutput.write("\r\u{1B}[K") }
    }

    private func show() {
        let count = done.withLock { $0 }
        let seconds = started.duration(to: .now).components.seconds
        if isTerminal {
            StandardOutput.write("\r" + Self.bar(count, of: total) + "  \(seconds) s")
        } else {
            StandardOutput.write("\(count) of \(total) purchases came to rest, \(seconds) s\n")
        }
    }

    static func bar(_ count: Int, of total: Int, width: Int = 40) -> String {
        let filled = total == 0 ? width : width * min(count, total) / total
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
            + "] \(count)/\(total) purchases"
    }
}
