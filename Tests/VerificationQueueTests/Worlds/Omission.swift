// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// A rule that is left out of the database, by a word of its routine. Without such a test the worlds might fail nowhere because
/// they look at nothing.
struct Omission: CustomTestStringConvertible, Sendable {
    let routine: String
    let text: String
    let replacement: String
    let testDescription: String

    /// Plays worlds in a database without the rule, in sessions at the same time. One of them has to fail.
    ///
    /// - Parameter firstFailure: the seed of the first world of a session that fails; nil where none does.
    func expectFailure(
        in sessions: UInt64,
        of firstFailure: @escaping @Sendable (_ session: UInt64, _ queue: QueueFixture) async throws -> UInt64?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let routine = try #require(SQLFile.routinesAndViews.first { $0.name == self.routine })
        let without = routine.text.replacing(text, with: replacement)
        try #require(without != routine.text)
        try await QueueFixture.run { queue in
            try await PostgresConnection.withConnection(to: queue.adminURL) { try await $0.executeScript(without) }

            let found = try await withThrowingTaskGroup(of: UInt64?.self, returning: UInt64?.self) { group in
                for session in 0..<sessions {
                    group.addTask { try await firstFailure(session, queue) }
                }
                for try await seed in group where seed != nil {
                    group.cancelAll()
                    return seed
                }
                return nil
            }
            print("without \(testDescription), world \(found.map(String.init) ?? "-") fails")
            #expect(found != nil, sourceLocation: sourceLocation)
        }
    }
}
