// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Rehearsal
import ServiceLifecycle
import Synchronization

/// Runs scenarios one after the other, and prints a row for each.
struct ChaosRun: Service {
    let scenarios: [Scenario]
    let seed: UInt64
    let logger: Logger
    /// Whether all were kept and as fast as is aimed for, once ``run()`` has returned.
    let outcome = Outcome()

    /// A word that outlives the service.
    final class Outcome: Sendable {
        private let kept = Mutex(false)
        var isKept: Bool { kept.withLock { $0 } }
        func set(_ isKept: Bool) { kept.withLock { $0 = isKept } }
    }

    func run() async throws {
        print("seed \(seed)\n\(ChaosReport.head)")
        var isKept = true
        for scenario in scenarios {
            if let obstacle = scenario.obstacle {
                print(ChaosReport.leftOut(scenario, because: obstacle))
                continue
            }
            Progress.say("\(scenario.name): \(scenario.summary)")
            let result = try await ScenarioRun(
                scenario: scenario, seed: seed, program: try WorkerProgram.path(), logger: logger
            ).run()
            print(ChaosReport.row(result))
            for line in ChaosReport.details(result) { print(line) }
            // A row stands in a file, too, as soon as it is known.
            fflush(nil)
            isKept = isKept && result.isKept && result.meetsTargets
        }
        outcome.set(isKept)
    }
}
