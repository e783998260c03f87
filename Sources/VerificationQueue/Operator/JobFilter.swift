// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Verification

/// Which jobs an operator means: all that fit everything that is named.
package struct JobFilter: Sendable {
    package var id: JobID?
    /// `available` or `discarded`; running jobs are never meant.
    package var state: String?
    package var reason: Reason?
    package var order: OrderID?
    package var bundle: BundleID?
    /// Only jobs that were made, or proofs that were kept, since then.
    package var since: PostgresTimestamp?

    /// None but these, where somebody looked at the set before: a job that came to match since is left alone.
    package var only: [JobID]?

    package init() {}

    /// Nothing is named: every job is meant.
    package var isEmpty: Bool {
        id == nil && state == nil && reason == nil && order == nil && bundle == nil && since == nil && only == nil
    }

    /// The parameter for ``only``.
    var set: PostgresParameter { only.map { .int8Array($0.map(\.rawValue)) } ?? .typedNull(.int8Array) }

    /// As the statements on jobs take it.
    var parameters: [PostgresParameter] {
        [
            .int8(id?.rawValue), .text(state), .text(reason?.rawValue), .text(order?.rawValue), .text(bundle?.rawValue),
            .timestamp(since),
        ]
    }
}
