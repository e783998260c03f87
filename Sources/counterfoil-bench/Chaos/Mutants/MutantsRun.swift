// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle

/// Runs mutants, each in the scenario that has to notice it, and prints what gave it away.
struct MutantsRun: Service {
    let mutants: [Mutant]
    let seed: UInt64
    let logger: Logger
    /// Whether every mutant was caught, once ``run()`` has returned.
    let outcome = ChaosRun.Outcome()

    func run() async throws {
        var areAllCaught = true
        for mutant in mutants {
            guard let scenario = Scenarios.named(mutant.scenario) else {
                throw BenchError("the mutant \(mutant.name) names no scenario")
            }
            Progress.say("\(mutant.name): without \"\(mutant.guardSummary)\", in \(scenario.name)")
            let result = try await ScenarioRun(
                scenario: scenario.shortOfPatience, seed: seed, program: try WorkerProgram.path(), logger: logger,
                mutant: mutant
            ).run()
            let verdict = result.verdict
            print("\(mutant.name): \(mutant.guardSummary)")
            print("    \(verdict.isKept ? "SURVIVED" : "caught by") \(scenario.name): \(result.faults.count) faults, \(result.jobs) jobs")
            for complaint in Self.reasons(verdict) { print("    ! \(complaint)") }
            areAllCaught = areAllCaught && !verdict.isKept
        }
        outcome.set(areAllCaught)
    }

    /// The first of each sort, with their number.
    private static func reasons(_ verdict: Verdict) -> [String] {
        [("granted twice", verdict.duplicates), ("lost", verdict.lost), ("otherwise", verdict.otherwise)]
            .filter { !$0.1.isEmpty }.map { "\($0.1.count) \($0.0), such as: \($0.1[0])" }
    }
}

extension Scenario {
    /// What never comes to rest is seen after half a minute just as well.
    fileprivate var shortOfPatience: Scenario {
        var scenario = self
        scenario.settings.patience = .seconds(30)
        return scenario
    }
}
