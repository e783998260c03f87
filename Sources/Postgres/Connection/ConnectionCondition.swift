// SPDX-License-Identifier: Apache-2.0

/// What a connection can be used for, readable without entering its actor.
enum ConnectionCondition: UInt8, Sendable {
    /// Nothing runs and no database transaction is open.
    case idle
    /// A query is on its way.
    case busy
    /// A database transaction is open, whole or failed.
    case inTransaction
    /// The caller of a query that may commit has gone on without its answer. The server still works on it.
    case unanswered
    /// It works, but its server is no longer the one that we want (a primary that turned read-only).
    case retired
    case closed
}
