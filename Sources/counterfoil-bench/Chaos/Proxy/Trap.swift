// SPDX-License-Identifier: Apache-2.0

/// What is to happen when a connection comes to a point, once.
struct Trap: Sendable {
    /// What becomes of the connection.
    enum Ending: Sendable {
        /// Both sides lose it.
        case cut
        /// Nothing passes any more, and neither side is told.
        case silence
    }

    /// Tells the traps of a proxy apart.
    let number: Int
    let point: NamedPoint
    let ending: Ending
    /// Done first, before the bytes at the point have passed; must not wait.
    let action: @Sendable () -> Void
    /// Told that the trap was sprung, and when.
    let report: AsyncStream<ContinuousClock.Instant>.Continuation
}
