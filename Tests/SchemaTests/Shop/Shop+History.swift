// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

extension Shop {
    /// The minute half an hour ago, as an SQL expression: it is over for good, and stays the same while the clock goes on.
    static func pastMinute() -> String { "to_timestamp(\((Int(Date().timeIntervalSince1970) / 60 - 30) * 60))" }

    /// Writes a finished attempt into the history, past the settlement.
    ///
    /// - Parameters:
    ///   - finished: when, as an SQL expression.
    ///   - took: from the upload to the end, as an SQL interval; the claim came half a second before the end.
    func attempt(
        _ order: String, job: Int = 1, _ disposition: String = "complete", reason: String? = nil,
        transaction: String? = nil, version: String? = nil, finished: String, took: String = "3 seconds", number: Int = 1
    ) async throws {
        _ = try await admin.execute(
            """
            insert into counterfoil.other_attempts (
                job_id, order_number, lease_token, attempt, disposition, reason, proof_kind, environment, transaction_id,
                worker_id, submitted_at, claimed_at, finished_at, app_version
            )
            select
                $1::bigint, coalesce((select o.number from counterfoil.orders o where o.order_id = $2::text), 0),
                $3::integer, $3::integer, $4::text, $5::text, 'app_receipt', 'production', $6::text, 7,
                t - interval '\(took)', t - interval '0.5 seconds', t, $7::text
            from (select \(finished) as t) x
            """,
            [
                .int8(Int64(job)), .text(order), .int4(Int32(number)), .text(disposition), .text(reason),
                .text(transaction), .text(version),
            ])
    }

    /// Sets how far the roll-ups have come, as SQL expressions.
    func mark(final: String, counted: String) async throws {
        try await run("update counterfoil.roll_up_marks set final_to = \(final), counted_to = \(counted)")
    }

    /// Counts as a worker does, to the end; returns how many minutes each call counted.
    @discardableResult
    func rollUp() async throws -> [Int32] {
        var counted: [Int32] = []
        while true {
            let minutes = try await worker.execute("select counterfoil.roll_up()")[0].int32(0)
            guard minutes > 0 else { return counted }
            counted.append(minutes)
        }
    }

    /// The rows of a query as a reader gets them.
    func read(_ query: String) async throws -> [String] {
        try await database.withConnection(as: "counterfoil_reader") { reader in
            try await rows(query, as: reader)
        }
    }
}
