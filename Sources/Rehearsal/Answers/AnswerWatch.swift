// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres

/// Gathers, while players play, what their answers are judged by at the end.
package struct AnswerWatch: Sendable {
    private let database: PostgresPool
    private let lease: Duration
    private let disturbances: DisturbanceWatch
    private let feed: FeedReader

    /// - Parameters:
    ///   - database: connections that see everything.
    ///   - statuses: by which players poll.
    ///   - lease: of the workers.
    package init(_ database: PostgresPool, statuses: StatusReader, lease: Duration) {
        self.database = database
        self.lease = lease
        disturbances = DisturbanceWatch(database)
        feed = FeedReader(statuses.pool)
    }

    /// Watches until it is cancelled.
    package func run() async {
        async let watching: Void = disturbances.run()
        await feed.run()
        await watching
    }

    /// Judges all answers. Nothing is being settled any more.
    package func verdict(_ plan: PurchasePlan, _ records: [Int: PlayRecord]) async throws -> AnswerVerdict {
        let evidence = AnswerEvidence(
            plan, records: records, ledger: try await .read(database), disturbances: disturbances.disturbances,
            changes: feed.changes, meant: try await MeantWait.read(database), lease: lease / .seconds(1))
        return AnswerJudge(evidence).verdict
    }
}
