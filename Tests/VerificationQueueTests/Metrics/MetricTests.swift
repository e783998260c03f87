// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

/// Names are an interface of their own; see prometheus.io/docs/practices/naming.
@Suite struct MetricTests {
    /// Workers and deliverers both tell of their version.
    private static let metrics = Metric.all + Metric.ofDeliverers.filter { $0 != Metric.buildInfo }

    @Test func namesAreUnique() {
        #expect(Set(Self.metrics.map(\.name)).count == Self.metrics.count)
    }

    @Test(arguments: metrics)
    func aNameTellsKindAndUnit(metric: Metric) {
        #expect(metric.name.hasPrefix("counterfoil_"))
        #expect(metric.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "_") })
        switch metric.kind {
        case .counter:
            #expect(metric.name.hasSuffix("_total"))
        case .gauge:
            #expect(!metric.name.hasSuffix("_total"))
        case .histogram(let bounds):
            #expect(metric.name.hasSuffix("_seconds"))
            #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
        }
    }

    @Test(arguments: metrics)
    func itSaysWhatItTells(metric: Metric) {
        #expect(metric.help.hasSuffix("."))
        #expect(!metric.help.contains("\n"))
    }

    /// Ids would make a new member for each order, without end.
    @Test(arguments: metrics)
    func noLabelIsAnID(metric: Metric) {
        #expect(metric.labels.allSatisfy { !$0.contains("id") && $0 != "account" && $0 != "app" && $0 != "worker" })
    }
}
