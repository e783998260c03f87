// SPDX-License-Identifier: Apache-2.0

import Rehearsal
import Testing

@testable import counterfoil_bench

@Suite struct OtherOrdersTests {
    private func others(_ count: Int, slow: Int, seconds: Double) -> OtherOrders {
        OtherOrders(
            seconds: Percentiles(Array(repeating: 0.05, count: count - slow) + Array(repeating: seconds, count: slow)))
    }

    @Test func oneOfAHundredMayBeSlow() {
        #expect(others(200, slow: 2, seconds: 60).meets(.milliseconds(500)))
        #expect(!others(200, slow: 3, seconds: 0.6).meets(.milliseconds(500)))
    }

    @Test func aTimeThatIsMissedIsNoBrokenPromiseAndAStallIs() {
        #expect(others(200, slow: 3, seconds: 0.6).complaints == [])
        #expect(
            others(200, slow: 3, seconds: 6).complaints == ["1 of 100 other orders took 6.0 s, and may take 5.0 seconds"])
    }

    @Test func fewOrdersShowNothing() {
        #expect(others(99, slow: 0, seconds: 0).complaints == ["only 99 other orders came while some were held"])
    }

    @Test(arguments: Scenarios.locks.map(\.name))
    func everyScenarioOfALockHasATimeForOtherOrders(name: String) throws {
        let scenario = try #require(Scenarios.named(name))

        #expect(scenario.othersTarget == .milliseconds(500))
        #expect(Double(scenario.settings.purchases) >= 400)
    }

    /// What is held is played by the fault, which places the order first.
    @Test func heldOrdersBeginByBeingPlaced() throws {
        let settings = try #require(Scenarios.named("ten-orders-held")).settings
        let held = ChaosLoad.plan(settings, seed: 1).purchases.filter { settings.heldPurchases.contains($0.number) }

        #expect(held.count == 10)
        #expect(held.allSatisfy { $0.steps.first == .place([0]) && $0.orders.count == 1 })
    }
}
