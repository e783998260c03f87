// SPDX-License-Identifier: Apache-2.0

/// A moment between the claim of a job and the end of its settlement, as it shows on the wire.
enum NamedPoint: String, CaseIterable, Sendable {
    /// A claim is committed, and the worker hasn't learned of it.
    case claimed
    /// A settlement has begun, and its first statement hasn't reached the database.
    case settling
    /// The jobs of a settlement are ended or locked, in a database transaction that is open.
    case fenced
    /// Its grants are written, in the same transaction.
    case granted
    /// The worker has sent the commit, and the database hasn't got it.
    case committing
    /// The database has committed, and the worker hasn't learned of it.
    case committed
}
