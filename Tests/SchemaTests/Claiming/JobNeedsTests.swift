// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What a kind of work needs is there, by the jobs' rules: a job that lacked it could not be read, and would be rescued for ever.
@Suite struct JobNeedsTests {
    /// A job that lacks what its kind needs.
    struct Lacking: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let columns: String
        let values: String
        let refusal: Refusal

        init(_ name: String, _ columns: String, _ values: String, _ sqlState: String, _ constraint: String) {
            testDescription = name
            self.columns = columns
            self.values = values
            refusal = Refusal(sqlState, constraint)
        }
    }

    static let cases = [
        Lacking("a proof's job without a proof", "kind, order_id", "'verify', 'a'", "23514", "proofs_are_of_jobs_that_verify"),
        Lacking("a proof's job without an order", "kind, proof", "'verify', 'eyJ'", "23503", "job_names_a_known_order"),
        Lacking("a follow-up without a transaction", "kind, order_id", "'finish', 'a'", "23514", "follow_ups_name_a_transaction"),
        Lacking(
            "a follow-up without an order", "kind, transaction_id", "'finish', '1'", "23514",
            "jobs_have_an_order_or_a_notification"),
        Lacking("a notification's job without one", "kind", "'notification'", "23514", "jobs_have_an_order_or_a_notification"),
        Lacking("an unknown kind", "kind, order_id, transaction_id", "'other', 'a', '1'", "23514", "job_kind_is_known"),
    ]

    @Test(arguments: cases)
    func aJobThatLacksWhatItsKindNeedsIsRefused(_ job: Lacking) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            let lane = try await shop.lane()

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute(
                    "insert into counterfoil.jobs (lane, \(job.columns)) values (\(lane), \(job.values))")
            }

            #expect(refusal == job.refusal)
        }
    }

    /// The other way round: a decoded job has nothing that its kind doesn't use.
    @Test func aNotificationsJobHasNoOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            let lane = try await shop.lane()

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute(
                    "insert into counterfoil.jobs (lane, kind, order_id) values (\(lane), 'notification', 'a')")
            }

            #expect(refusal == Refusal("23514", "jobs_have_an_order_or_a_notification"))
        }
    }
}
