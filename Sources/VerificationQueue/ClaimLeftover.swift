// SPDX-License-Identifier: Apache-2.0

/// What a claim left that took all it could, and when another is worth its cost. A value without I/O.
package struct ClaimLeftover: Sendable {
    /// So long after a claim the next one takes more room. Where attempts take milliseconds, claims of a few jobs would cost more
    /// than the slots that wait.
    package static let pause = Duration.milliseconds(5)

    /// Slots that are of no use to what is left, since its lanes hold all that they may: only those count that come free beyond.
    package let unusable: Int
    /// When the claim began.
    package let began: ContinuousClock.Instant

    package init(unusable: Int, began: ContinuousClock.Instant) {
        self.unusable = unusable
        self.began = began
    }

    /// Whether to claim: from a thirtieth of the slots on, which costs next to no time of slots; within ``pause`` from an eighth
    /// on.
    ///
    /// - Parameters:
    ///   - free: slots that may be filled now.
    ///   - batch: the most jobs of a claim.
    package func isWorthAClaim(
        free: Int, slots: Int, batch: Int, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let room = free - unusable
        let few = max(1, min(slots / 30, batch))
        let many = max(few, min(slots / 8, batch))
        return room >= many || room >= few && began.duration(to: now) >= Self.pause
    }
}
