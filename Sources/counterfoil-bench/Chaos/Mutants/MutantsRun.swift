// SPDX-License-Identifier: Apache-2.0

import Logging
import Rehearsal
import ServiceLifecycle

/// Runs mutants, each in the scenario that has to notice it, until one of its runs does, and prints what gave it away.
struct MutantsRun: Service {
    /// A fault has to meet the place where the guard is missing: of one run's faults none may.
    private static let mostRuns: UInt64 = 5

    let mutants: [Mutant]
    let seed: UInt64
    let logger: Logger
    /// Whether every mutant was caught, and nobody else, once ``run()`` has returned.
    let outcome = ChaosRun.Outcome()

    func run() async throws {
        var areAllCaught = try await keepThePromiseWhole()
        for mutant in mutants {
            guard let scenario = Scenarios.named(mutant.scenario) else {
                throw BenchError("the mutant \(mutant.name) names no scenario")
            }
            Progress.say("\(mutant.name): without \"\(mutant.guardSummary)\", in \(scenario.name)")
            print("\(mutant.name): \(mutant.guardSummary)")
            let isCaught = try await isCaught(mutant, in: scenario)
            areAllCaught = areAllCaught && isCaught
        }
        outcome.set(areAllCaught)
    }

    /// Runs each scenario with all guards in place: what gives a mutant away must be the guard that is missing.
    private func keepThePromiseWhole() async throws -> Bool {
        let names = Set(mutants.map(\.scenario))
        var areKept = true
        for scenario in Scenarios.all where names.contains(scenario.name) {
            Progress.say("\(scenario.name), with every guard")
            let result = try await play(scenario, seed: seed)
            print("every guard: \(result.isKept ? "kept by" : "FAILED in") \(scenario.name), seed \(seed)")
            for complaint in result.complaints { print("    ! \(complaint)") }
            areKept = areKept && result.isKept
        }
        return areKept
    }

    /// Runs the scenario with one seed after the other until a run notices.
    private func isCaught(_ mutant: Mutant, in scenario: Scenario) async throws -> Bool {
        for run in 0..<Self.mostRuns {
            let seed = seed &+ run
            let result = try await play(scenario, seed: seed, mutant)
            let verdict = result.verdict
            let expected = verdict.lines(of: mutant.complaint)
            let word = expected.isEmpty ? verdict.isKept ? "SURVIVED" : "NOTICED BY ACCIDENT in" : "caught by"
            print("    \(word) \(scenario.name), seed \(seed): \(result.faults.count) faults, \(result.jobs) jobs")
            if let line = expected.first { print("    ! \(expected.count) as expected, such as: \(line)") }
            for complaint in Self.reasons(verdict) { print("    ! \(complaint)") }
            if !expected.isEmpty { return true }
        }
        return false
    }

    private func play(_ scenario: Scenario, seed: UInt64, _ mutant: Mutant? = nil) async throws -> ScenarioResult {
        var scenario = scenario.shortOfPatience
        scenario.settings.cancelsWaitingCommits = mutant?.cancelsWaitingCommits == true
        return try await ScenarioRun(
            scenario: scenario, seed: seed, program: try WorkerProgram.path(), logger: logger, mutant: mutant
        ).run()
    }

    /// The first of each sort, with their number.
    private static func reasons(_ verdict: Verdict) -> [String] {
        [("granted twice", verdict.duplicates), ("lost", verdict.lost), ("otherwise", verdict.otherwise)]
            .filter { !$0.1.isEmpty }.map { "\($0.1.count) \($0.0), such as: \($0.1[0])" }
    }
}

extension Scenario {
    /// What never comes to rest is seen after half a minute just as well, unless a fault lasts longer than that.
    fileprivate var shortOfPatience: Scenario {
        var scenario = self
        if scenario.settings.patience == ChaosSettings().patience { scenario.settings.patience = .seconds(30) }
        return scenario
    }
}
