// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `counterfoil-bench verify`: what it costs to verify proofs, beside the bare cryptography.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Measures how many proofs one core verifies, beside the bare checks of signatures in them.",
        discussion: """
            All is measured in one run, in turns, by the processor's time and not by the clock, so that the shares hold \
            on a machine that does other things too. Proofs are signed by the simulator, with chains of Apple's shape.
            """
    )

    @Option(help: "Processor time of each figure in each round, in milliseconds.")
    var milliseconds = 200

    @Option(help: "Rounds; the middle one of each figure counts.")
    var rounds = 9

    @Option(name: .customLong("only"), help: "A proof to measure, in place of all; may be repeated.")
    var proofs: [BenchProof] = []

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        try NumberBounds.check([
            ("--milliseconds", milliseconds, 10...60_000), ("--rounds", rounds, 1...1000),
        ])
    }

    func run() async throws {
        let bench = try VerifyBench(
            proofs: Set(proofs.isEmpty ? BenchProof.allCases : proofs), slice: .milliseconds(milliseconds),
            rounds: rounds)
        let report = try await bench.measure()
        print(json ? try report.json() : report.table())
    }
}
