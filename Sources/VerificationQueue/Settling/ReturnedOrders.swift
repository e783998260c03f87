// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Those of a statement's orders that it returned: usually all, and then nobody has to look for each.
enum ReturnedOrders {
    case all
    case some(Set<OrderID>)

    /// - Parameters:
    ///   - rows: hold an order's id first, each at most once.
    ///   - count: how many different orders the statement was given.
    init(_ rows: PostgresResult, of count: Int) throws(PostgresError) {
        guard rows.count != count else {
            self = .all
            return
        }
        var orders = Set<OrderID>(minimumCapacity: rows.count)
        for row in rows {
            orders.insert(OrderID(rawValue: try row.string(0)))
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
