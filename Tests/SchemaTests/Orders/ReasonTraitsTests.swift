// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification

/// The lists of reasons in SQL, in the documents and in the alerts are those of ``Reason/Traits``.
@Suite struct ReasonTraitsTests {
    private static func reasons(_ isListed: (Reason.Traits) -> Bool) -> Set<String> {
        Set(Reason.allCases.filter { isListed($0.traits) }.map(\.rawValue))
    }

    /// The words of each list that stands between two texts of a file.
    private static func lists(
        in path: String, from start: String, to end: String, by separator: Character = ","
    ) throws -> [Set<String>] {
        var lists: [Set<String>] = []
        var text = Substring(try Repository.text(path))
        while let found = text.firstRange(of: start) {
            text = text[found.upperBound...]
            guard let last = text.firstRange(of: end) else { break }
            let words = text[..<last.lowerBound].split(separator: separator).map { word in
                String(word.filter { $0.isLetter || $0 == "_" })
            }
            lists.append(Set(words))
            text = text[last.upperBound...]
        }
        return lists
    }

    @Test func theOutcomeOfAnAttemptRejectsForTheseReasons() throws {
        let rejecting = try Self.lists(in: "sql/counting/attempt_outcome.sql", from: "when reason in (", to: ")")

        #expect(rejecting == [Self.reasons { $0.effects.contains(.rejects) }])
    }

    @Test func proofsThatNobodyJudgedAreKept() throws {
        let unjudged = try Self.lists(in: "sql/settling/keep_proofs.sql", from: "u.reason not in (", to: ")")

        #expect(unjudged == [Self.reasons { !$0.isJudged }])
    }

    @Test func theSuspicionsAreThese() throws {
        let suspicions = try Self.lists(in: "sql/dashboards/suspicious_accounts.sql", from: "s.reason in (", to: ")")

        let expected = [Reason.Traits.Suspicion.duplicate, .replay, .forgery].map { suspicion in
            Self.reasons { $0.suspicion == suspicion }
        }
        #expect(suspicions == expected + [Self.reasons { $0.suspicion != nil }])
        #expect(Self.reasons { $0.suspicion == .sandbox } == ["sandbox_not_allowed"])
    }

    /// `restored` is no reason of an order.
    @Test func theFeedIsSilentAboutThesePayments() throws {
        let silent = try Self.lists(in: "sql/feed/comes_to_light.sql", from: "not in (", to: ")")
        let unlisted = try Self.lists(in: "sql/migrations/0005_ledger.sql", from: "where reason not in (", to: ")")

        #expect(silent == [Self.reasons { $0.keeping == .silent }.union(["restored"])])
        #expect(unlisted == [Self.reasons { $0.keeping == .silent || $0.keeping == .renewal }.union(["restored"])])
    }

    @Test func whatTheLedgerOrAPolicyDecidesAlertsNobody() throws {
        let expected = Self.reasons(\.isNoFaultOfProofs)

        #expect(try Self.lists(in: "sql/dashboards/health.sql", from: "when r.reason in (", to: ")") == [expected])
        let alert = try Self.lists(
            in: "deploy/prometheus/counterfoil.rules.yml", from: "counterfoil_rising_rejections{reason!~\"", to: "\"", by: "|")
        #expect(alert == [expected])
    }

    @Test func theClientOfARejectedOrderDoesThis() throws {
        let actions = try Self.lists(in: "sql/orders/client_action.sql", from: "state = 'rejected' and reason in (", to: ")")

        #expect(actions == [Self.reasons { $0.answer == .resendProof }, Self.reasons { $0.answer == .finish }])
    }

    /// The order's states in the page of reasons.
    @Test func theDocumentHasWhatBecomesOfTheOrder() throws {
        var documented: [String: Set<String>] = [:]
        for row in try Repository.text("sql/docs/states.md").split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|")
            for word in cells[0].split(separator: ",") {
                guard let reason = Reason(rawValue: String(word.filter { $0.isLetter || $0 == "_" })) else { continue }
                let states = ["open", "rejected", "review", "refunded", "cancelled"].filter { cells[1].contains($0) }
                documented[reason.rawValue, default: []].formUnion(states)
            }
        }

        for reason in Reason.allCases {
            let states = reason.traits.effects.map { effect in
                switch effect {
                case .rejects: "rejected"
                case .leavesToAPerson: "review"
                case .waits, .changesNothing: "open"
                case .refunds: "refunded"
                case .cancels: "cancelled"
                }
            }
            #expect(documented[reason.rawValue] == Set(states), "\(reason.rawValue)")
        }
    }
}
