// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows how far the play is: a bar on a terminal, a line now and then elsewhere.
final class Progress: Sendable {
    private let total: Int
    private let started = ContinuousClock.now
    private let done = Mutex(0)

    init(total: Int) {
        self.total = total
    }

    /// One more purchase has come to rest.
    func countOne() {
        done.withLock { $0 += 1 }
    }

    /// Shows until it is cancelled.
    func run() async {
        let isTerminal = Console.isTerminal
        while true {
            do {
                try await Task.sleep(for: isTerminal ? .milliseconds(100) : .seconds(5))
            } catch {
                break
            }
            let count = done.withLock { $0 }
            let seconds = started.duration(to: .now).components.seconds
            if isTerminal {
                Console.draw(Self.bar(count, of: total) + "  \(seconds) s")
            } else {
                Console.note("\(count) of \(total) purchases have come to rest after \(seconds) s")
            }
        }
        if isTerminal { Console.draw("") }
    }

    /// `[####......] 800/2000 purchases`
    static func bar(_ count: Int, of total: Int, width: Int = 40) -> String {
        let filled = total == 0 ? width : width * min(count, total) / total
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
            + "] \(count)/\(total) purchases"
    }
}
