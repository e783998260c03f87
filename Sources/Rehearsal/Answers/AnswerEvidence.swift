// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// All that answers are judged by: what was planned, what players were told and did, and what was true when.
package struct AnswerEvidence: Sendable {
    package var plan: PurchasePlan
    /// By the number of the purchase.
    package var records: [Int: PlayRecord]
    package var ledger: LedgerTimes
    package var disturbances: [Disturbance]
    package var changes: [ToldChange]
    package var meant: [MeantWait]
    /// Seconds that a lease lasts.
    package var lease: TimeInterval

    package init(
        _ plan: PurchasePlan, records: [Int: PlayRecord], ledger: LedgerTimes, disturbances: [Disturbance] = [],
        changes: [ToldChange] = [], meant: [MeantWait], lease: TimeInterval
    ) {
        self.plan = plan
        self.records = records
        self.ledger = ledger
        self.disturbances = disturbances
        self.changes = changes
        self.meant = meant
        self.lease = lease
    }
}

/// Something that a client, or its backend, was told and must not have been, or a wait that nothing explains.
package struct WrongAnswer: Hashable, Sendable {
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        case finishUngranted = "told to finish what wasn't granted"
        case supportInVain = "sent to support where a machine went on"
        case resendInVain = "asked for a newer proof, and none can come"
        case uploadInVain = "asked for a proof that was uploaded"
        case orderInVain = "told to order anew what was granted or refunded"
        case waitInVain = "told to wait for nothing"
        case waitTooLong = "waited longer than anything explains"
        case forEver = "told the same for ever"
        case toldTooEarly = "the feed told what wasn't so"
        case unpaidStatus = "told of a subscription's payment that wasn't made"
    }

    package var rule: Rule
    package var kind: PurchaseKind?
    /// An order or a transaction, by its name.
    package var subject: String
    package var details: String
    /// The id of the order; nil: it is about none.
    package var orderID: String?

    package init(rule: Rule, kind: PurchaseKind?, subject: String, details: String, orderID: String? = nil) {
        self.rule = rule
        self.kind = kind
        self.subject = subject
        self.details = details
        self.orderID = orderID
    }

    package var line: String {
        "\(kind?.title ?? "unplanned"): \(subject): \(rule.rawValue): \(details)"
    }
}

/// All waits that one cause explains.
package struct WaitFigure: Equatable, Sendable {
    package var wait: String
    package var count = 0
    /// Of the longest: all of it, and what was left of it once its cause was over. In seconds.
    package var longest: TimeInterval = 0
    package var longestAfterCause: TimeInterval = 0
    /// Of what is left, in seconds.
    package var bound: TimeInterval
}

/// What became of the answers.
package struct AnswerVerdict: Equatable, Sendable {
    /// Answers that were judged, each as long as it stayed the same.
    package var judged = 0
    package var wrong: [WrongAnswer] = []
    /// The longest first.
    package var waits: [WaitFigure] = []

    package init() {}

    /// For a report: what was judged, and each kind of wait.
    package var lines: [String] {
        func seconds(_ time: TimeInterval) -> String { "\((time * 100).rounded() / 100) s" }
        return ["\(judged) answers were judged, \(wrong.count) of them wrong"]
            + waits.map {
                "waits by \($0.wait): \($0.count), the longest \(seconds($0.longest)); after its cause at most "
                    + "\(seconds($0.longestAfterCause)) of \(seconds($0.bound))"
            }
    }
}
