// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Rehearsal

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

            Settlement decides the scenarios that are marked with *: their faults strike claims, settlements, commits, rows of \
            the ledger, or the database; not Apple's answers, clocks, or the number of jobs. "--scenario settlement" runs these.

            Scenarios:
            """
            + "\n"
            + Scenarios.all.map { "  \($0.name)\($0.isDecidedBySettlement ? "*" : ""): \($0.summary)" }.joined(separator: "\n")
    )

    @Option(help: ArgumentHelp(
        "A scenario, all of them, or settlement: those that settlement decides. Several may be named, each by an option.",
        valueName: "name"))
    var scenario = ["all"]

    @Option(help: "Decides purchases and faults. Several may be named, each by an option.")
    var seed: [UInt64] = [1]

    @Option(help: "How long purchases come in, in each scenario; each has a short time of its own otherwise.")
    var minutes: Int?

    @Option(help: """
        Scenarios that run at once. Those that measure how long orders or claims take, or bring all purchases at once, run alone.
        """)
    var atOnce = 1

    @Option(help: ArgumentHelp(
        """
        Adds each run to this file, which says what was survived; begun anew when the sources that decide have changed since. \
        Several commands may add to it.
        """, valueName: "file"))
    var survives: String?

    @Option(help: ArgumentHelp(
        "A counterfoil that knows an older schema only, for old-and-new-workers; else that is left out.", valueName: "path"))
    var olderWorker: String?

    func validate() throws {
        for name in scenario where Scenarios.group(name) == nil {
            let names = Scenarios.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--scenario is all, settlement, or one of: \(names).")
        }
        try NumberBounds.check([("--minutes", minutes ?? 1, 1...600), ("--at-once", atOnce, 1...8)])
        guard Set(seed).count == seed.count else { throw ValidationError("--seed names one seed twice.") }
        if let olderWorker, !olderWorker.hasPrefix("/") || access(olderWorker, X_OK) != 0 {
            throw ValidationError("--older-worker is the absolute path of a program.")
        }
    }

    func run() async throws {
        let names = Set(scenario.flatMap { Scenarios.group($0) ?? [] }.map(\.name))
        let scenarios = Scenarios.all.filter { names.contains($0.name) }.map(adapted)
        if scenarios.count == 1, let obstacle = scenarios[0].obstacle {
            throw ValidationError("\(scenarios[0].name) can't be run: \(obstacle).")
        }
        let run = ChaosRun(
            scenarios: scenarios, seeds: seed, atOnce: atOnce, survivals: try await survivalFile(), logger: .bench)
        try await run.runUntilSignalled()
        guard run.outcome.isKept else { throw ExitCode.failure }
    }

    private func survivalFile() async throws -> SurvivalFile? {
        guard let survives else { return nil }
        let tree = try SourceTree.find()
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let sources = try await tree.checksum(programs: [own, try WorkerProgram.path()])
        let surroundings = SurvivalSurroundings(
            commit: try await tree.commit(), machine: Machine.current.summary, atOnce: atOnce, minutes: minutes)
        let file = SurvivalFile(path: survives, sources: sources, surroundings: surroundings)
        let count = try file.record().runs.count
        Progress.say("\(survives): \(count == 0 ? "begun anew" : "\(count) runs of these sources so far")")
        return file
    }

    private func adapted(_ scenario: Scenario) -> Scenario {
        var scenario = scenario
        if scenario.requirement == .olderWorker { scenario.settings.olderProgram = olderWorker }
        if let minutes { scenario.settings.lengthen(to: .seconds(60 * minutes)) }
        return scenario
    }
}
