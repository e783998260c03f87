// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

@Suite struct FaultSeriesTests {
    private static func events(seed: UInt64) -> [FaultEvent] {
        var series = FaultSeries(seed: seed, load: .seconds(20), workers: 3)
        series.every(.seconds(1)) { _, generator in .kill(worker: Int.random(in: 0..<3, using: &generator)) }
        return series.events
    }

    @Test func theSameSeedGivesTheSameSchedule() {
        #expect(Self.events(seed: 5) == Self.events(seed: 5))
        #expect(Self.events(seed: 5) != Self.events(seed: 6))
    }

    @Test func faultsComeInOrderAndWithinTheLoad() {
        let moments = Self.events(seed: 5).map(\.at)

        #expect(moments.count == 17)
        #expect(moments == moments.sorted())
        #expect(moments.allSatisfy { $0 >= .seconds(1) && $0 < .seconds(19) })
    }

    @Test(arguments: Scenarios.all.map(\.name))
    func everyScenarioPlansAsManyFaultsAsItNeeds(name: String) throws {
        let scenario = try #require(Scenarios.named(name))

        let events = scenario.events(seed: 1)

        // A poison proof is one event, and counts once for each process that it ends.
        let endsProcesses = events.contains { event in
            if case .poison = event.kind { true } else { false }
        }
        #expect(endsProcesses ? !events.isEmpty : events.count >= scenario.leastFaults)
        #expect(scenario.leastFaults > 0)
    }

    @Test func noTwoScenariosHaveOneName() {
        #expect(Set(Scenarios.all.map(\.name)).count == Scenarios.all.count)
    }
}
