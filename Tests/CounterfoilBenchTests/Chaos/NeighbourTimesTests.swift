// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

@Suite struct NeighbourTimesTests {
    private func times(before: Double, meanwhile: Double, count: Int = 200) -> NeighbourTimes {
        NeighbourTimes(pairs: [
            .init(
                what: "orders", before: Percentiles(Array(repeating: before, count: count)),
                meanwhile: Percentiles(Array(repeating: meanwhile, count: count)))
        ])
    }

    @Test func aSecondMoreOrFourTimesAsLongIsAllowed() {
        #expect(times(before: 0.1, meanwhile: 1.1).complaints == [])
        #expect(times(before: 2, meanwhile: 8).complaints == [])
    }

    @Test func whatTakesLongerIsAComplaint() {
        #expect(times(before: 0.1, meanwhile: 1.2).complaints == ["orders: 1 of 100 took 1.2 s, and may take 1.1 s"])
        #expect(times(before: 2, meanwhile: 8.1).complaints.count == 1)
    }

    @Test func fewTimesShowNothing() {
        #expect(times(before: 0, meanwhile: 0, count: 99).complaints.count == 1)
    }

    @Test func bothTimesArePrinted() {
        #expect(
            times(before: 0.1, meanwhile: 0.2).lines == [
                "orders, 99 of 100: 0.1 s of 200 before, 0.2 s of 200 meanwhile (may be 1.1 s)"
            ])
    }
}
