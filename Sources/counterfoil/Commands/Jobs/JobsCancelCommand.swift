// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct JobsCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Removes a job that is not running from the queue. Its order keeps its state.",
        discussion: """
            The proof stays in counterfoil.proofs for as long as the proofs of rejected orders. If the order is open, rejected or \
            in review, counterfoil jobs retry --order ORDER --reason discarded_by_operator --why WHY judges the proof again.
            """
    )

    @Argument(help: "The job's id.")
    var job: Int64

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        try await assembly.withConnection(writing: true) { connection in
            let cancelled = try await connection.execute(
                SQLFile.cancelJob.statement, [.int8(job), .text(act.who), .text(act.why)])
            guard cancelled.isEmpty else { return }
            throw try await JobObstacle.failure(for: job, connection)
        }
        print("job \(job) is cancelled")
    }
}
