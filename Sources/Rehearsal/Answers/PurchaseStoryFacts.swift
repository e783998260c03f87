// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

/// One purchase's plan, what its player was told and did, and what the ledger held: the questions that rules ask of them.
struct PurchaseStoryFacts: Sendable {
    let purchase: Purchase
    let log: AnswerLog
    let ledger: LedgerTimes

    func answers(aboutOrder order: Int) -> [Answer] {
        log.answers.filter { $0.subject == .order(order) }
    }

    /// The uploads of one order's client, or of all.
    func uploads(forOrder order: Int? = nil) -> [PlayedAct] {
        log.acts.filter { act in
            switch act.step {
            case .upload(let uploads): uploads.contains { order == nil || $0.order == order }
            case .cancelWhileRunning(let upload): order == nil || upload.order == order
            default: false
            }
        }
    }

    func order(of subject: Answer.Subject) -> Int? {
        switch subject {
        case .order(let order), .upload(let order, _, _): order
        case .transaction, .subscription: nil
        }
    }

    func orderID(of subject: Answer.Subject) -> String? { order(of: subject).map { purchase.orders[$0].id } }

    func pending(_ order: Int) -> [ClosedRange<Date>] { ledger.pending(purchase.orders[order].id) }

    func wasPaid(_ transaction: Int, by moment: Date) -> Bool {
        log.paid[transaction].map { $0 <= moment } ?? false
    }

    // MARK: What may be told

    /// Whether it was granted, or taken back, or never the customer's own to pay.
    func mayFinish(_ answer: Answer) -> Bool {
        let id: String? =
            switch answer.subject {
            case .transaction(let number): purchase.transactions[number].id
            case .upload(_, _, let transaction): answer.transactionID ?? transaction
            case .order, .subscription: answer.transactionID
            }
        guard let id else { return answer.state != "fulfilled" && answer.state != "refunded" }
        let keys = purchase.transactions.filter { $0.id == id }.map { Observation.TransactionKey($0) }
        let isOwn = purchase.transactions.allSatisfy { $0.id != id || $0.ownership == nil || $0.ownership == "PURCHASED" }
        return !isOwn
            || keys.contains { key in
                let known = [ledger.grants[key]?.at, ledger.revocations[key]].compactMap(\.self)
                return known.contains { $0 <= answer.first.upperBound }
            }
            || isAnotherName(id, by: answer.first.upperBound)
    }

    /// Whether it renews, or is another name of, what the account was granted, or what was taken back.
    private func isAnotherName(_ id: String, by moment: Date) -> Bool {
        guard let shown = purchase.transactions.first(where: { $0.id == id }) else { return false }
        return purchase.transactions.contains { other in
            let key = Observation.TransactionKey(other)
            let known = [ledger.grants[key]?.at, ledger.revocations[key]].compactMap(\.self)
            return other.id != id && other.originalID == shown.originalID && known.contains { $0 <= moment }
        }
    }

    func mayOrderAgain(_ answer: Answer) -> Bool {
        let id: String? =
            if case .transaction(let number) = answer.subject { purchase.transactions[number].id } else { answer.transactionID }
        guard let id, let shown = purchase.transactions.first(where: { $0.id == id }) else { return true }
        let key = Observation.TransactionKey(shown)
        let over = [ledger.grants[key]?.at, isRefundedWhole(shown) ? ledger.revocations[key] : nil].compactMap(\.self)
        return !over.contains { $0 + AnswerJudge.commitDelay < answer.last.lowerBound }
    }

    private func isRefundedWhole(_ transaction: PlannedTransaction) -> Bool {
        switch transaction.fate {
        case .revoked, .grantedThenRevoked: true
        default: false
        }
    }

    /// Whether a newer proof may show more than those that were uploaded.
    func mayResend(_ answer: Answer) -> Bool {
        guard let order = order(of: answer.subject) else { return true }
        if wasGranted(order, before: answer.last.lowerBound) { return false }
        let proofs = uploads(forOrder: order).filter { $0.during.lowerBound <= answer.last.lowerBound }
            .flatMap(\.uploads).filter { $0.order == order }.map(\.proof)
        return proofs.isEmpty || !proofs.allSatisfy(\.isWholeTransaction)
    }

