// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A claimed job: one attempt's lease, and all that the attempt needs to know without asking the database again.
///
/// A class, because it travels through asynchronous calls and is never copied.
package final class Job: Sendable {
    package let lease: Lease
    package let lane: LaneID
    package let kind: JobKind

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

    /// The proof as the client handed it over, or a notification; empty for a job that has none.
    package let proof: String

    /// The transaction that the client named: a hint for choosing among a receipt's entries, never evidence; nil if the text can't be
    /// an id. A follow-up's granted transaction.
    package let hintedTransactionID: TransactionID?

    /// Whether the ledger holds the hinted transaction as the payment of this very order.
    package let hintIsGrantedToOrder: Bool

    /// The notification that it is about.
    package let notificationID: NotificationID?

    /// Whether a client uploaded its proof. False where it was found without one: what becomes of it is no answer to a client.
    package let isUpload: Bool

    /// The order, and what its app's operator decided; nil for a notification, which is about no order.
    private let ordered: (order: Order, policy: AppPolicy)?

    /// The order of a job that verifies or follows up.
    package var order: Order { facts.order }

    /// What the operator of the order's app decided.
    package var policy: AppPolicy { facts.policy }

    /// Nil for a notification.
    package var orderID: OrderID? { ordered?.order.id }

    private var facts: (order: Order, policy: AppPolicy) {
        guard let ordered else { preconditionFailure("a notification has no order") }
        return ordered
    }

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
        guard let last = order.lastAttemptAt else { return true }
        func period(_ time: Date) -> Double { (time.timeIntervalSince1970 / seconds).rounded(.down) }
        return period(last) < period(claimedAt)
    }

    package init(
        lease: Lease, lane: LaneID, kind: JobKind = .verify, attempt: Int, uncertainAttempts: Int = 0,
        missingSince: Date? = nil, lastMissingAt: Date? = nil, rescues: Int = 0, crashes: Int = 0, createdAt: Date,
        claimedAt: Date, leaseEnds: ContinuousClock.Instant, proof: String, hintedTransactionID: TransactionID? = nil,
        hintIsGrantedToOrder: Bool = false, isFound: Bool = false, notificationID: NotificationID? = nil,
        ordered: (order: Order, policy: AppPolicy)?
    ) {
        self.lease = lease
        self.lane = lane
        self.kind = kind
        self.attempt = attempt
        self.uncertainAttempts = uncertainAttempts
        self.missingSince = missingSince
        self.lastMissingAt = lastMissingAt
        self.rescues = rescues
        self.crashes = crashes
        self.createdAt = createdAt
        self.claimedAt = claimedAt
        self.leaseEnds = leaseEnds
        self.proof = proof
        self.hintedTransactionID = hintedTransactionID
        self.hintIsGrantedToOrder = hintIsGrantedToOrder
        self.notificationID = notificationID
        isUpload = kind == .verify && !isFound
        self.ordered = ordered
    }
}

/// The right to settle one attempt of a job.
///
/// The token rises at every claim and never goes down: settling must show it, and a stale one changes nothing.
package struct Lease: Hashable, Sendable {
    package let jobID: JobID
    package let token: Int64

    package init(jobID: JobID, token: Int64) {
        self.jobID = jobID
        self.token = token
    }
}

/// The purpose of a job.
package enum JobKind: String, Sendable, CaseIterable {
    /// To verify a proof for an order.
    case verify
    /// To tell Apple that a granted transaction is finished. Its failure never changes the grant.
    case finish
    /// To record what a notification of Apple's tells. It has no order.
    case notification

    /// Whether it follows up its order: that it is given up is no verdict on the order.
    package var isFollowUp: Bool { self == .finish }
}
