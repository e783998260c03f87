// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

@Suite struct PlanFiguresTests {
    private let plan = [
        "Limit  (cost=0.29..8.31 rows=1 width=4) (actual time=0.031..0.032 rows=1 loops=1)",
        "  Buffers: shared hit=12 read=30 dirtied=2 written=1, temp read=500 written=600",
        "  ->  Seq Scan on orders  (cost=0.00..1.00 rows=1 width=4) (actual time=0.030..0.030 rows=1 loops=1)",
        "        Buffers: shared hit=7",
        "Planning:", "  Buffers: shared hit=90", "Planning Time: 3.500 ms", "Execution Time: 17.250 ms",
    ]

    @Test func theOutermostNodeCounts() throws {
        let figures = try #require(PlanFigures(plan))

        #expect(figures.executionTime == 17.25)
        #expect(figures.pages == 42)
    }

    @Test func aPlanThatWasNotRunHasNoFigures() {
        #expect(PlanFigures(plan.dropLast()) == nil)
        #expect(PlanFigures([]) == nil)
    }
}
