// SPDX-License-Identifier: Apache-2.0

import Schema
import VerificationQueue
import Verification

/// A script for pgbench that does what a worker does to the database, and nothing else: one claim and one settlement.
///
/// The statements are those of the worker, from the same files. What a worker would send as their parameters is made by
/// the server: the claim's rows come back as arrays, which pgbench keeps in variables and sends with the settlement. Every
/// job is granted at once, as in the drain of the worker.
struct FloorScript {
    let lanes: [LaneID]
    let batch: Int

    var text: String {
        """
        \\set turn random(1, \(lanes.count))
        \(claim)
        select count(*) as n, coalesce(array_agg(c.id), '{}') as ids, coalesce(array_agg(c.lease_token), '{}') as tokens,
            coalesce(array_agg(c.attempt), '{}') as attempts, coalesce(array_agg(c.order_id), '{}') as orders,
            coalesce(array_agg(c.bundle_id), '{}') as bundles, coalesce(array_agg(c.paid), '{}') as paid,
            coalesce(array_agg(c.account_id), '{}') as accounts, coalesce(array_agg(c.app_account_token), '{}') as order_tokens,
            coalesce(array_agg(c.created_at), '{}') as submitted, coalesce(array_agg(c.claimed_at), '{}') as claimed
        from (select claimed.*, split_part(claimed.proof, ' ', 3) as paid from claimed) c
        \\gset
        \(settlement.map { "\\startpipeline\n\($0.joined(separator: ";\n"));\n\\endpipeline" }.joined(separator: "\n"))

        """
    }

    /// All of the usual priority, and none of the others, as a worker's claims look when none is used.
    private var marks: [String] {
        lanes.flatMap { _ in
            (0..<ClaimPlanner.priorities).map { $0 == ClaimPlanner.usualPriority ? "-infinity" : "infinity" }
        }
    }

    /// The statement up to the select that hands out what was claimed.
    ///
    /// Each client begins at a lane of its own choice, as a worker's claims take the lanes in turn.
    private var claim: String {
        let twice = (lanes + lanes).map { String($0.rawValue) }.joined(separator: ",")
        let text = Self.fill(
            .claimJobs,
            [
                "((array[\(twice)])[:turn : :turn + \(lanes.count - 1)])",
                "array_fill(\(batch), array[\(lanes.count)])",
                "'{\(marks.joined(separator: ","))}'",
                "\(batch)", "67108864", "0", "60", "null", "false",
            ])
        guard let select = text.ranges(of: "\nselect ").last else { preconditionFailure("the claim hands nothing out") }
        return String(text[..<select.lowerBound])
    }

    /// The statements of the short path, which go out together, as a worker's do.
    private var settlement: [[String]] {
        [["begin isolation level read committed", Self.fill(.setLockTimeout, ["'50ms'"]), grantFirstPayments, "commit"]]
    }

    private var grantFirstPayments: String {
        Self.fill(
            .grantFirstPayments,
            [
                ":orders", ":ids", ":bundles", Self.all("'production'::text"), ":paid", ":paid",
                Self.all("null::text"), Self.all("'\(BenchDatabase.product)'::text"), Self.all("'consumable'::text"),
                Self.all("1"), Self.all("now()"), Self.all("null::timestamptz"), Self.all("null::uuid"),
                Self.all("null::text"), ":accounts", ":order_tokens",
                Self.all("null::bigint"), Self.all("null::text"), Self.all("null::text"), Self.all("null::text"),
                ":tokens", ":attempts", Self.all("'signed_transaction'::text"), ":submitted", ":claimed", "0",
            ])
    }

    /// An array with the same value for each job.
    private static func all(_ value: String) -> String {
        "array_fill(\(value), array[:n::integer])"
    }

    /// A statement's text with expressions for its parameters, and without comments, which pgbench would have to skip.
    private static func fill(_ file: SQLFile, _ expressions: [String]) -> String {
        var text = file.text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")
        precondition(!text.contains("$\(expressions.count + 1)"), "\(file.name) has more parameters than expressions")
        // The last first: $1 is the beginning of $10.
        for (index, expression) in expressions.enumerated().reversed() {
            text = text.replacing("$\(index + 1)", with: expression)
        }
        return text
    }
}
