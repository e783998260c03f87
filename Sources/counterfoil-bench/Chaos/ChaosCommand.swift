// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// `counterfoil-bench chaos`: whether every purchase is granted exactly once while things break.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Plays purchases while workers, network, database and Apple fail, and judges what became of them.",
        discussion: """
            Each scenario has a private server, a simulated App Store, worker processes with a proxy of ours before each, a \
            steady load and a schedule of faults that the seed decides. A row says how many faults came about, jobs were \
            settled, payments were granted twice or lost (none may be), other differences there were (none may be), how \
            long it took until all went on (middle and worst), and how many settlements came too late and were refused. \
            What can't be run here is named and left out. \
            Everything is stopped and removed at the end. The exit status is 1 when a promise was broken, \
            or a time missed that is aimed for.

            Scenarios:
            """
            + "\n" + Scenarios.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n")
    )

    @Option(help: ArgumentHelp("A scenario, or all of them.", valueName: "name"))
    var scenario = "all"

    @Option(help: "Decides purchases and faults.")
    var seed: UInt64 = 1

    @Option(help: "How long purchases come in, in each scenario; each has a short time of its own otherwise.")
    var minutes: Int?

    @Option(help: ArgumentHelp(
        "A counterfoil that knows an older schema only, for old-and-new-workers; else that is left out.", valueName: "path"))
    var olderWorker: String?

    func validate() throws {
        guard scenario == "all" || Scenarios.named(scenario) != nil else {
            let names = Scenarios.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--scenario is all or one of: \(names).")
        }
        guard (1...600).contains(minutes ?? 1) else { throw ValidationError("--minutes is from 1 to 600.") }
        if let olderWorker, !olderWorker.hasPrefix("/") || access(olderWorker, X_OK) != 0 {
            throw ValidationError("--older-worker is the absolute path of a program.")
        }
    }

    func run() async throws {
        let named = Scenarios.named(scenario)
        let run = ChaosRun(scenarios: (named.map { [$0] } ?? Scenarios.all).map(adapted), seed: seed, logger: .bench)
        if named != nil, let obstacle = run.scenarios[0].obstacle {
            throw ValidationError("\(scenario) can't be run: \(obstacle).")
        }
        try await run.runUntilSignalled()
        guard run.outcome.isKept else { throw ExitCode.failure }
    }

    private func adapted(_ scenario: Scenario) -> Scenario {
        var scenario = scenario
        if scenario.requirement == .olderWorker { scenario.settings.olderProgram = olderWorker }
        if let minutes { scenario.settings.lengthen(to: .seconds(60 * minutes)) }
        return scenario
    }
}
