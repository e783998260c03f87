// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// A rule that is left out of the database, by a word of its routine, or by a trigger that undoes what a statement does. Without
/// such a test the worlds might fail nowhere because they look at nothing.
struct Omission: CustomTestStringConvertible, Sendable {
    private enum Change: Sendable {
        case routine(String, text: String, replacement: String)
        case script(String)
    }

    private let change: Change
    let testDescription: String

    init(routine: String, text: String, replacement: String, testDescription: String) {
        change = .routine(routine, text: text, replacement: replacement)
        self.testDescription = testDescription
    }

    /// - Parameters:
    ///   - table: before whose inserts it acts.
    ///   - body: what it does, in PL/pgSQL, ending with what the trigger returns.
    init(beforeInsertOn table: String, body: String, testDescription: String) {
        change = .script(
            """
            create function counterfoil.leave_out() returns trigger language plpgsql security definer as $$
            begin
                \(body)
            end
            $$;
            create trigger a_leaves_out before insert on counterfoil.\(table)
                for each row execute function counterfoil.leave_out()
            """)
        self.testDescription = testDescription
    }

    /// - Throws: if the routine hasn't the text any more.
    private func script() throws -> String {
        switch change {
        case .script(let script): return script
        case .routine(let name, let text, let replacement):
            let routine = try #require(SQLFile.routinesAndViews.first { $0.name == name })
            let without = routine.text.replacing(text, with: replacement)
            try #require(without != routine.text)
            return without
        }
    }

    /// Plays worlds in a database without the rule, in sessions at the same time. One of them has to fail.
    ///
    /// - Parameter firstFailure: the seed of the first world of a session that fails; nil where none does.
    func expectFailure(
        in sessions: UInt64,
        of firstFailure: @escaping @Sendable (_ session: UInt64, _ queue: QueueFixture) async throws -> UInt64?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let without = try script()
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
