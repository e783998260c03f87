// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Claims jobs, verifies their proofs with Apple and settles them, until it is stopped.",
        discussion: """
            A worker runs in the foreground and logs to standard error. It waits for a database that is away. SIGTERM and \
            SIGINT drain it: it claims no more jobs, and settles or releases those that run. A second signal ends it at once. \
            SIGHUP reads the credentials again. Any number of workers may run, on any number of machines.

            Environment variables configure a worker: see counterfoil help environment.
            """
    )

    func run() async throws {
        try await WorkerRun(assembly: Assembly(logLevel: .info)).run()
    }
}
