// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// The orders of a statement that were granted their payments. ``all`` is the common case, and saves a set.
enum GrantedOrders {
    /// The columns of `insert_grants.sql`.
    enum Column: Int, RowColumn { case orderID, paid }

    case all
    case some(Set<OrderID>)

    /// - Parameters:
    ///   - rows: one for each granted order.
    ///   - count: the number of orders that a grant was asked for.
    /// - Throws: ``PostgresError``.
    init(_ rows: PostgresResult, of count: Int) throws {
        guard rows.count != count else {
            self = .all
            return
        }
        var orders = Set<OrderID>(minimumCapacity: rows.count)
        for row in rows {
            orders.insert(OrderID(rawValue: try row.named(by: Column.self).string(.orderID)))
        }
        self = .some(orders)
    }

    func contains(_ order: OrderID) -> Bool {
        switch self {
        case .all: true
        case .some(let orders): orders.contains(order)
        }
    }
}

/// Somebody else moved an order between its claim and its grant: the order is cancelled, or paid. The settlement is sent again with
/// its orders locked first. The ledger then decides about the payment.
package struct OrdersMoved: Error {}
