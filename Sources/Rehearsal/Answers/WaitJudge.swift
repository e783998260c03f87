// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Judges how long a client was told to wait: each wait has a cause, and ends within the cause's bound.
///
/// | Cause | The bound counts from |
/// |---|---|
/// | `claim`: nothing is broken | the upload |
/// | `outage` | Apple's last failure for this job, or the opening of its app's gate |
/// | `lease` | the rescue of a job whose worker was lost, at the latest when the rescue was due |
/// | `database` | the database's return |
/// | another row of `counterfoil.meant_waits` | the longest time to the next attempt, after one that ended by its reason |
///
/// Of several causes the one counts that allows most. A wait that none explains is a fault.
struct WaitJudge: Sendable {
    /// One stretch of waiting.
    struct Wait: Sendable {
        let order: Int
        let seconds: TimeInterval
        /// Seconds from the end of its cause to its own end.
        let secondsAfterCause: TimeInterval
        let cause: String
        let bound: TimeInterval
        let answer: Answer

        func wrong(_ story: PurchaseStoryFacts) -> WrongAnswer? {
            guard secondsAfterCause > bound else { return nil }
            return WrongAnswer(
                rule: .waitTooLong, kind: story.purchase.kind, subject: story.name(of: .order(order)),
                details: "\(story.words(answer)); by \(cause) \(Int(secondsAfterCause)) s, and \(Int(bound)) s are meant",
                orderID: story.orderID(of: .order(order)))
        }
    }

    /// Something that explains a wait, until some time.
    private struct Cause {
        var name: String
        var end: Date
        var bound: TimeInterval

        var latest: Date { end + bound }
    }

    private let lease: TimeInterval
    private let disturbances: [Disturbance]
    private let meant: [String: MeantWait]
    private let byReason: [String: MeantWait]

    init(_ evidence: AnswerEvidence) {
        lease = evidence.lease
        disturbances = evidence.disturbances
        meant = Dictionary(evidence.meant.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        byReason = Dictionary(
            evidence.meant.flatMap { wait in wait.reasons.map { ($0, wait) } }, uniquingKeysWith: { first, _ in first })
    }

    private func bound(_ name: String) -> TimeInterval { meant[name]?.bound ?? 0 }

    /// Seconds between two moments in which nothing could be committed.
    func timeLost(_ begin: Date, _ end: Date) -> TimeInterval {
        disturbances.filter { $0.cause == .databaseAway }.reduce(0) { lost, away in
            let from = max(begin, away.during.lowerBound)
            return lost + max(0, min(end, away.during.upperBound).timeIntervalSince(from))
        }
    }

    /// The stretches in which the client of an order was told to wait.
    func waits(ofOrder order: Int, _ story: PurchaseStoryFacts) -> [Wait] {
        let answers = story.answers(aboutOrder: order)
        var waits: [Wait] = []
        var begun: Answer?
        for (place, answer) in answers.enumerated() {
            let isWaiting = answer.action == ClientAction.wait.rawValue
            if isWaiting, begun == nil { begun = answer }
            guard let first = begun, !isWaiting || place == answers.count - 1 else { continue }
            let end = isWaiting ? answer.last.upperBound : answer.first.upperBound
            waits.append(wait(first, until: end, ofOrder: order, story))
            begun = nil
        }
        return waits
    }

    private func wait(_ first: Answer, until end: Date, ofOrder order: Int, _ story: PurchaseStoryFacts) -> Wait {
        let begin = first.first.lowerBound
        let causes = causes(from: begin, to: end, ofOrder: order, story)
        let calm = Cause(name: MeantWait.Name.claim, end: begin, bound: bound(MeantWait.Name.claim))
        let cause = causes.max { $0.latest < $1.latest } ?? calm
        return Wait(
            order: order, seconds: end.timeIntervalSince(begin),
            secondsAfterCause: max(0, end.timeIntervalSince(max(begin, cause.end))), cause: cause.name, bound: cause.bound,
            answer: first)
    }

    private func causes(from begin: Date, to end: Date, ofOrder order: Int, _ story: PurchaseStoryFacts) -> [Cause] {
        let planned = story.purchase.orders[order]
        let wait = begin...max(begin, end)
        var causes: [Cause] = []
        // A job that came while it was waited for another waits for its own turn.
        for attempt in story.ledger.attempts[planned.id] ?? [] where wait.contains(attempt.submittedAt) {
            causes.append(Cause(name: MeantWait.Name.claim, end: attempt.submittedAt, bound: bound(MeantWait.Name.claim)))
        }
        for attempt in story.ledger.attempts[planned.id] ?? [] where attempt.submittedAt <= end && attempt.finishedAt >= begin {
            if let cause = cause(attempt) { causes.append(cause) }
        }
        for disturbance in disturbances where disturbance.during.overlaps(wait) {
            switch disturbance.cause {
            case .closedGate(planned.app.bundleID):
                causes.append(
                    Cause(name: MeantWait.Name.outage, end: disturbance.during.upperBound, bound: bound(MeantWait.Name.outage)))
            case .closedGate: break
            case .databaseAway:
                causes.append(Cause(name: "database", end: disturbance.during.upperBound, bound: bound(MeantWait.Name.outage)))
            }
        }
        return causes.filter { $0.end <= end }
    }

    /// What an attempt makes its client wait for afterwards.
    private func cause(_ attempt: LedgerTimes.Attempt) -> Cause? {
        switch attempt.disposition {
        case "rescue":
            let rescued = min(attempt.finishedAt, attempt.claimedAt + lease + bound(MeantWait.Name.lease))
            return Cause(name: MeantWait.Name.lease, end: rescued, bound: bound(MeantWait.Name.claim))
        case "release":
            return Cause(name: MeantWait.Name.claim, end: attempt.finishedAt, bound: bound(MeantWait.Name.claim))
        case "retry" where attempt.reason == Reason.appStoreUnavailable.rawValue,
            "snooze" where attempt.reason == Reason.appStoreUnavailable.rawValue:
            return Cause(name: MeantWait.Name.outage, end: attempt.finishedAt, bound: bound(MeantWait.Name.outage))
        case "retry", "snooze":
            let row = attempt.reason.flatMap { byReason[$0] } ?? (attempt.reason == nil ? meant[MeantWait.Name.held] : nil)
            guard let row else { return nil }
            return Cause(
                name: row.name, end: attempt.finishedAt, bound: (row.nextWithin ?? 0) + bound(MeantWait.Name.claim))
        default:
            return nil
        }
    }
}
