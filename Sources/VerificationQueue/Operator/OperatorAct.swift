// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// Who acts as operator, and why: recorded for good beside the act.
package struct OperatorAct: Sendable {
    /// The act, as `order_events` names it.
    enum Kind: String, Sendable {
        case assigned, refunded
        case refundReversed = "refund_reversed"
    }

    package let who: String
    package let why: String

    package init(who: String, why: String) {
        self.who = who
        self.why = why
    }

    /// Records the act in the database transaction that carries it out.
    ///
    /// - Parameter facts: the exact act, which is written before the reason.
    func record(
        _ kind: Kind, _ facts: String, on order: OrderID, _ connection: PostgresConnection
    ) async throws(PostgresError) {
        _ = try await connection.execute(
            SQLFile.insertOrderEvent.statement,
            [.text(order.rawValue), .text(kind.rawValue), .text(who), .text("\(facts): \(why)")])
    }
}
