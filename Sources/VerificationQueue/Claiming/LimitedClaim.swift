// SPDX-License-Identifier: Apache-2.0

/// A claim that hit its job limit, its byte limit or a lane's quota, and when another claim is worth its cost.
///
/// A value without I/O.
package struct LimitedClaim: Sendable {
    /// The pause between two claims that fill few slots. Where attempts take milliseconds, a claim of a few jobs costs
    /// more than the slots that wait for it.
    package static let pause = Duration.milliseconds(10)

    /// Free slots that the waiting lanes may not use, because each of these lanes holds its quota.
    package let blockedSlots: Int
    /// When the claim began.
    package let began: ContinuousClock.Instant

    package init(blockedSlots: Int, began: ContinuousClock.Instant) {
        self.blockedSlots = blockedSlots
        self.began = began
    }

    /// When another claim is worth its cost.
    ///
    /// That depends on the room, which is the free slots that are not blocked:
    ///
    /// | Room | Next claim |
    /// |---|---|
    /// | a quarter of all slots, or a whole batch | at once |
    /// | a thirtieth of all slots, a batch, or half of the slots that are not blocked | after ``pause`` |
    /// | less | not before more slots come free: nil |
    ///
    /// Of several measures in a row the smallest counts, but never less than one slot. The pause begins with the last
    /// claim.
    ///
    /// - Parameters:
    ///   - free: slots that may be filled now.
    ///   - batch: the most jobs of a claim.
    package func nextClaim(free: Int, slots: Int, batch: Int) -> ContinuousClock.Instant? {
        let room = free - blockedSlots
        let few = max(1, min(slots / 30, batch, (slots - blockedSlots) / 2))
        let many = max(few, min(slots / 4, batch))
        return room >= many ? began : room >= few ? began + Self.pause : nil
    }
}
