// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// Who does something by hand, and why: written beside it, for good.
package struct OperatorAct: Sendable {
    /// What is done, as `order_events` names it.
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

    /// Writes it down in the database transaction in which it is done.
    ///
    /// - Parameter facts: what was done exactly, to stand before the reason.
    func record(
        _ kind: Kind, _ facts: String, on order: OrderID, _ connection: PostgresConnection
    ) async throws(PostgresError) {
        _ = try await connection.execute(
            SQLFile.insertOrderEvent.statement,
            [.text(order.rawValue), .text(kind.rawValue), .text(who), .text("\(facts): \(why)")])
    }
}
