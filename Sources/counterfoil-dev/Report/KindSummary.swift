// SPDX-License-Identifier: Apache-2.0

import Rehearsal

/// All purchases of one kind: what was expected of their orders and what they got, counted.
struct KindSummary: Equatable, Sendable {
    struct Line: Equatable, Sendable {
        var outcome: String
        var expected: Int
        var got: Int
    }

    let kind: PurchaseKind
    var purchases = 0
    var uploads = 0
    /// The most expected first.
    var lines: [Line] = []
    var differences = 0

    /// Summaries of the kinds that were played, in the kinds' order.
    static func summaries(
        _ plan: PurchasePlan, _ observation: Observation, _ differences: [Difference]
    ) -> [KindSummary] {
        let differing = Dictionary(grouping: differences, by: \.kind).mapValues(\.count)
        let played = Dictionary(grouping: plan.purchases, by: \.kind)
        return PurchaseKind.allCases.compactMap { kind in
            guard let purchases = played[kind] else { return nil }
            var summary = KindSummary(kind: kind)
            summary.purchases = purchases.count
            summary.differences = differing[kind] ?? 0
            var expected: [String: Int] = [:]
            var got: [String: Int] = [:]
            for purchase in purchases {
                let record = observation.records[purchase.number]
                summary.uploads += record?.uploads ?? 0
                for outcome in purchase.expectations.flatMap(\.outcomes) { expected[outcome.label, default: 0] += 1 }
                for order in purchase.orders { got[observation.outcomes[order.id]?.label ?? "no such order", default: 0] += 1 }
                for refused in purchase.refusals {
                    expected["refused(\(refused.constraint))", default: 0] += 1
                    let constraint = record?.refusals[refused] ?? nil
                    got[constraint.map { "refused(\($0))" } ?? "taken", default: 0] += 1
                }
            }
            summary.lines = Set(expected.keys).union(got.keys)
                .map { Line(outcome: $0, expected: expected[$0] ?? 0, got: got[$0] ?? 0) }
                .sorted { ($1.expected, $0.outcome) < ($0.expected, $1.outcome) }
            return summary
        }
    }
}
