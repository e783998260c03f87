// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Claims jobs, verifies them with Apple and settles them, until it is stopped.",
        discussion: """
            Runs in the foreground and logs to standard error. Waits for a database that is away. SIGTERM and SIGINT \
            drain: nothing more is claimed, what runs is settled or handed back; a second one ends it at once. SIGHUP \
            reads the credentials again. Any number of workers may run, on any number of machines.

            Configured by environment variables: see counterfoil help environment.
            """
    )

    func run() async throws {
        try await WorkerRun(assembly: Assembly(logLevel: .info)).run()
    }
}
