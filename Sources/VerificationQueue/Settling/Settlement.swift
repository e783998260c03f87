// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The request of one finished attempt: the end of its job, the outcome of its order, and each payment that came to light.
///
/// It is carried out in a batch with others, in one database transaction, or not at all when the lease is lost.
///
/// One word wide, because asynchronous functions return and throw it: its fields are in a box, and a changed copy has a box of
/// its own.
package struct Settlement: Sendable {
    package enum Action: Sendable {
        /// The job ends; the ledger decides which candidate pays for the order. Never empty; best first.
        case grantOne(of: [ShownPayment])
        /// The job ends, and its order gets this outcome.
        case end(OrderOutcome)
        /// The job stays, in another lane when one is named, and its order stays as it is.
        case keep(Wait, Reason?, lane: LaneID?)
        /// The job is given up and kept for an operator; its order goes to review.
        case discard(Reason, lane: LaneID?)
    }

    private struct Fields {
        let job: Job
        var action: Action
        var message: String?
        let proofKind: ProofKind?
        let environment: AppStoreEnvironment?
        var others: [ShownPayment]
        let kept: [KeptPayment]
        var revoked: [Transaction]
        let crashed: Bool
        let uncertain: Bool
        let missing: Bool
        let showsUnstorable: Bool
        var notification: NotificationEffects?
    }

    private final class Box: Sendable {
        let fields: Fields
        let isLoneGrant: Bool
        let mayWait: Bool

        init(_ fields: Fields) {
            self.fields = fields
            guard case .grantOne(let candidates) = fields.action, let ordered = fields.job.work.ordered else {
                isLoneGrant = false
                mayWait = false
                return
            }
            let (order, policy) = (ordered.order, ordered.policy)
            var isClear = candidates.count == 1 && fields.others.isEmpty && fields.revoked.isEmpty
            var mayWait = false
            for candidate in candidates {
                let payment = PaymentFacts(candidate)
                let objections = Fit.objections(to: payment, for: order, under: policy)
                isClear = isClear && objections.isEmpty
                mayWait = mayWait || Fit.mayPayAnOlderOrder(payment, than: order, objections)
            }
            isLoneGrant = isClear && !mayWait
            self.mayWait = mayWait
        }
    }

    private let box: Box

    package init(
        _ job: Job, _ action: Action, message: String? = nil, proofKind: ProofKind? = nil,
        environment: AppStoreEnvironment? = nil, others: [ShownPayment] = [], revoked: [Transaction] = [],
        kept: [KeptPayment] = [], crashed: Bool = false, uncertain: Bool = false, missing: Bool = false, showsUnstorable: Bool = false,
        notification: NotificationEffects? = nil
    ) {
        box = Box(
            Fields(
                job: job, action: action, message: message, proofKind: proofKind, environment: environment,
                others: others, kept: kept, revoked: revoked, crashed: crashed, uncertain: uncertain, missing: missing,
                showsUnstorable: showsUnstorable, notification: notification))
    }

    private init(_ fields: Fields) {
        box = Box(fields)
    }

    /// The end of a notification's job: what it tells is recorded.
    package init(_ job: Job, recording effects: NotificationEffects) {
        let payment = effects.payment
        self.init(
            job, .end(.unchanged), message: effects.message, environment: effects.transaction?.environment,
            others: payment.map { [$0] } ?? [],
            revoked: payment.map(\.transaction).map { $0.revocation == nil ? [] : [$0] } ?? [], notification: effects)
    }

    /// The same attempt with another end of its job.
    package func with(action: Action, message: String? = nil) -> Settlement {
        var fields = box.fields
        fields.action = action
        fields.message = message ?? fields.message
        return Settlement(fields)
    }

    /// The same notification, which is stored and has no effect.
    var storing: Settlement {
        var fields = box.fields
        fields.others = []
        fields.revoked = []
        fields.notification = fields.notification?.stored
        return Settlement(fields)
    }

    /// The same attempt, whose message begins with the repairs that its proof needed.
    func naming(_ repairs: [ProofRepair]) -> Settlement {
        guard let words = ProofRepair.words(repairs) else { return self }
        var fields = box.fields
        fields.message = [words, fields.message].compactMap { $0 }.joined(separator: "; ")
        return Settlement(fields)
    }

    /// The same attempt with the payments that a proof showed.
    package func with(others: [ShownPayment], revoked: [Transaction]) -> Settlement {
        var fields = box.fields
        fields.others = others
        fields.revoked = revoked
        return Settlement(fields)
    }
}

// MARK: Fields

extension Settlement {
    package var job: Job { box.fields.job }
    package var action: Action { box.fields.action }

    /// A line about the attempt, without anything secret.
    package var message: String? { box.fields.message }
    package var proofKind: ProofKind? { box.fields.proofKind }
    package var environment: AppStoreEnvironment? { box.fields.environment }

