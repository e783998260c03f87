// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import VerificationQueue

/// Looks whether a gate exists.
enum GateLookup {
    /// - Throws: ``CommandFailure`` when there is no gate of this lane.
    static func require(_ lane: Int32, _ connection: PostgresConnection) async throws {
        for row in try await connection.execute(SQLFile.listGates.statement) where try row.int32(0) == lane {
            return
        }
        throw CommandFailure(.failure, "there is no gate \(lane)")
    }
}
