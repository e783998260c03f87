// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres

/// A wait of a payer that is meant, with its bound: a row of `counterfoil.meant_waits`.
package struct MeantWait: Equatable, Sendable {
    /// The waits that the judge knows by name.
    package enum Name {
        package static let claim = "claim"
        package static let outage = "outage"
        package static let lease = "lease"
        package static let held = "held"
    }

    package var name: String
    /// Of the attempts after which it is waited.
    package var reasons: [String]
    /// Seconds to the next attempt, where there is a longest time.
    package var nextWithin: TimeInterval?
    /// In seconds.
    package var bound: TimeInterval

    package init(name: String, reasons: [String] = [], nextWithin: TimeInterval? = nil, bound: TimeInterval) {
        self.name = name
        self.reasons = reasons
        self.nextWithin = nextWithin
        self.bound = bound
    }

    package static func read(_ database: PostgresPool) async throws -> [MeantWait] {
        try await database.execute(AnswerSQL.readMeantWaits).map { row in
            MeantWait(
                name: try row.string(0),
                reasons: try row.string(1).split(separator: ",").map(String.init),
                nextWithin: row.isNull(2) ? nil : try row.double(2),
                bound: try row.double(3))
        }
    }
}
