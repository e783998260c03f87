// SPDX-License-Identifier: Apache-2.0

/// A lock that somebody holds. The raw value is its name in the table.
enum Hold: String, Sendable {
    /// A backend has cancelled the orders in a database transaction, leaves that idle, and rolls it back in the end.
    case cancelledOrders = "cancelled orders held"
    /// A role that may only connect has taken the advisory locks that the program ever took, and some others.
    case advisoryLocks = "advisory locks held"
}
