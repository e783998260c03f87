// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

@testable import Rehearsal

/// One order's story, in seconds since its beginning: paid, uploaded, judged and granted, with its client told to wait and then to
/// finish. Tests change a part of it.
struct AnswerWorld {
    private static let begun = Date(timeIntervalSince1970: 1_790_000_000)

    private let plan: PurchasePlan
    private var acts: [PlayedAct] = []
    var answers: [Answer] = []
    var attempts: [LedgerTimes.Attempt] = []
    var grantedAt: Double? = 0.8
    var revokedAt: Double?
    var changes: [ToldChange] = []
    private var disturbances: [Disturbance] = []

    init(_ kind: PurchaseKind = .signedTransaction) {
        plan = PurchasePlan(purchases: 1, seed: 1, kinds: [kind])
        upload(at: 0.3)
        attempts = [attempt(1, 0.35, 0.5, 0.8)]
        tell("wait", at: 0.45)
        tell("finish", state: "fulfilled", at: 0.9, naming: transaction.id)
    }

    private var purchase: Purchase { plan.purchases[0] }
    var transaction: PlannedTransaction { purchase.transactions[0] }
    /// The last of the purchase.
    var otherTransaction: PlannedTransaction { purchase.transactions[purchase.transactions.count - 1] }
    var app: String { purchase.orders[0].app.bundleID }

    func moment(_ begin: Double, _ end: Double) -> ClosedRange<Date> { Self.begun + begin...Self.begun + end }

    func attempt(
        _ job: Int64, _ submitted: Double, _ claimed: Double, _ finished: Double, _ disposition: String = "complete",
        reason: String? = nil
    ) -> LedgerTimes.Attempt {
        LedgerTimes.Attempt(
            job: job, submittedAt: Self.begun + submitted, claimedAt: Self.begun + claimed, finishedAt: Self.begun + finished,
            disposition: disposition, reason: reason)
    }

    mutating func upload(at second: Double) {
        let proof = purchase.firstProof(forOrder: 0) ?? .signed(transaction: 0)
        acts.append(
            PlayedAct(step: .upload([PlannedUpload(order: 0, proof: proof)]), during: moment(second, second + 0.1)))
    }

    mutating func tell(
        _ action: String, about subject: Answer.Subject = .order(0), state: String = "open", reason: String? = nil, at second: Double,
        until end: Double? = nil, naming transaction: String? = nil
    ) {
        var answer = Answer(
            subject, state: state, reason: reason, action: action, transactionID: transaction,
            during: moment(second, second + 0.1))
        if let end { answer.last = moment(end - 0.1, end) }
        let place = answers.firstIndex { $0.first.lowerBound > answer.first.lowerBound } ?? answers.count
        answers.insert(answer, at: place)
    }

    mutating func disturb(_ cause: Disturbance.Cause, _ begin: Double, _ end: Double) {
        disturbances.append(Disturbance(cause, during: moment(begin, end)))
    }

    func change(_ kind: String, at second: Double) -> ToldChange {
        ToldChange(
            kind: kind, orderID: purchase.orders[0].id, transaction: Observation.TransactionKey(transaction),
            at: Self.begun + second)
    }

    var verdict: AnswerVerdict {
        var record = PlayRecord()
        record.told.note(paid: [0], since: Self.begun + 0.2)
        for act in acts { record.told.note(act) }
        for answer in answers { record.told.note(answer) }
        var ledger = LedgerTimes()
        ledger.attempts[purchase.orders[0].id] = attempts
        let key = Observation.TransactionKey(transaction)
        if let grantedAt { ledger.grants[key] = .init(orderID: purchase.orders[0].id, at: Self.begun + grantedAt) }
        if let revokedAt { ledger.revocations[key] = Self.begun + revokedAt }
        let evidence = AnswerEvidence(
            plan, records: [purchase.number: record], ledger: ledger, disturbances: disturbances, changes: changes,
            meant: [
                MeantWait(name: "claim", bound: 60), MeantWait(name: "outage", bound: 90), MeantWait(name: "lease", bound: 15),
                MeantWait(name: "held", nextWithin: 5, bound: 600),
                MeantWait(name: "retry", reasons: ["app_store_unavailable"], nextWithin: 3_600, bound: 691_200),
                MeantWait(name: "rate_limited", reasons: ["rate_limited"], nextWithin: 4_320, bound: 86_400),
            ], lease: 10)
        return AnswerJudge(evidence).verdict
    }
}
