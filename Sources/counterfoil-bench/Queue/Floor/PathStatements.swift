// SPDX-License-Identifier: Apache-2.0

import Schema
import Verification
import VerificationQueue

/// The statements of a claim and of the settlement that grants all that was claimed.
protocol PathStatements: Sendable {
    /// The column of what was claimed by which the settlement names the order.
    static var order: String { get }

    /// The claim up to the select that hands out what was claimed.
    ///
    /// - Parameter parameters: what all claims have: lanes, quotas, marks, jobs, bytes, worker, length of the lease, probed lane.
    static func claim(_ parameters: [String]) -> String

    /// What goes out together, a list a round trip.
    ///
    /// - Parameters:
    ///   - grant: the parameters that all statements have that grant, an element a job.
    ///   - isKeyed: whether payments may have several names, so that their originals are locked.
    static func settlement(_ grant: [String], isKeyed: Bool) -> [[String]]
}

/// What the product sends: the short path.
enum ProductStatements: PathStatements {
    static let order = "order_number"

    static func claim(_ parameters: [String]) -> String {
        ScriptText.fillClaim(SQLFile.claimJobs.statement, parameters + ["false"])
    }

    static func settlement(_ grant: [String], isKeyed: Bool) -> [[String]] {
        let lockOriginals = isKeyed ? [ScriptText.fill(SQLFile.lockOriginals.statement, PathParameters.paymentNames)] : []
        let grantFirst = ScriptText.fill(
            SQLFile.grantFirstPayments.statement,
            grant + [
                ":tokens", ":attempts", ScriptText.all("'signed_transaction'::text"), ":submitted", ":claimed",
                ScriptText.all("null::text"), "0",
            ])
        return [PathParameters.begin + lockOriginals + [grantFirst, "commit"]]
    }
}

/// What the product sent before it had the short path: three round trips, the statements of all settlements.
enum YardstickStatements: PathStatements {
    static let order = "order_id"

    static func claim(_ parameters: [String]) -> String {
        ScriptText.fillClaim(BenchStatement.yardstickClaimJobs, parameters)
    }

    static func settlement(_ grant: [String], isKeyed: Bool) -> [[String]] {
        let names = PathParameters.paymentNames
        let fence = ScriptText.fill(
            BenchStatement.yardstickLockSettlingJobs, [":ids", ":tokens", ScriptText.all("true"), ScriptText.all("false")])
        let lockOriginals = isKeyed ? [ScriptText.fill(BenchStatement.yardstickLockOriginals, names)] : []
        let appendAttempts = ScriptText.fill(
            BenchStatement.yardstickAppendAttempts,
            [
                ":ids", ":orders", ":tokens", ":attempts", ScriptText.all("'complete'::text"), ScriptText.all("null::text"),
                ScriptText.all("null::text"), ScriptText.all("'signed_transaction'::text"), ScriptText.all("'production'::text"),
                ":paid", ":submitted", ":claimed", ScriptText.all("null::text"), "0",
            ])
        return [
            PathParameters.begin + [fence],
            lockOriginals + [
                ScriptText.fill(BenchStatement.yardstickLockPayments, names),
                ScriptText.fill(BenchStatement.yardstickInsertGrants, grant + ["false"]),
            ],
            [appendAttempts, "commit"],
        ]
    }
}

/// Parameters that several statements have, as expressions over what the claim handed out.
enum PathParameters {
    static let begin = [
        "begin isolation level read committed", ScriptText.fill(SQLFile.setLockTimeout.statement, ["'50ms'"]),
    ]

    /// Transactions, apps and environments.
    static let paymentNames = [":paid", ":bundles", ScriptText.all("'production'::text")]

    /// Of a claim.
    ///
    /// Each client begins at a lane of its own choice, as a worker's claims take the lanes in turn. All jobs have the usual
    /// priority, and the marks of the others look as a worker's do when none is used.
    static func claim(_ lanes: [LaneID], batch: Int) -> [String] {
        let twice = (lanes + lanes).map { String($0.rawValue) }.joined(separator: ",")
        let marks = lanes.flatMap { _ in
            (0..<ClaimPlanner.priorities).map { $0 == ClaimPlanner.usualPriority ? "-infinity" : "infinity" }
        }
        return [
            "((array[\(twice)])[:turn : :turn + \(lanes.count - 1)])", "array_fill(\(batch), array[\(lanes.count)])",
            "'{\(marks.joined(separator: ","))}'", "\(batch)", "67108864", "0", "60", "null",
        ]
    }

    /// Of a grant, from the order to the reason of the purchase.
    static func grant(of product: BenchProduct) -> [String] {
        [
            ":orders", ":ids", ":bundles", ScriptText.all("'production'::text"), ":paid", ":paid",
            ScriptText.all("null::text"), ScriptText.all("'\(product.rawValue)'::text"),
            ScriptText.all("'\(product.kind.rawValue)'::text"), ScriptText.all("1"), ScriptText.all("now()"),
            ScriptText.all("null::timestamptz"), ScriptText.all("null::uuid"), ":keys", ":accounts", ":order_tokens",
            ScriptText.all("null::bigint"), ScriptText.all("null::text"), ScriptText.all("null::text"),
            ScriptText.all("null::text"),
        ]
    }
}
