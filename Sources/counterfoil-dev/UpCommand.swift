// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Rehearsal

/// A whole installation to develop against, with a simulated App Store in Apple's place.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Runs a database, a simulated App Store and workers, to develop a backend against.",
        discussion: """
            It is ready within seconds and prints how to use it: a file of environment variables for the program counterfoil, and \
            how to buy something. Ctrl-C stops and removes everything.
            """
    )

    @Option(help: ArgumentHelp("How many worker processes to run.", valueName: "n"))
    var workers = 2

    @Flag(help: "Migrate as counterfoil_admin, which may create roles and is no superuser, as on a managed server.")
    var managed = false

    func validate() throws {
        guard (1...32).contains(workers) else { throw ValidationError("--workers must be from 1 to 32.") }
    }

    func run() async throws {
        let options = DevOptions(purchases: 0, seed: 1, workers: workers, kills: 0, isManaged: managed, stays: true)
        var logger = Logger(label: "counterfoil.dev") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let session = DevSession(options, plan: PurchasePlan(purchases: 0, seed: 1, workers: workers, kills: 0), logger: logger)
        _ = try await Interruption.ending { try await session.run() }
    }
}
