// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Rehearsal

/// Plays purchases, honest and dishonest, against everything real but Apple.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Plays thousands of purchases against workers, and shows that each was granted exactly once.",
        discussion: """
            The command starts a PostgreSQL server in a temporary folder, a simulated App Store on the loopback, and worker \
            processes. It plays honest and dishonest customers, lives of subscriptions, outages and crashes. Then it compares \
            every order, payment and subscription, and the feed's last words, with the expected result. At the end it stops \
            and removes everything. The exit status is 1 when anything differs.
            """
    )

    @Option(help: ArgumentHelp("How many purchases to play. 120 are enough for every kind.", valueName: "n"))
    var purchases = 2000

    @Option(help: ArgumentHelp("The same seed plays the same purchases.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: "What the shop's backend speaks: sql, or http with two gateways, which Apple's notifications go to, too.")
    var over = Door.sql

    @OptionGroup var installation: InstallationOptions

    @Option(help: ArgumentHelp("How many times to kill a worker; each is started again.", valueName: "n"))
    var killWorkers = 0

    @Flag(help: "Play lives of subscriptions alone.")
    var lives = false

    @Flag(help: "Keep everything running afterwards, and print how to look around.")
    var stay = false

    @Flag(help: .hidden)
    var expectSomethingWrong = false

    func validate() throws {
        guard (0...100_000).contains(purchases) else { throw ValidationError("--purchases must be from 0 to 100000.") }
        guard (0...100).contains(killWorkers) else { throw ValidationError("--kill-workers must be from 0 to 100.") }
    }

    func run() async throws {
        var plan = PurchasePlan(purchases: purchases, seed: seed, workers: installation.workers, kills: killWorkers)
        if lives { plan = PurchasePlan(purchases: purchases, seed: seed, kinds: PurchaseKind.lives) }
        if expectSomethingWrong { plan = plan.expectingSomethingWrong }
        let session = installation.session(playing: plan, stays: stay, over: over)
        let isClean = try await Interruption.ending(farewell: session.traces.farewell) { try await session.run() }
        guard isClean else { throw ExitCode.failure }
    }
}
