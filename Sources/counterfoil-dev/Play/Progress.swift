// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows how far the play is, from the first purchase to the report: a bar on a terminal, a line now and then elsewhere.
final class Progress: Sendable {
    enum Stage: Sendable {
        case playing
        /// All purchases have come to rest, and so many jobs have not.
        case settling(jobs: Int)
        /// Orders and payments are compared with the plan.
        case judging
    }

    private struct State {
        var done = 0
        var stage = Stage.playing
    }

    private let total: Int
    private let started = ContinuousClock.now
    private let state = Mutex(State())

    init(total: Int) {
        self.total = total
    }

    var stage: Stage {
        get { state.withLock { $0.stage } }
        set { state.withLock { $0.stage = newValue } }
    }

    /// One more purchase has come to rest.
    func countOne() {
        state.withLock { $0.done += 1 }
    }

    /// Runs `body` while it shows.
    func shown<Success: Sendable>(_ body: () async throws -> Success) async throws -> Success {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Shows until it is cancelled.
    private func run() async {
        let isTerminal = Console.isTerminal
        while true {
            do {
                try await Task.sleep(for: isTerminal ? .milliseconds(100) : .seconds(5))
            } catch {
                break
            }
            let (count, stage) = state.withLock { ($0.done, $0.stage) }
            let seconds = started.duration(to: .now).components.seconds
            if isTerminal {
                Console.draw(Self.bar(count, of: total, stage) + "  \(seconds) s")
            } else {
                Console.note(Self.line(count, of: total, stage) + " after \(seconds) s")
            }
        }
        if isTerminal { Console.draw("") }
    }

    /// `[####......] 800/2000 purchases`
    static func bar(_ count: Int, of total: Int, _ stage: Stage = .playing, width: Int = 30) -> String {
        let filled = total == 0 ? width : width * min(count, total) / total
        let bar = "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
            + "] \(count)/\(total) purchases"
        return switch stage {
        case .playing: bar
        case .settling(let jobs): bar + ", \(jobs) jobs left"
        case .judging: bar + ", comparing"
        }
    }

    private static func line(_ count: Int, of total: Int, _ stage: Stage) -> String {
        switch stage {
        case .playing: "\(count) of \(total) purchases have come to rest"
        case .settling(let jobs): "all purchases have come to rest, \(jobs) jobs have not"
        case .judging: "orders and payments are being compared"
        }
    }
}
