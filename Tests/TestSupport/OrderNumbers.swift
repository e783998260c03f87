// SPDX-License-Identifier: Apache-2.0

/// The number of an order, as SQL: the ledger, the history and the feed name orders by it.
package func orderNumber(_ id: String) -> String {
    "(select o.number from counterfoil.orders o where o.order_id = '\(id)')"
}
