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
        /// The job ends; the ledger decides which of the candidates pays for the order. There is one at least.
        case grantOne
        /// The job ends, and its order gets this outcome.
        case end(OrderOutcome)
        /// The job stays, in another lane when one is named, and its order stays as it is.
        case wait(Wait, Reason?, lane: LaneID?)
        /// The job is given up and stays for an operator; its order goes to review.
        case discard(Reason, lane: LaneID?)
    }

    private struct Fields {
        let job: Job
        var action: Action
        var message: String?
        let proofKind: ProofKind?
        let appVersion: AppVersion?
        let environment: AppStoreEnvironment?
        var payments: [SettledPayment]
        let crashed: Bool
        let uncertain: Bool
        let missing: Bool
        let showsUnstorable: Bool
        var shared: [ShownPayment]
        var notification: NotificationEffects?
    }

    private final class Box: Sendable {
        let fields: Fields
        let isLoneGrant: Bool
        let mayWait: Bool

        init(_ fields: Fields) {
            self.fields = fields
            guard case .grantOne = fields.action, let ordered = fields.job.work.ordered else {
                isLoneGrant = false
                mayWait = false
                return
            }
            let (order, policy) = (ordered.order, ordered.policy)
            let candidates = fields.payments.candidates
            var isClear = candidates.count == 1 && fields.payments.count == 1 && !fields.payments[0].hasWords
            var mayWait = false
            for candidate in candidates {
                let payment = PaymentFacts(candidate.shown)
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
        _ job: Job, _ action: Action, payments: [SettledPayment] = [], message: String? = nil, proofKind: ProofKind? = nil,
        appVersion: AppVersion? = nil, environment: AppStoreEnvironment? = nil, crashed: Bool = false, uncertain: Bool = false, missing: Bool = false,
        showsUnstorable: Bool = false, shared: [ShownPayment] = [], notification: NotificationEffects? = nil
    ) {
        box = Box(
            Fields(
                job: job, action: action, message: message, proofKind: proofKind, appVersion: appVersion, environment: environment,
                payments: payments, crashed: crashed, uncertain: uncertain, missing: missing,
                showsUnstorable: showsUnstorable, shared: shared, notification: notification))
    }

    private init(_ fields: Fields) {
        box = Box(fields)
    }

    /// The end of a notification's job: what it tells is recorded.
    package init(_ job: Job, recording effects: NotificationEffects) {
        self.init(
            job, .end(.unchanged),
            payments: effects.payment.map { [SettledPayment($0, .beside, reversedAt: effects.reversedAt)] } ?? [],
            message: effects.message, environment: effects.transaction?.environment,
            shared: effects.shared.map { [$0] } ?? [], notification: effects)
    }

    /// The same attempt with another end of its job.
    package func with(action: Action, message: String? = nil) -> Settlement {
        var fields = box.fields
        fields.action = action
        fields.message = message ?? fields.message
        return Settlement(fields)
    }

    /// The same notification, whose sandbox purchase the app doesn't take: it has no effect.
    var denied: Settlement {
        var fields = box.fields
        fields.payments = []
        fields.notification = fields.notification?.denied
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
    package func with(payments: [SettledPayment]) -> Settlement {
        var fields = box.fields
        fields.payments = payments
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
    /// Of the app that made the receipt.
    package var appVersion: AppVersion? { box.fields.appVersion }
    package var environment: AppStoreEnvironment? { box.fields.environment }

    /// Each payment that came to light; the candidates first, the best of them first. Its count bounds a batch.
    package var payments: [SettledPayment] { box.fields.payments }

    /// What somebody else paid for, and the customer has.
    var shared: [ShownPayment] { box.fields.shared }

    /// The payments that it may grant; no batch holds one of them twice.
    package var candidates: ArraySlice<SettledPayment> {
        if case .grantOne = action { payments.candidates } else { [] }
    }

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

    /// Whether the job may have to wait for another order, which one of its payments was made for, though it asks for an end.
    var mayWait: Bool { box.mayWait }

    /// Whether the settlement asks for the grant of one payment that nothing in the proof stands against, and shows no other.
    var isLoneGrant: Bool { box.isLoneGrant }
}
