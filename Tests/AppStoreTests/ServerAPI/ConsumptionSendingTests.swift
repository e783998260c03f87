// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Send Consumption Information over real HTTPS; the simulator reads it as strictly as Apple.
@Suite struct ConsumptionSendingTests {
    private static let whole = ConsumptionAnswer(
        deliveryStatus: .delivered, consumedShare: 33_333, refundPreference: .grantProrated, sampleContentProvided: true)

    /// Whatever can be said, Apple takes. Saying it again is harmless.
    @Test(arguments: ConsumptionAnswer.DeliveryStatus.allCases)
    func everyDeliveryStatusIsTaken(status: ConsumptionAnswer.DeliveryStatus) async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            let answer = ConsumptionAnswer(deliveryStatus: status)

            for _ in 1...2 { #expect(await Self.send(answer, about: bought.transactionId, api) == .done) }

            let reports = api.simulator.consumptionReports
            #expect(reports.map(\.transactionID) == [bought.transactionId, bought.transactionId])
            #expect(reports.first?.deliveryStatus == status.rawValue.uppercased())
            #expect(reports.first?.refundPreference == nil && reports.first?.consumptionPercentage == nil)
        }
    }

    @Test(arguments: ConsumptionAnswer.RefundPreference.allCases)
    func everyPreferenceIsTaken(preference: ConsumptionAnswer.RefundPreference) async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            let answer = ConsumptionAnswer(
                deliveryStatus: .delivered, consumedShare: 33_333, refundPreference: preference, sampleContentProvided: true)

            #expect(await Self.send(answer, about: bought.transactionId, api) == .done)

            let report = try #require(api.simulator.consumptionReports.first)
            #expect(report.refundPreference == preference.rawValue.uppercased())
            #expect(report.consumptionPercentage == 33_333 && report.sampleContentProvided)
        }
    }

    @Test func whatIsNoTransactionIsNotSent() async throws {
        try await SimulatedAPI.withRunning { api in
            #expect(await Self.send(Self.whole, about: "4711", api) == .notFound(4_040_010))
            #expect(await Self.send(Self.whole, about: "1/../2", api) == .refused(4_000_006))
            #expect(api.simulator.consumptionReports.isEmpty)
        }
    }

    /// A product whose type Apple doesn't support here, and Apple's view of a preference.
    @Test(arguments: [4_000_047, 4_000_044])
    func aRefusalIsForGood(code: Int) async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(.error(code: code)), for: .sendConsumptionInformation)

            #expect(await Self.send(Self.whole, about: api.bought().transactionId, api) == .refused(code))
        }
    }

    /// Also what some box on the way says with status 200.
    @Test(arguments: [Fault.http(code: 503), .html, .invalidJSON])
    func whatGoesWrongIsTransient(fault: Fault) async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(fault), for: .sendConsumptionInformation)

            #expect(await Self.send(Self.whole, about: api.bought().transactionId, api) == .unavailable)
        }
    }

    /// The verifier's words for each: for good, for now, and the key.
    @Test func theVerifierTellsARefusalFromAFailure() async throws {
        try await SimulatedStore.withRunning { store in
            let bought = SimulatedTransaction(productId: "coins", bundleId: SimulatedStore.bundleID.rawValue)
            store.simulator.remember([bought])
            func send(_ id: String) async throws(VerificationFailure) -> String? {
                try await store.verifier.send(
                    Self.whole, about: TransactionID(rawValue: id), of: SimulatedStore.bundleID, in: .production, startingBy: nil,
                    deadline: .now + .seconds(20))
            }

            #expect(try await send(bought.transactionId) == nil)
            let unknown = await #expect(throws: VerificationFailure.self) { try await send("4711") }
            store.simulator.setFaults(.always(.error(code: 4_000_047)), for: .sendConsumptionInformation)
            let refused = try await send(bought.transactionId)
            store.simulator.setFaults(.always(.http(code: 401)), for: .sendConsumptionInformation)
            let unauthorized = await #expect(throws: VerificationFailure.self) { try await send(bought.transactionId) }

            #expect(unknown?.kind == .uncertain(.review))
            #expect(refused?.contains("4000047") == true)
            #expect(unauthorized?.kind == .credentialRefused)
        }
    }

    private static func send(_ answer: ConsumptionAnswer, about id: String, _ api: SimulatedAPI) async -> APIFinding {
        await APIFinding(done: { () async throws(VerificationFailure) in
            try await api.client.sendConsumption(
                answer, about: TransactionID(rawValue: id), of: SimulatedAPI.bundleID, in: .production,
                deadline: .now + .seconds(20))
        })
    }
}
