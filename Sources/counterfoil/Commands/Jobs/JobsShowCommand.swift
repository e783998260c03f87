// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a job, without its proof. One that was settled is gone: its order tells what came of it."
    )

    @Argument(help: "The job's id.")
    var job: Int64

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.showJob.statement, [.int8(job)]).first.map { OutputValue($0) }
        }
        guard let found else {
            throw CommandFailure(.failure, "there is no job \(job)")
        }
        output.show(found)
    }
}
