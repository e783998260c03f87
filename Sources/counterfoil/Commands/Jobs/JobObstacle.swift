// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Postgres
import Schema
import VerificationQueue

/// Why nothing could be done to a job.
enum JobObstacle {
    static func failure(for job: Int64, _ connection: PostgresConnection) async throws -> CommandFailure {
        let found = try await connection.execute(SQLFile.showJob.statement, [.int8(job)])
        return CommandFailure(
            .failure,
            found.isEmpty
                ? "there is no job \(job)"
                : try found[0].string(4) == "running"
                    ? "job \(job) is running; it is left alone until its attempt is settled or its lease runs out"
                    : "job \(job) is \(try found[0].string(4)), or somebody else is at it")
    }
}
