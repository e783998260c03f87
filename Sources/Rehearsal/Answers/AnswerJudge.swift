// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Judges each answer by what was true when it was given. A value without I/O.
///
/// | Told | Wrong if |
/// |---|---|
/// | `finish` | the transaction that it names was neither granted nor refunded, and is the customer's own |
/// | `resend_proof` | the order was granted, or all that its client uploaded are whole transactions, as Apple signed them |
/// | `upload_proof` | a proof of the client's is being judged, or was, and showed no other payment; or the order was granted |
/// | `order_again` | the payment that it names was granted or refunded |
/// | `contact_support` | a proof is being judged; or the order was granted later, and nobody had done anything for it |
/// | `wait` | nothing is being judged (``WaitJudge`` judges how long it lasts) |
/// | the same | it was the last word, and no end |
package struct AnswerJudge: Sendable {
    /// A settlement's time is that of its beginning: its commit may come so much later, in seconds.
    static let commitDelay: TimeInterval = 15
    /// Uploads that one answer may ask for in vain.
    static let uploadsInVain = 6

    private let evidence: AnswerEvidence
    private let waits: WaitJudge

    package init(_ evidence: AnswerEvidence) {
        self.evidence = evidence
        waits = WaitJudge(evidence)
    }

    package var verdict: AnswerVerdict {
        var verdict = AnswerVerdict()
        var figures: [String: WaitFigure] = [:]
        for purchase in evidence.plan.purchases {
            guard let log = evidence.records[purchase.number]?.told else { continue }
            let story = PurchaseStoryFacts(purchase: purchase, log: log, ledger: evidence.ledger)
            verdict.judged += log.answers.count
            for answer in log.answers { verdict.wrong += wrongs(answer, story) }
            for order in purchase.orders.indices {
                verdict.wrong += lastWords(ofOrder: order, story)
                for wait in waits.waits(ofOrder: order, story) {
                    figures[wait.cause, default: WaitFigure(wait: wait.cause, bound: wait.bound)].note(wait)
                    if let wrong = wait.wrong(story) { verdict.wrong.append(wrong) }
                }
            }
        }
        verdict.judged += evidence.changes.count
        verdict.wrong += evidence.changes.compactMap(wrong)
        verdict.waits = figures.values.sorted { ($1.longest, $0.wait) < ($0.longest, $1.wait) }
        return verdict
    }

    // MARK: One answer

    private func wrongs(_ answer: Answer, _ story: PurchaseStoryFacts) -> [WrongAnswer] {
        guard let rule = rule(brokenBy: answer, story) else { return [] }
        return [
            WrongAnswer(
                rule: rule, kind: story.purchase.kind, subject: story.name(of: answer.subject),
                details: story.words(answer), orderID: story.orderID(of: answer.subject))
        ]
    }

    /// An answer stays true from its first to its last time, if it was true at both: what it says never comes back.
    private func rule(brokenBy answer: Answer, _ story: PurchaseStoryFacts) -> WrongAnswer.Rule? {
        if case .subscription = answer.subject { return ruleOfSubscription(brokenBy: answer, story) }
        switch ClientAction(rawValue: answer.action) {
        case .finish: return story.mayFinish(answer) ? nil : .finishUngranted
        case .orderAgain: return story.mayOrderAgain(answer) ? nil : .orderInVain
        case .resendProof: return story.mayResend(answer) ? nil : .resendInVain
        case .uploadProof: return story.mayUpload(answer) ? nil : .uploadInVain
        case .contactSupport: return story.needsSupport(answer) ? nil : .supportInVain
        case .wait: return isAwaited(answer, story) ? nil : .waitInVain
        case nil: return nil
        }
    }

    private func ruleOfSubscription(brokenBy answer: Answer, _ story: PurchaseStoryFacts) -> WrongAnswer.Rule? {
        guard let id = answer.transactionID,
            let number = story.purchase.transactions.firstIndex(where: { $0.id == id })
        else { return nil }
        return story.wasPaid(number, by: answer.first.upperBound) ? nil : .unpaidStatus
    }

    private func isAwaited(_ answer: Answer, _ story: PurchaseStoryFacts) -> Bool {
        guard let order = story.order(of: answer.subject) else { return true }
        let pending = story.pending(order)
        return [answer.first, answer.last].allSatisfy { moment in
            pending.contains { pending in
                let end = pending.upperBound + Self.commitDelay + waits.timeLost(pending.upperBound, moment.lowerBound)
                return pending.lowerBound <= moment.upperBound && moment.lowerBound <= end
            }
        }
    }

    // MARK: The last word

    private func lastWords(ofOrder order: Int, _ story: PurchaseStoryFacts) -> [WrongAnswer] {
        let answers = story.answers(aboutOrder: order)
        var wrong: [WrongAnswer] = []
        func complain(_ answer: Answer, _ details: String) {
            wrong.append(
                WrongAnswer(
                    rule: .forEver, kind: story.purchase.kind, subject: story.name(of: .order(order)), details: details,
                    orderID: story.orderID(of: .order(order))))
        }
        if let last = answers.last, last.action == ClientAction.wait.rawValue {
            complain(last, "\(story.words(last)) was the last word")
        }
        for answer in answers where [ClientAction.resendProof, .uploadProof].map(\.rawValue).contains(answer.action) {
            let uploads = story.uploads(forOrder: order).filter {
                answer.first.lowerBound <= $0.during.lowerBound && $0.during.upperBound <= answer.last.upperBound
            }
            // What isn't there yet may come: the client is asked for as long.
            if uploads.count >= Self.uploadsInVain, answer.reason != Reason.purchaseNotInReceipt.rawValue {
                complain(answer, "\(story.words(answer)) was told again after \(uploads.count) uploads")
            }
        }
        return wrong
    }

    // MARK: The feed

    private func wrong(_ change: ToldChange) -> WrongAnswer? {
        func complain(_ details: String) -> WrongAnswer {
            let subject = change.orderID.isEmpty ? "transaction \(change.transaction?.id ?? "")" : "order \(change.orderID)"
            return WrongAnswer(
                rule: .toldTooEarly, kind: nil, subject: subject, details: "\(change.kind), \(details)",
                orderID: change.orderID.isEmpty ? nil : change.orderID)
        }
        let grant = change.transaction.flatMap { evidence.ledger.grants[$0] }
        switch change.kind {
        case "order_fulfilled":
            guard let grant, grant.orderID == change.orderID, grant.at <= change.at else { return complain("and it had no grant") }
        case "order_refunded":
            guard let transaction = change.transaction else { return nil }
            // Under another id of the payment, perhaps.
            let known = evidence.ledger.revocations.filter { $0.key.bundleID == transaction.bundleID }
            guard known.contains(where: { $0.value <= change.at }) else { return complain("and no refund was recorded") }
        default: break
        }
        return nil
    }
}

extension WaitFigure {
    mutating func note(_ wait: WaitJudge.Wait) {
        count += 1
        longest = max(longest, wait.seconds)
        longestAfterCause = max(longestAfterCause, wait.secondsAfterCause)
    }
}
