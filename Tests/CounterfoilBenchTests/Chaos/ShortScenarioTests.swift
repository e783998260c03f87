// SPDX-License-Identifier: Apache-2.0

import Logging
import Rehearsal
import Testing

@testable import counterfoil_bench

/// The short form of the chaos runs: some scenarios, with leases of 2 s and few purchases. One after the other: each has workers
/// enough for two cores, and a worker without a core loses its leases.
@Suite(.serialized) struct ShortScenarioTests {
    @Test(.timeLimit(.minutes(5)), arguments: Scenarios.short)
    func everyPurchaseIsGrantedExactlyOnceAndNoneIsLost(scenario name: String) async throws {
        var scenario = try #require(Scenarios.named(name))
        scenario.settings.shorten()

        let result = try await ScenarioRun(
            scenario: scenario, seed: 1, program: try WorkerProgram.path(), logger: .bench
        ).run()

        #expect(result.complaints == [])
        #expect(result.isKept)
    }

    @Test func thereAreEight() {
        #expect(Scenarios.short.count == 8)
        #expect(Scenarios.short.allSatisfy { Scenarios.named($0) != nil })
    }
}

extension ChaosSettings {
    fileprivate mutating func shorten() {
        lease = .seconds(2)
        load = min(load, .seconds(9))
        rate = 20
        judgesWaits = false
    }
}
