// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Testing
import Verification

@testable import AppStore

/// Look Up Order ID and Finish Transaction over real HTTPS.
@Suite
struct TransactionChangeTests {
    @Test
    func transactionsOfAnOrderAreFound() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(2)
            api.simulator.setOrder("MTJX2K8Q4R", transactions: bought.map(\.transactionId))

            #expect(await Self.lookUp("MTJX2K8Q4R", api).transactionIDs == bought.map(\.transactionId))
        }
    }

    @Test(arguments: ["MTJX2K8Q4X", "../MTJX2K8Q4R", "", "M Q"])
    func orderThatAppleDoesNotKnowHasNoTransactions(orderID: String) async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setOrder("MTJX2K8Q4R", transactions: [api.bought().transactionId])

            #expect(await Self.lookUp(orderID, api) == .transactions([]))
        }
    }

    @Test
    func orderOfAnotherAppIsNotShown() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought { $0.bundleId = "com.example.other" }
            api.simulator.setOrder("MTJX2K8Q4R", transactions: [bought.transactionId])

            #expect(await Self.lookUp("MTJX2K8Q4R", api) == .transactions([]))
        }
    }

    @Test
    func statusThatIsNotDocumentedIsUncertain() async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(.status(code: 7)), for: .lookUpOrderID)

            #expect(await Self.lookUp("MTJX2K8Q4R", api) == .unknownAnswer)
        }
    }

    @Test
    func finishingTwiceIsFinishingOnce() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()

            let first = await Self.finish(bought.transactionId, api)
            let second = await Self.finish(bought.transactionId, api)

            #expect(first == .done && second == .done)
            #expect(api.simulator.finishedTransactions == [bought.transactionId])
        }
    }

    @Test
    func unknownTransactionIsNotFinished() async throws {
        try await SimulatedAPI.withRunning { api in
            #expect(await Self.finish("4711", api) == .notFound(4_040_010))
            #expect(await Self.finish("1/../2", api) == .refused(4_000_006))
            #expect(api.simulator.finishedTransactions.isEmpty)
        }
    }

    /// Also what some box on the way says with status 200.
    @Test(arguments: [Fault.http(code: 503), .html, .invalidJSON])
    func finishThatGoesWrongIsTransient(fault: Fault) async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(fault), for: .finishTransaction)

            #expect(await Self.finish(api.bought().transactionId, api) == .unavailable)
        }
    }

    private static func lookUp(_ orderID: String, _ api: SimulatedAPI) async -> APIFinding {
        await APIFinding { () async throws(VerificationFailure) in
            try await api.client.transactions(
                ofOrder: orderID, of: SimulatedAPI.bundleID, deadline: .now + .seconds(20))
        }
    }

    private static func finish(_ id: String, _ api: SimulatedAPI) async -> APIFinding {
        await APIFinding(done: { () async throws(VerificationFailure) in
            try await api.client.finish(
                TransactionID(rawValue: id), of: SimulatedAPI.bundleID, in: .production,
                deadline: .now + .seconds(20))
        })
    }
}
