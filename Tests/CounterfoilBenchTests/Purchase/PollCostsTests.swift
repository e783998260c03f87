// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

@Suite struct PollCostsTests {
    /// With few polls: what they cost is the benchmark's business.
    @Test func everyWayToPollIsMeasured() async throws {
        let plan = PurchaseBenchPlan(
            parts: [.polls], purchases: 200, polls: 100, seconds: 2, rounds: 1, connections: 1, place: .disk,
            settings: ["fsync=off"])

        let report = try await PurchaseBench(plan: plan, printsJSON: false, logger: .bench).measure()

        let names = try #require(report.sections.first).measurements.map(\.name)
        #expect(names.contains("view, prepared"))
        #expect(names.contains("function, not prepared"))
        #expect(names.contains("function, simple protocol"))
        #expect(names.contains("function, not prepared, through PgBouncer") == Pooler.isInstalled)
    }
}
