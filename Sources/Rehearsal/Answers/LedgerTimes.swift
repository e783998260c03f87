// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres

/// What the ledger and the queue held at each time, as their history says.
package struct LedgerTimes: Equatable, Sendable {
    /// One finished attempt at an order.
    package struct Attempt: Equatable, Sendable {
        package var job: Int64
        package var submittedAt: Date
        package var claimedAt: Date
        package var finishedAt: Date
        package var disposition: String
        package var reason: String?

        package init(
            job: Int64, submittedAt: Date, claimedAt: Date, finishedAt: Date, disposition: String, reason: String? = nil
        ) {
            self.job = job
            self.submittedAt = submittedAt
            self.claimedAt = claimedAt
            self.finishedAt = finishedAt
            self.disposition = disposition
            self.reason = reason
        }

        /// Whether its job was over with it.
        package var endsTheJob: Bool { ["complete", "discard", "cancel"].contains(disposition) }
    }

    /// That a payment, under this id, was granted.
    package struct Grant: Equatable, Sendable {
        package var orderID: String
        package var at: Date

        package init(orderID: String, at: Date) {
            self.orderID = orderID
            self.at = at
        }
    }

    /// By order, in the order of time.
    package var attempts: [String: [Attempt]] = [:]
    /// By every id of the payment.
    package var grants: [Observation.TransactionKey: Grant] = [:]
    /// When it was first recorded that a transaction was taken back, wholly or in part.
    package var revocations: [Observation.TransactionKey: Date] = [:]

    package init() {}

    /// From when to when each job of an order was pending. One that has not ended is pending for ever.
    package func pending(_ order: String) -> [ClosedRange<Date>] {
        Dictionary(grouping: attempts[order] ?? [], by: \.job).values.compactMap { attempts in
            guard let begin = attempts.map(\.submittedAt).min() else { return nil }
            let end = attempts.filter(\.endsTheJob).map(\.finishedAt).max() ?? .distantFuture
            return begin...max(begin, end)
        }
    }
}

extension LedgerTimes {
    /// Reads the history; nothing is being settled meanwhile.
    package static func read(_ database: PostgresPool) async throws -> LedgerTimes {
        var times = LedgerTimes()
        for row in try await database.execute(AnswerSQL.readAttempts) {
            times.attempts[try row.string(0), default: []].append(
                Attempt(
                    job: try row.int64(1), submittedAt: try row.timestamp(2).date, claimedAt: try row.timestamp(3).date,
                    finishedAt: try row.timestamp(4).date, disposition: try row.string(5), reason: try row.optionalString(6)))
        }
        for row in try await database.execute(AnswerSQL.readGrantTimes) {
            times.grants[try .init(row)] = Grant(orderID: try row.string(3), at: try row.timestamp(4).date)
        }
        for row in try await database.execute(AnswerSQL.readRevocationTimes) {
            times.revocations[try .init(row)] = try row.timestamp(3).date
        }
        return times
    }
}