    /// Payments that the proof shows, and that may not pay for the order by it. They are kept (``Choice``).
    package var others: [ShownPayment] { box.fields.others }

    /// Payments that are kept as they are here, and that the ledger isn't asked about.
    package var kept: [KeptPayment] { box.fields.kept }
    package var revoked: [Transaction] { box.fields.revoked }

    /// The attempt ended its own process.
    package var crashed: Bool { box.fields.crashed }

    /// The answer to the attempt may be a passing fault.
    package var uncertain: Bool { box.fields.uncertain }

    /// The attempt didn't find the purchase, and the job goes on looking for it.
    package var missing: Bool { box.fields.missing }

    /// The proof also showed a transaction that the database can't keep. It may be the payment, where no other is.
    package var showsUnstorable: Bool { box.fields.showsUnstorable }

    /// What a notification means to the ledger; nil for a job of another kind, and for one that stays.
    package var notification: NotificationEffects? { box.fields.notification }
}

// MARK: Derived from the action

extension Settlement {
    /// Why the job waits or ended; nil when it is done.
    package var reason: Reason? {
        switch action {
        case .grantOne: nil
        case .end(let outcome): outcome.reason
        case .keep(_, let reason, _): reason
        case .discard(let reason, _): reason
        }
    }

    /// The outcome of the order; nil where the ledger decides.
    package var outcome: OrderOutcome? {
        switch action {
        case .grantOne: nil
        case .end(let outcome): outcome
        case .keep: .unchanged
        case .discard(let reason, _): .review(reason, nil)
        }
    }

    /// Whether the job ends and leaves the queue.
    package var ends: Bool {
        switch action {
        case .grantOne, .end: true
        case .keep, .discard: false
        }
    }

    /// Whether the job may have to wait for another order, which one of its payments was made for, though it asks for an end.
    var mayWait: Bool { box.mayWait }

    package var isDiscarded: Bool {
        if case .discard = action { true } else { false }
    }

    /// How the job goes on; nil where it doesn't.
    package var wait: Wait? {
        if case .keep(let wait, _, _) = action { wait } else { nil }
    }

    /// The lane that the job changes to.
    package var lane: LaneID? {
        switch action {
        case .grantOne, .end: nil
        case .keep(_, _, let lane), .discard(_, let lane): lane
        }
    }

    /// Whether all that it asks for is another attempt.
    var isReleased: Bool {
        switch wait {
        case .snooze, .release: true
        case .retry, nil: false
        }
    }

    /// Whether the attempt counts: it found something out, or failed. A job that is released or snoozed did neither.
    package var counts: Bool {
        switch wait {
        case nil, .retry: true
        case .snooze, .release: false
        }
    }

    /// How long the job waits.
    var delay: Duration {
        switch wait {
        case .retry(let delay), .snooze(let delay): delay
        case nil, .release: .zero
        }
    }

    /// The word for the action in the history.
    var disposition: String {
        switch action {
        case .grantOne, .end: "complete"
        case .keep(.retry, _, _): "retry"
        case .keep(.snooze, _, _): "snooze"
        case .keep(.release, _, _): "release"
        case .discard: "discard"
        }
    }

    /// The payments that it may grant; no batch holds one of them twice.
    package var candidates: [ShownPayment] {
        if case .grantOne(let candidates) = action { candidates } else { [] }
    }

    /// Whether the settlement asks for the grant of one payment that nothing in the proof stands against, and shows no other.
    var isLoneGrant: Bool { box.isLoneGrant }

    /// Whether its order is locked before it is read: it may be moved otherwise than by the grant of a lone candidate.
    var locksOrder: Bool {
        job.orderID != nil && !isLoneGrant && (counts && job.work.upload != nil || !revoked.isEmpty)
    }

    /// The most transactions of one upload that the history keeps. 100. `upload_status` reads them.
    package static let longestShownList = 100

    /// The transactions that the proof showed, the latest purchases first, one a line; nil where it showed none but this one.
    func shownTransactionIDs(besides id: TransactionID?) -> String? {
        guard counts, job.work.upload != nil else { return nil }
        let shown = (candidates + others).map(\.transaction) + kept.map(\.transaction) + revoked
        if shown.allSatisfy({ $0.id == id }) { return nil }
        var known: Set<TransactionID> = []
        return shown.sorted { $0.purchaseDate > $1.purchaseDate }.map(\.id).filter { known.insert($0).inserted }
            .prefix(Self.longestShownList).map(\.rawValue).joined(separator: "\n")
    }

    /// How many payments it may grant, take back or keep.
    package var payments: Int {
        candidates.count + others.count + kept.count + revoked.count
    }

    /// What of its proof as a whole bears on the choice.
    var proofTraits: ProofTraits {
        ProofTraits(hint: job.work.upload?.hint, isUpload: job.work.isFromClient, showsUnstorable: showsUnstorable)
    }
}
