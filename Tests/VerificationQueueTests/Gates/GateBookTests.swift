// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

@Suite struct GateBookTests {
    private func gate(_ lane: Int32, closedBy closer: Gate.Closer? = nil) -> Gate {
        Gate(
            lane: LaneID(rawValue: lane), bundleID: Sample.bundleID, endpoint: .verifyReceipt(.production),
            closedBy: closer)
    }

    @Test func aGateThatAFaultOfConfigurationHadClosedIsToldOnceWhenItIsOpen() {
        let book = GateBook()
        book.replace(with: [gate(1, closedBy: .configuration), gate(2)])
        #expect(!book.takeMended())

        book.replace(with: [gate(1), gate(2)])
        // Whoever looks later must not miss it.
        book.replace(with: [gate(1), gate(2)])

        #expect(book.takeMended())
        #expect(!book.takeMended())
    }

    @Test(arguments: [Gate.Closer.breaker, .budget, .operator])
    func whatElseClosedAGateSaysNothingOfCredentials(closer: Gate.Closer) {
        let book = GateBook()
        book.replace(with: [gate(1, closedBy: closer)])
        book.replace(with: [gate(1)])

        #expect(!book.takeMended())
    }

    @Test func openLanesAreThoseWhoseGateIsOpen() {
        let book = GateBook()
        book.replace(with: [gate(1), gate(2, closedBy: .breaker), gate(3)])

        #expect(book.openLanes == [LaneID(rawValue: 1), LaneID(rawValue: 3)])
        #expect(book[LaneID(rawValue: 2)]?.closedBy == .breaker)
        #expect(book[LaneID(rawValue: 4)] == nil)
    }
}
