// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A claimed job: one attempt's lease, and all that the attempt needs to know without asking the database again.
///
/// A class, because it travels through asynchronous calls and is never copied.
package final class Job: Sendable {
    package let lease: Lease
    package let lane: LaneID

    /// Number of this attempt, from 1; counted at the claim, so that a crash counts too.
    package let attempt: Int

    /// The number of earlier attempts whose answer may be a passing fault.
    package let uncertainAttempts: Int

    /// When its purchase was first found missing; nil when it wasn't.
    package let missingSince: Date?

    /// When its purchase was last found missing; nil when it wasn't.
    package let lastMissingAt: Date?

    /// How often the job's lease ran out.
    package let rescues: Int

    /// How often an attempt in a process of its own crashed.
    package let crashes: Int

    package let createdAt: Date

    /// The database's time at the claim: "now" for this attempt's decisions.
    package let claimedAt: Date

    /// When the lease expires by this machine's clock: counted from before the claim was sent, so never after it expires in the
    /// database.
    package let leaseEnds: ContinuousClock.Instant

    package let work: Work

    /// Nil for a notification.
    package var orderID: OrderID? { work.ordered?.order.id }

    /// Nil for a notification.
    package var orderNumber: OrderNumber? { work.ordered?.number }

    package var id: JobID { lease.jobID }

    /// How long its purchase has been missing.
    package var missingTimes: MissingTimes {
        guard let missingSince else { return MissingTimes() }
        return MissingTimes(
            sinceFirstCheck: claimedAt.timeIntervalSince(missingSince),
            sinceLastCheck: claimedAt.timeIntervalSince(lastMissingAt ?? missingSince))
    }

    /// Seconds since the job was submitted.
    package var age: TimeInterval { claimedAt.timeIntervalSince(createdAt) }

    /// Whether no attempt at the order was settled in this period of the database's clock so far.
    ///
    /// One period follows the other. So attempts that come one after the other without end have a first one in each period; if
    /// the time since the last attempt counted, they would have none.
    package func isFirstAttempt(inPeriodOf seconds: TimeInterval) -> Bool {
        guard let last = work.ordered?.order.lastAttemptAt else { return true }
        func period(_ time: Date) -> Double { (time.timeIntervalSince1970 / seconds).rounded(.down) }
        return period(last) < period(claimedAt)
    }

    /// Seconds until the next of these periods begins.
    package func rest(ofPeriodOf seconds: TimeInterval) -> TimeInterval {
        let time = claimedAt.timeIntervalSince1970
        return (time / seconds).rounded(.down) * seconds + seconds - time
    }

    package init(
        lease: Lease, lane: LaneID, attempt: Int, uncertainAttempts: Int = 0, missingSince: Date? = nil, lastMissingAt: Date? = nil,
        rescues: Int = 0, crashes: Int = 0, createdAt: Date, claimedAt: Date, leaseEnds: ContinuousClock.Instant, work: Work
    ) {
        self.lease = lease
        self.lane = lane
        self.attempt = attempt
        self.uncertainAttempts = uncertainAttempts
        self.missingSince = missingSince
        self.lastMissingAt = lastMissingAt
        self.rescues = rescues
        self.crashes = crashes
        self.createdAt = createdAt
        self.claimedAt = claimedAt
        self.leaseEnds = leaseEnds
        self.work = work
    }
}
