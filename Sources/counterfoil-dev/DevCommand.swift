// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Rehearsal

/// Plays purchases, honest and dishonest, against everything real but Apple.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Plays thousands of purchases against workers, and shows that each was granted exactly once.",
        discussion: """
            The command starts a PostgreSQL server in a temporary folder, a simulated App Store on the loopback, and worker \
            processes. It plays honest and dishonest customers, outages and crashes. Then it compares every order and every \
            payment with the expected result. At the end it stops and removes everything. The exit status is 1 when \
            anything differs.
            """
    )

    @Option(help: ArgumentHelp("How many purchases to play. 100 are enough for every kind.", valueName: "n"))
    var purchases = 2000

    @Option(help: ArgumentHelp("The same seed plays the same purchases.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How many worker processes to run.", valueName: "n"))
    var workers = 2

    @Option(help: ArgumentHelp("How many times to kill a worker; each is started again.", valueName: "n"))
    var killWorkers = 0

    @Flag(help: "Migrate as counterfoil_admin, which may create roles and is no superuser, as on a managed server.")
    var managed = false

    @Flag(help: "Keep everything running afterwards, and print how to look around.")
    var stay = false

    @Flag(help: .hidden)
    var expectSomethingWrong = false

    func validate() throws {
        guard (0...100_000).contains(purchases) else { throw ValidationError("--purchases must be from 0 to 100000.") }
        guard (1...32).contains(workers) else { throw ValidationError("--workers must be from 1 to 32.") }
        guard (0...100).contains(killWorkers) else { throw ValidationError("--kill-workers must be from 0 to 100.") }
    }

    func run() async throws {
        let options = DevOptions(
            purchases: purchases, seed: seed, workers: workers, kills: killWorkers, isManaged: managed, stays: stay)
        var plan = PurchasePlan(purchases: purchases, seed: seed, workers: workers, kills: killWorkers)
        if expectSomethingWrong { plan = plan.expectingSomethingWrong }
        var logger = Logger(label: "counterfoil.dev") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning

        let session = DevSession(options, plan: plan, logger: logger)
        guard try await Interruption.ending({ try await session.run() }) else { throw ExitCode.failure }
    }
}
