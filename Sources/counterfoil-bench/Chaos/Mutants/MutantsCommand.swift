// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `counterfoil-bench mutants`: whether the chaos runs notice when a guard is missing.
struct MutantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Takes each guard away in turn, and shows that a chaos run notices.",
        discussion: """
            The workers are the product's own. What is missing is taken out between them and the database: a constraint is \
            dropped, or the proxy before a worker changes the text of a statement. Each scenario runs with every guard first, \
            and must keep the promise. One that doesn't notice a mutant, or notices something else than what its guard is for, \
            runs again with the next seeds; the exit status is 1 when a mutant survives five runs.

            Mutants:
            """
            + "\n" + Mutants.all.map { "  \($0.name): without \"\($0.guardSummary)\", in \($0.scenario)" }.joined(separator: "\n")
    )

    @Option(name: .customLong("only"), help: "A mutant, in place of all.")
    var name: String?

    @Option(help: "Decides purchases and faults, of the first run.")
    var seed: UInt64 = 1

    func validate() throws {
        guard let name else { return }
        guard Mutants.all.contains(where: { $0.name == name }) else {
            throw ValidationError("--only is one of: \(Mutants.all.map(\.name).joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let run = MutantsRun(mutants: Mutants.all.filter { name == nil || $0.name == name }, seed: seed, logger: .bench)
        try await run.runUntilSignalled()
        guard run.outcome.isKept else { throw ExitCode.failure }
    }
}
