// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Which of its given orders a statement returned. ``all`` is the common case, and saves a set.
enum ReturnedOrders {
    /// The column of `lock_settling_jobs.sql`, `lock_own_orders.sql` and `insert_grants.sql`.
    enum Column: Int, RowColumn { case orderID }

    case all
    case some(Set<OrderID>)

    /// - Parameters:
    ///   - rows: one for each returned order.
    ///   - count: the number of different orders that the statement was given.
    init(_ rows: PostgresResult, of count: Int) throws(PostgresError) {
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
