// SPDX-License-Identifier: Apache-2.0

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
                : "job \(job) is running; it is left alone until its attempt is settled or its lease runs out")
    }
}
