// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a job, without its proof. A completed job is gone; orders show has its attempts."
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
