// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

@Suite struct GateCacheTests {
    private func gate(_ lane: Int32, closedBy closer: Gate.Closer? = nil) -> Gate {
        Gate(
            lane: LaneID(rawValue: lane), bundleID: Sample.bundleID, endpoint: .verifyReceipt(.production),
            closedBy: closer)
    }

    @Test func aGateThatAFaultOfConfigurationHadClosedIsToldOnceWhenItIsOpen() {
        let cache = GateCache()
        cache.replace(with: [gate(1, closedBy: .configuration), gate(2)])
        #expect(!cache.takeMended())

        cache.replace(with: [gate(1), gate(2)])
        // Whoever looks later must not miss it.
        cache.replace(with: [gate(1), gate(2)])

        #expect(cache.takeMended())
        #expect(!cache.takeMended())
    }

    @Test(arguments: [Gate.Closer.breaker, .budget, .operator])
    func whatElseClosedAGateSaysNothingOfCredentials(closer: Gate.Closer) {
        let cache = GateCache()
        cache.replace(with: [gate(1, closedBy: closer)])
        cache.replace(with: [gate(1)])

        #expect(!cache.takeMended())
    }

    @Test func openLanesAreThoseWhoseGateIsOpen() {
        let cache = GateCache()
        cache.replace(with: [gate(1), gate(2, closedBy: .breaker), gate(3)])

        #expect(cache.openLanes == [LaneID(rawValue: 1), LaneID(rawValue: 3)])
        #expect(cache[LaneID(rawValue: 2)]?.closedBy == .breaker)
        #expect(cache[LaneID(rawValue: 4)] == nil)
    }
}
