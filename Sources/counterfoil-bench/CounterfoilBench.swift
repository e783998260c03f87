// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The benchmarks. Not part of the packages that are installed.
@main
struct CounterfoilBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil-bench",
        abstract: "Measures Counterfoil beside the floor of its database and its cryptography, and breaks what it runs on.",
        subcommands: [
            QueueCommand.self, PurchaseCommand.self, VerifyCommand.self, ChaosCommand.self, ViewsCommand.self, MutantsCommand.self,
            WorkerCommand.self, BareCallsCommand.self,
        ]
    )
}
