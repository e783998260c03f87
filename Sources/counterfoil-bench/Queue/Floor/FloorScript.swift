// SPDX-License-Identifier: Apache-2.0

import Verification
import VerificationQueue

/// A script for pgbench that does what a worker does to the database, and nothing else: one claim and one settlement.
///
/// The statements are those of the worker, from the same files, or those of the yardstick. What a worker would send as their
/// parameters is made by the server: the claim's rows come back as arrays, which pgbench keeps in variables and sends with the
/// settlement. Every job is granted at once, as in the drain of the worker.
struct FloorScript {
    let lanes: [LaneID]
    let batch: Int
    var product = BenchProduct.coins
    var statements: any PathStatements.Type = ProductStatements.self

    var text: String {
        """
        \\set turn random(1, \(lanes.count))
        \(statements.claim(PathParameters.claim(lanes, batch: batch)))
        select count(*) as n, coalesce(array_agg(c.id), '{}') as ids, coalesce(array_agg(c.lease_token), '{}') as tokens,
            coalesce(array_agg(c.attempt), '{}') as attempts, coalesce(array_agg(c.\(statements.order)), '{}') as orders,
            coalesce(array_agg(c.bundle_id), '{}') as bundles, coalesce(array_agg(c.paid), '{}') as paid,
            coalesce(array_agg(c.account_id), '{}') as accounts, coalesce(array_agg(c.app_account_token), '{}') as order_tokens,
            coalesce(array_agg(c.created_at), '{}') as submitted, coalesce(array_agg(c.claimed_at), '{}') as claimed,
            coalesce(array_agg(\(key)), '{}') as keys
        from (select claimed.*, split_part(claimed.proof, ' ', 3) as paid from claimed) c
        \\gset
        \(settlement.map { "\\startpipeline\n\($0.joined(separator: ";\n"));\n\\endpipeline" }.joined(separator: "\n"))

        """
    }

    private var isKeyed: Bool { product.kind.isKeyedByOriginal }

    /// As `GrantKey` makes it.
    private var key: String { isKeyed ? "'original:' || c.paid" : "null::text" }

    /// What goes out together, a list a round trip.
    private var settlement: [[String]] {
        statements.settlement(PathParameters.grant(of: product), isKeyed: isKeyed)
    }
}
