// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct JobsRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Makes a waiting or discarded job available now, with all its attempts before it."
    )

    @Argument(help: "The job's id.")
    var job: Int64

    func run() async throws {
        try await Assembly().withConnection { connection in
            let retried = try await connection.execute(SQLFile.retryJob.statement, [.int8(job)])
            guard retried.isEmpty else { return }
            throw try await JobObstacle.failure(for: job, connection)
        }
        print("job \(job) is available")
    }
}