    func mayUpload(_ answer: Answer) -> Bool {
        guard case .order(let order) = answer.subject else { return true }
        let asked = answer.last.lowerBound
        if wasGranted(order, before: asked) { return false }
        let uploads = uploads(forOrder: order).filter { $0.during.upperBound <= asked }
        guard !uploads.isEmpty else { return true }
        // The proof was judged, and showed another payment.
        let attempts = ledger.attempts[purchase.orders[order].id] ?? []
        return attempts.contains {
            $0.reason == Reason.anotherPayment.rawValue && $0.finishedAt <= answer.last.upperBound
        } || attempts.contains { $0.disposition == "cancel" }
    }

    /// Whether only an operator, or the client by something new, could go on.
    func needsSupport(_ answer: Answer) -> Bool {
        guard case .order(let order) = answer.subject else { return true }
        if pending(order).contains(where: { $0.lowerBound < answer.first.lowerBound && $0.upperBound > answer.first.upperBound }) {
            return false
        }
        guard let granted = grantTime(order), granted > answer.first.upperBound else { return true }
        return log.acts.contains { act in
            act.step.mayHelp && act.during.upperBound + act.step.arrivesWithin >= answer.first.lowerBound
                && act.during.lowerBound <= granted
        }
    }

    private func grantTime(_ order: Int) -> Date? {
        let id = purchase.orders[order].id
        return purchase.transactions.compactMap { ledger.grants[Observation.TransactionKey($0)] }
            .filter { $0.orderID == id }.map(\.at).min()
    }

    private func wasGranted(_ order: Int, before moment: Date) -> Bool {
        grantTime(order).map { $0 + AnswerJudge.commitDelay < moment } ?? false
    }

    // MARK: Words

    func name(of subject: Answer.Subject) -> String {
        switch subject {
        case .order(let order): "order \(purchase.orders[order].id)"
        case .upload(let order, let job, _): "upload \(job) for order \(purchase.orders[order].id)"
        case .transaction(let number): "transaction \(purchase.transactions[number].id)"
        case .subscription(let number): "subscription \(purchase.transactions[number].originalID)"
        }
    }

    func words(_ answer: Answer) -> String {
        let outcome = Outcome(
            state: answer.state, reason: answer.reason, clientAction: answer.action, transactionID: answer.transactionID)
        guard let begun = log.acts.first?.during.lowerBound ?? log.answers.first?.first.lowerBound else { return outcome.details }
        func seconds(_ moment: Date) -> String { "\((moment.timeIntervalSince(begun) * 10).rounded() / 10) s" }
        return "\(outcome.details), from \(seconds(answer.first.lowerBound)) to \(seconds(answer.last.upperBound))"
    }
}

extension PlayedAct {
    var uploads: [PlannedUpload] {
        switch step {
        case .upload(let uploads): uploads
        case .cancelWhileRunning(let upload): [upload]
        default: []
        }
    }
}

extension PlayerStep {
    /// Whether the ledger may know more by it, or an order may get on.
    var mayHelp: Bool {
        switch self {
        case .place, .keep, .follow, .find, .see, .awaitTold, .await, .insertRefused: false
        default: true
        }
    }

    /// Seconds until its effect is there at the latest: a notification that the shop refused is sent again.
    var arrivesWithin: TimeInterval {
        switch self {
        case .upload, .cancelWhileRunning: 0
        default: 60
        }
    }
}

extension PlannedProof {
    /// Whether it is a transaction as Apple signed it: Apple has nothing newer to show.
    var isWholeTransaction: Bool {
        switch self {
        case .signed(_, let forged): forged == nil
        case .copy(let original, _): original.isWholeTransaction
        case .receipt, .transactionID, .text, .damaged: false
        }
    }
}
