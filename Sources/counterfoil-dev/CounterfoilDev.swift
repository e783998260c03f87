// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// The program for developers: it has what production must not have, a forger of purchases and a database of its own.
@main
struct CounterfoilDev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil-dev",
        abstract: "Rehearses counterfoil without Apple and without a database of yours.",
        discussion: """
            up runs a whole installation to develop against, and buy shows one purchase on it. dev plays purchases against \
            workers, which are processes of the program counterfoil beside this one. simulator runs a fake App Store alone, for an \
            installation that is to be tried out.

            Exit status:
            \(ExitStatus.table)
            """,
        version: Version.current,
        subcommands: [UpCommand.self, BuyCommand.self, DevCommand.self, SimulatorCommand.self]
    )

    static func main() async {
        await runAndExit()
    }
}
