// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Rehearsal

/// A whole installation to develop against, with a simulated App Store in Apple's place.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Runs a database, a simulated App Store, workers and a gateway, to develop a backend against.",
        discussion: """
            It is ready within seconds and prints how to use it: a URL for each role, which any driver takes, the URL of the \
            gateway with a key, a file of environment variables for the program counterfoil, and how to buy something. Its files \
            are in TMPDIR or /tmp. Ctrl-C stops and removes everything.
            """
    )

    @OptionGroup var installation: InstallationOptions

    func run() async throws {
        let nothing = PurchasePlan(purchases: 0, seed: 1, workers: installation.workers, kills: 0)
        let session = installation.session(playing: nothing, stays: true)
        _ = try await Interruption.ending(farewell: session.traces.farewell) { try await session.run() }
    }
}
