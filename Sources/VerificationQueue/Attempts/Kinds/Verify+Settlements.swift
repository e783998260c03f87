// SPDX-License-Identifier: Apache-2.0

import Verification

/// The settlements that verified transactions lead to.
extension Verify {
    func judge(_ transactions: VerifiedTransactions) -> Judgement {
        OrderMatching.judge(
            transactions, for: order, policy: policy, hint: hint, awaitsHinted: !isFinalCheck)
    }

    /// Whether another proof has paid for the order: one without its purchase has nothing to add.
    var isPaidMeanwhile: Bool { order.state == .fulfilled || order.state == .refunded }

    /// Whether a purchase that is missing now is given up.
    var isFinalCheck: Bool { attempt.runner.retry.isFinalCheck(attempt.job.missingTimes) }

    @inline(never)  // See "Judge" in Verify.swift.
    func settlement(of transactions: VerifiedTransactions) -> Settlement {
        settlement(of: transactions, judge(transactions))
    }

    /// - Parameters:
    ///   - unconfirmed: what Apple signed and did not confirm; not among the transactions.
    ///   - isHalfAsked: whether Apple may know the purchase, and one environment couldn't be asked.
    @inline(never)
    func settlement(
        of transactions: VerifiedTransactions, _ judgement: Judgement, unconfirmed: [ShownPayment] = [], isHalfAsked: Bool = false
    ) -> Settlement {
        let action: Settlement.Action
        var offered: [ShownPayment] = []
        var missing = false
        switch judgement.verdict {
        case .candidates(let candidates):
            // Of one that was taken back the ledger still has the first word: another order's payment is a replay, refunded or not.
            action = .grantOne
            offered = candidates
        case .rejected(let reason):
            // The client may finish what nobody pays for.
            let isShared = reason == .familyShared || reason == .assignedSeat
            action = .end(.rejected(reason, isShared ? judgement.shared.first?.transaction.id : nil))
        case .review(let reason) where !judgement.unstorable.isEmpty:
            // Nothing but the proof keeps the payment: the job stays with it until an operator decides.
            action = .discard(reason, lane: nil)
        case .review(let reason):
            action = .end(.review(reason, nil))
        case .missing where isPaidMeanwhile:
            action = .end(.unchanged)
        case .missing:
            var generator = SystemRandomNumberGenerator()
            let decision = attempt.runner.retry.decideMissing(
                missingTimes: attempt.job.missingTimes, isUnresolved: isHalfAsked || !unconfirmed.isEmpty,
                isPartlyRead: transactions.skipped > 0, isShown: attempt.isByUnprovenKey || !unconfirmed.isEmpty, using: &generator)
            missing = decision.isMissing
            // The last call may have searched for the transaction that the client named: the receipt's lane is another matter.
            // Behind the gate of a key that may be foreign, the job waits once that closes.
            let isLeft = policy.receiptRoute == .localThenAPI && !attempt.isByUnprovenKey
            action = Settlement.Action(decision, lane: isLeft ? nil : attempt.lane)
        }
        return Settlement(
            attempt.job, action,
            payments: [SettledPayment](candidates: offered, others: judgement.others + unconfirmed, revoked: judgement.revoked),
            message: UnstorableTransaction.message(judgement.unstorable) ?? judgement.note, proofKind: attempt.proofKind,
            appVersion: transactions.appVersion, environment: attempt.environment, missing: missing, showsUnstorable: !judgement.unstorable.isEmpty,
            shared: judgement.shared)
    }

    /// A transaction that Apple didn't confirm is not offered to the order. It is genuine all the same, and kept.
    @inline(never)
    func settlement(
        of transactions: VerifiedTransactions, offered: [ShownPayment], confirmed: [TransactionID: Transaction]
    ) -> Settlement {
        let unconfirmed = offered.filter { confirmed[$0.transaction.id] == nil }
        let left = Set(unconfirmed.map(\.transaction.id))
        let known = VerifiedTransactions(
            transactions.all.filter { !left.contains($0.id) }.flatMap { Self.confirmed($0, as: confirmed[$0.id]) },
            mayBeIncomplete: transactions.mayBeIncomplete || !unconfirmed.isEmpty, isConfirmed: true,
            appVersion: transactions.appVersion, skipped: transactions.skipped)
        let judgement = judge(known)
        let endsOrder =
            switch judgement.verdict {
            case .rejected: true
            case .candidates: judgement.verdict.takenBack != nil
            case .review, .missing: false
            }
        guard endsOrder, !unconfirmed.isEmpty else { return settlement(of: known, judgement, unconfirmed: unconfirmed) }
        // Apple may know a transaction a moment later that doesn't exist there yet, and that may pay for the order.
        return settlement(
            of: known,
            Judgement(
                verdict: .missing, others: judgement.others, revoked: judgement.revoked, unstorable: judgement.unstorable,
                shared: judgement.shared),
            unconfirmed: unconfirmed)
    }

    /// Apple's present record of a transaction, also under the id that it was asked by: the client knows it by that id.
    static func confirmed(_ transaction: Transaction, as answer: Transaction?) -> [Transaction] {
        guard let answer else { return [transaction] }
        guard answer.id != transaction.id else { return [answer] }
        var known = answer
        known.id = transaction.id
        return [answer, known]
    }

    /// - Parameter named: Apple's answer about the transaction that the client named beside a receipt without it.
    @inline(never)
    func settlement(
        ofNamed named: AttemptContext.SearchResult, besides transactions: VerifiedTransactions, _ judgement: Judgement
    ) -> Settlement {
        let found: VerifiedTransactions
        switch named {
        case .found(let transactions): found = transactions
        case .unknown(.rejected), .refused: return settlement(of: transactions, judgement)
        case .unknown(.review), .halfAsked: return settlement(of: transactions, judgement, isHalfAsked: true)
        }
        let further = judge(found)
        switch further.verdict {
        case .candidates: break
        case .review where isFinalCheck: break
        case .review, .rejected, .missing: return settlement(of: transactions, judgement)
        }
        return settlement(
            of: found,
            Judgement(
                verdict: further.verdict, others: judgement.others + further.others,
                revoked: judgement.revoked + further.revoked, unstorable: judgement.unstorable + further.unstorable,
                shared: further.shared + judgement.shared, note: further.note))
    }
}
