// SPDX-License-Identifier: Apache-2.0

/// How an answer goes out.
enum Delivery: Sendable, Equatable {
    case whole
    /// Whole, but begun only after a while.
    case delayed(Duration)
    /// The head at once, the body in pieces over the time.
    case dribbled(Duration)
    /// Head and half of the body, then a reset.
    case cut
    /// Not at all; the connection is cut.
    case disconnected
    /// Not at all; the connection stays open.
    case withheld
}
