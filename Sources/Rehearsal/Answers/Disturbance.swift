// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres
import Synchronization

/// A time in which jobs could not go on, through no fault of theirs.
package struct Disturbance: Equatable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// The gate of a lane of this app was closed.
        case closedGate(bundleID: String)
        /// The database answered nobody, committed nothing, or ended sessions.
        case databaseAway
    }

    package var cause: Cause
    package var during: ClosedRange<Date>

    package init(_ cause: Cause, during: ClosedRange<Date>) {
        self.cause = cause
        self.during = during
    }
}

/// Looks at the gates, and whether the database answers and commits, as long as it runs.
package final class DisturbanceWatch: Sendable {
    private struct State {
        var ended: [Disturbance] = []
        /// When each began that lasts.
        var lasting: [Disturbance.Cause: Date] = [:]
        var lastLook: Date?
        /// Sessions that the server had ended by then.
        var endedSessions: Int64?
    }

    private static let interval = Duration.milliseconds(200)
    /// A look that takes longer finds the database away.
    private static let patience = Duration.seconds(1)

    private let database: PostgresPool
    private let state = Mutex(State())

    package init(_ database: PostgresPool) {
        self.database = database
    }

    /// Looks until it is cancelled.
    package func run() async {
        while !Task.isCancelled {
            do {
                let found = try await database.execute(AnswerSQL.findDisturbances, timeout: Self.patience).map {
                    try $0.optionalString(0).map(Disturbance.Cause.closedGate) ?? .databaseAway
                }
                let ended = try await database.execute(AnswerSQL.countEndedSessions, timeout: Self.patience)[0].int64(0)
                note(Set(found).union(hasEndedSessions(ended) ? [.databaseAway] : []))
            } catch {
                if !Task.isCancelled { note(nil) }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Whether the server ended sessions since the last look.
    private func hasEndedSessions(_ count: Int64) -> Bool {
        state.withLock { state in
            defer { state.endedSessions = count }
            return state.endedSessions.map { count > $0 } ?? false
        }
    }

    /// What lasted, up to now.
    package var disturbances: [Disturbance] {
        state.withLock { state in
            state.ended + state.lasting.map { Disturbance($0.key, during: $0.value...max($0.value, Date())) }
        }
    }

    /// - Parameter found: what is there now; nil: the database didn't answer, and what was there before may last.
    private func note(_ found: Set<Disturbance.Cause>?) {
        let now = Date()
        state.withLock { state in
            let present = found ?? Set(state.lasting.keys).union([.databaseAway])
            for (cause, since) in state.lasting where !present.contains(cause) {
                state.ended.append(Disturbance(cause, during: since...max(since, now)))
                state.lasting[cause] = nil
            }
            // It began after the look before.
            for cause in present where state.lasting[cause] == nil { state.lasting[cause] = state.lastLook ?? now }
            state.lastLook = now
        }
    }
}
