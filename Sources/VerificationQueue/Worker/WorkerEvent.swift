// SPDX-License-Identifier: Apache-2.0

/// One step of a worker, for tests and benchmarks that wait for it.
///
/// Each round of the claim loop reports ``claimed(jobs:for:)``, ``claimFailed(for:)`` or ``foundNoRoom(for:)``. A
/// worker that nobody observes makes no events.
package enum WorkerEvent: Sendable {
    /// The database answered a claim. The claim of a probe is no event.
    case claimed(jobs: Int, for: WakeUp)
    /// The database did not answer a claim, or refused it. The worker repeats the claim after a backoff.
    case claimFailed(for: WakeUp)
    /// The worker did not claim, because no slot, no lane or no byte of proofs is free.
    case foundNoRoom(for: WakeUp)
    /// An attempt was settled, or its lease was lost.
    case settled(SettlementResult)
    /// A batch fell apart: somebody else's lock outlasted its patience, and so many of its attempts are settled one by one.
    case batchFellApart(jobs: Int)
    /// The worker read the gates. Claims made from now on serve the lanes that were open then.
    case gatesRead
    /// The worker looked for the first jobs of the open lanes, in a full scan or near the low-water marks.
    case scannedForLaneHeads(isFull: Bool)
    /// The worker looked for leases that ran out, and rescued their jobs, if any.
    case rescued(jobs: Int)
    /// The worker wrote its sign of life, or could not.
    case heartbeat(isWritten: Bool)
    /// The worker counted the queue for its metrics.
    case queueCounted
}
