// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import Testing
import Verification

/// Searches that ask a simulated App Store, one call at a time.
@Suite
struct EnvironmentSearchRunTests {
    @Test(arguments: [(true, SimulatedEnvironment.production), (true, .sandbox), (false, .sandbox)])
    func purchaseIsFoundWhereItWasMade(isReleased: Bool, environment: SimulatedEnvironment) async throws {
        try await SimulatedAPI.withRunning(isReleased: isReleased) { api in
            let search = try await Self.search(for: api.bought(in: environment).transactionId, api)

            #expect(search.next == .found(environment == .production ? .production : .sandbox))
            #expect(search.hasShownUnreleased == !isReleased)
        }
    }

    @Test(arguments: [(true, EnvironmentSearch.Step.missing), (false, .unresolved)])
    func purchaseThatIsNowhereIsNotThereYetIfProductionSaysSo(
        isReleased: Bool, end: EnvironmentSearch.Step
    ) async throws {
        try await SimulatedAPI.withRunning(isReleased: isReleased) { api in
            let search = try await Self.search(for: "4711", api)

            #expect(search.next == end)
        }
    }

    @Test
    func keyThatWasRevokedIsAFaultOfTheSetUp() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            api.simulator.replaceAPIKey()

            let search = try await Self.search(for: bought.transactionId, api)

            #expect(search.next == .misconfigured(.production))
        }
    }

    @Test
    func productionThatIsKnownToBeClosedIsNotAsked() async throws {
        try await SimulatedAPI.withRunning(isReleased: false) { api in
            let bought = api.bought(in: .sandbox)

            let search = try await Self.search(
                for: bought.transactionId, api, from: EnvironmentSearch(isUnreleased: true))

            #expect(search.next == .found(.sandbox))
            #expect(api.simulator.statistics.calls(to: .getTransactionInfo, in: .production) == 0)
        }
    }

    private static func search(
        for id: String, _ api: SimulatedAPI, from start: EnvironmentSearch = EnvironmentSearch()
    ) async throws -> EnvironmentSearch {
        var search = start
        while case .ask(let environment) = search.next {
            let answer = try await api.client.transactionInfo(
                TransactionID(rawValue: id), of: SimulatedAPI.bundleID, in: environment, deadline: .now + .seconds(20))
            switch answer {
            case .answered: search.note(.found, in: environment)
            case .notFound: search.note(.notFound, in: environment)
            case .unauthorized: search.note(.unauthorized, in: environment)
            case .refused(let code): Issue.record("refused: \(code)")
            }
        }
        return search
    }
}
