// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Rehearsal
import ServiceLifecycle
import Synchronization

/// Runs scenarios, one after the other or several at once, and prints a row for each.
struct ChaosRun: Service {
    let scenarios: [Scenario]
    let seeds: [UInt64]
    /// So many at once, but for those that run alone.
    var atOnce = 1
    /// Where each run is kept; nil: nowhere.
    var survivals: SurvivalFile?
    let logger: Logger
    /// Whether all were kept and as fast as is aimed for, once ``run()`` has returned.
    let outcome = Outcome()

    /// A word that outlives the service.
    final class Outcome: Sendable {
        private let kept = Mutex(false)
        var isKept: Bool { kept.withLock { $0 } }
        func set(_ isKept: Bool) { kept.withLock { $0 = isKept } }
    }

    /// One scenario with one seed.
    struct Turn: Sendable {
        let scenario: Scenario
        let seed: UInt64
    }

    func run() async throws {
        print("seed \(seeds.map(String.init).joined(separator: ", "))\n\(ChaosReport.head)")
        for scenario in scenarios {
            if let obstacle = scenario.obstacle { print(ChaosReport.leftOut(scenario, because: obstacle)) }
        }
        let (together, alone) = Self.turns(scenarios.filter { $0.obstacle == nil }, seeds: seeds, atOnce: atOnce)
        let areKept = try await run(together, atOnce: atOnce)
        outcome.set(try await run(alone, atOnce: 1) && areKept)
    }

    /// The turns of those that may run beside others, and of those that run alone. At once, the longest begin first, so that none
    /// is left at the end.
    static func turns(
        _ scenarios: [Scenario], seeds: [UInt64], atOnce: Int
    ) -> (together: [Turn], alone: [Turn]) {
        let turns = seeds.flatMap { seed in scenarios.map { Turn(scenario: $0, seed: seed) } }
        guard atOnce > 1 else { return ([], turns) }
        let together = turns.filter { !$0.scenario.runsAlone }.enumerated().sorted { left, right in
            let (one, other) = (left.element.scenario.settings, right.element.scenario.settings)
            return (one.patience, one.load, right.offset) > (other.patience, other.load, left.offset)
        }
        return (together.map(\.element), turns.filter(\.scenario.runsAlone))
    }

    /// - Returns: whether all were kept and as fast as is aimed for.
    private func run(_ turns: [Turn], atOnce: Int) async throws -> Bool {
        try await withThrowingTaskGroup(of: (Turn, Result<ScenarioResult, any Error>).self) { group in
            var waiting = turns[...]
            var isKept = true
            func begin() {
                guard let turn = waiting.popFirst() else { return }
                group.addTask { (turn, try await play(turn)) }
            }
            for _ in 0..<atOnce { begin() }
            while let (turn, result) = try await group.next() {
                begin()
                isKept = try report(result, of: turn) && isKept
            }
            return isKept
        }
    }

    /// - Throws: when it was cancelled. What fails otherwise is one run's, and the others go on.
    private func play(_ turn: Turn) async throws -> Result<ScenarioResult, any Error> {
        Progress.say("\(turn.scenario.name), seed \(turn.seed): \(turn.scenario.summary)")
        do {
            return .success(
                try await ScenarioRun(
                    scenario: turn.scenario, seed: turn.seed, program: try WorkerProgram.path(), logger: logger
                ).run())
        } catch {
            try Task.checkCancellation()
            return .failure(error)
        }
    }

    /// - Returns: whether it was kept, and as fast as is aimed for.
    private func report(_ result: Result<ScenarioResult, any Error>, of turn: Turn) throws -> Bool {
        // A row stands in a file, too, as soon as it is known.
        defer { fflush(nil) }
        switch result {
        case .success(let result):
            print(ChaosReport.row(result, seed: turn.seed))
            for line in ChaosReport.details(result) { print(line) }
            if let survivals { try survivals.add(survivals.surroundings.run(result, seed: turn.seed)) }
            return result.isKept && result.meetsTargets
        case .failure(let error):
            print("\(turn.scenario.name), seed \(turn.seed): FAILED, ended by an error: \(error)")
            if let survivals {
                try survivals.add(survivals.surroundings.run(of: turn.scenario, seed: turn.seed, endedBy: error))
            }
            return false
        }
    }
}
