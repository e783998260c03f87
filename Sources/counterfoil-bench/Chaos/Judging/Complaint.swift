// SPDX-License-Identifier: Apache-2.0

/// A way in which a promise is broken.
enum Complaint: Hashable, Sendable {
    /// A payment or an order was granted more than once.
    case grantedTwice
    /// A payment is neither granted nor unclaimed, or an honest order isn't fulfilled.
    case lost
    /// A job is pending when all others have come to rest.
    case neverAtRest
    /// The check of this name found rows.
    case check(String)
}
