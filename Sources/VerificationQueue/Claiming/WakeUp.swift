// SPDX-License-Identifier: Apache-2.0

/// A reason to claim now. The words are labels of metrics.
package enum WakeUp: String, Sendable, CaseIterable {
    /// Jobs became available: a backend notified the worker (`JobNotifications`), or the worker rescued jobs (`Worker.rescue`).
    case notified
    /// The poll timer fired (`Worker.poll`). A worker's first claim counts as polled, too.
    case polled
    /// Enough slots came free for a claim, after one that hit a limit (`ClaimPacing.roomWasMade`).
    case roomMade = "room_made"
    /// A closed gate is to be probed (`ClaimLoop.take`).
    case probe
    /// The pause ended that a claim keeps from a claim that hit a limit.
    case timer
}
