// SPDX-License-Identifier: Apache-2.0

/// What a claim left that took all it could, and when another is worth its cost. A value without I/O.
package struct ClaimLeftover: Sendable {
    /// Until so long after a claim the next one takes more room. Where attempts take milliseconds, claims of a few jobs would cost
    /// more than the slots that wait.
    package static let pause = Duration.milliseconds(10)

    /// Slots that are of no use to what is left, since its lanes hold all that they may: only those count that come free beyond.
    package let unusable: Int
    /// When the claim began.
    package let began: ContinuousClock.Instant

    package init(unusable: Int, began: ContinuousClock.Instant) {
        self.unusable = unusable
        self.began = began
    }

    /// From when on it is worth a claim: at once with a quarter of the slots or a whole batch, whichever is less; after ``pause``
    /// with a thirtieth or a batch, which then costs next to no time of slots, or with half of those that are of use; with less
    /// not before more comes free, nil.
    ///
    /// - Parameters:
    ///   - free: slots that may be filled now.
    ///   - batch: the most jobs of a claim.
    package func nextClaim(free: Int, slots: Int, batch: Int) -> ContinuousClock.Instant? {
        let room = free - unusable
        let few = max(1, min(slots / 30, batch, (slots - unusable) / 2))
        let many = max(few, min(slots / 4, batch))
        return room >= many ? began : room >= few ? began + Self.pause : nil
    }
}
