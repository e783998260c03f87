// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Postgres

extension WorkerFleet {
    /// Runs `body` while the workers run and polls are answered.
    package func run<Success: Sendable>(
        answering statuses: StatusReader, _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try await whileRunning([{ try await self.run() }, { await statuses.run() }], body)
    }

    /// Returns when so many workers have registered.
    package static func waitForWorkers(_ count: Int, _ database: PostgresPool) async throws {
        try await before(.now + .seconds(60), waitingFor: "a sign of life of every worker") {
            while try await database.execute(RehearsalSQL.countWorkers)[0].int64(0) < count {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Returns when no job is available or running, or with those that are when the time is up.
    ///
    /// - Parameter note: gets the number of such jobs at each look.
    package static func waitForQueue(
        _ patience: Duration, _ database: PostgresPool, note: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> [String] {
        do {
            try await before(.now + patience, waitingFor: "the end of the queue") {
                while true {
                    let jobs = Int(try await database.execute(RehearsalSQL.countUnsettled)[0].int64(0))
                    note(jobs)
                    guard jobs > 0 else { return }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            return []
        } catch is DeadlinePassed {
            return try await database.execute(RehearsalSQL.showPendingJobs).map(\.summary)
        }
    }
}
