// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Glibc
import Logging

/// The process that a worker starts for a job that crashed workers before; see ``AttemptProcess``.
struct AttemptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attempt",
        abstract: "Attempts and settles one claimed job, for a worker.",
        shouldDisplay: false
    )

    @Option(help: "The job.")
    var job: Int64

    @Option(help: "The token of the lease under which the worker holds it.")
    var leaseToken: Int64

    @Option(help: "How long the attempt may take.")
    var attemptMilliseconds: Int64

    @Option(help: "How long the lease may be relied on.")
    var leaseMilliseconds: Int64

    /// Every failure of ours hands the job back: only what a proof does to this process may count as a crash.
    func run() async throws {
        // The worker decides when this ends; a signal to the whole group, at a stop, is the worker's to heed.
        for number in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] {
            signal(number, SIG_IGN)
        }
        // Should the worker be gone, nobody else ends an attempt that never ends.
        alarm(UInt32(clamping: leaseMilliseconds / 1000 + 5))
        do {
            try await IsolatedAttemptRun(
                assembly: Assembly(logLevel: .info), jobID: job, leaseToken: leaseToken,
                attempt: .milliseconds(attemptMilliseconds), lease: .milliseconds(leaseMilliseconds)
            ).run()
        } catch {
            throw CommandFailure(.temporaryFailure, CommandFailure(error).description)
        }
    }
}
