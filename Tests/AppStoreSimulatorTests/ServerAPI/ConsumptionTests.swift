// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// Send Consumption Information of the simulator, in both versions.
@Suite struct ConsumptionTests {
    private static let right = #"{"customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false"#

    @Test func reportIsTakenAndKept() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let reply = try await Self.send(
                Self.right + #", "refundPreference": "GRANT_PRORATED", "consumptionPercentage": 40000}"#, about: bought, simulator,
                client)

            let report = try #require(simulator.consumptionReports.first)
            #expect(reply.code == 202 && reply.text.isEmpty && simulator.consumptionReports.count == 1)
            #expect(report.transactionID == bought.transactionId && report.deliveryStatus == "DELIVERED")
            #expect(report.refundPreference == "GRANT_PRORATED" && report.consumptionPercentage == 40_000)
            #expect(!report.sampleContentProvided)
        }
    }

    @Test(arguments: [
        ("", 4_000_000), ("[]", 4_000_000), ("{}", 4_000_035), (#"{"customerConsented": false}"#, 4_000_035),
        (#"{"customerConsented": "true"}"#, 4_000_035), (#"{"customerConsented": true}"#, 4_000_036),
        (#"{"customerConsented": true, "deliveryStatus": "LOST"}"#, 4_000_036),
        (#"{"customerConsented": true, "deliveryStatus": "DELIVERED"}"#, 4_000_041),
        (right + #", "refundPreference": "MAYBE"}"#, 4_000_044), (right + #", "refundPreference": 1}"#, 4_000_044),
        (right + #", "consumptionPercentage": 100001}"#, 4_000_000),
        (right + #", "refundPreference": "GRANT_PRORATED"}"#, 4_000_000),
        (right + #", "refundPreference": "GRANT_PRORATED", "consumptionPercentage": 0}"#, 4_000_000),
    ])
    func wrongReportIsRefusedWithItsCode(body: String, code: Int) async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let reply = try await Self.send(body, about: bought, simulator, client)

            #expect(reply.code == 400 && simulator.consumptionReports.isEmpty)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
        }
    }

    @Test(arguments: [("", 202), (#", "refundPreference": "GRANT_PRORATED""#, 202), (#", "consumptionPercentage": 1000"#, 400)])
    func periodIsNeverConsumedInPart(more: String, code: Int) async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "plus", type: .autoRenewable)
            simulator.remember([bought])

            let reply = try await Self.send(Self.right + more + "}", about: bought, simulator, client)

            #expect(reply.code == UInt(code))
        }
    }

    @Test(arguments: [
        (#"{"customerConsented": true, "deliveryStatus": 0, "playTime": 7, "appAccountToken": ""}"#, nil as Int?),
        (#"{"customerConsented": false}"#, 4_000_035), (#"{"customerConsented": true, "accountTenure": 8}"#, 4_000_032),
        (#"{"customerConsented": true, "appAccountToken": "mine"}"#, 4_000_033),
        (#"{"customerConsented": true, "consumptionStatus": 4}"#, 4_000_034),
        (#"{"customerConsented": true, "deliveryStatus": 6}"#, 4_000_036),
        (#"{"customerConsented": true, "lifetimeDollarsPurchased": 8}"#, 4_000_037),
        (#"{"customerConsented": true, "lifetimeDollarsRefunded": -1}"#, 4_000_038),
        (#"{"customerConsented": true, "platform": 3}"#, 4_000_039), (#"{"customerConsented": true, "playTime": 8}"#, 4_000_040),
        (#"{"customerConsented": true, "userStatus": "1"}"#, 4_000_042),
        (#"{"customerConsented": true, "refundPreference": 4}"#, 4_000_044),
    ])
    func firstVersionHasNumbers(body: String, code: Int?) async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let reply = try await Self.send(body, about: bought, simulator, client, version: 1)

            if let code {
                #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
            } else {
                #expect(reply.code == 202 && simulator.consumptionReports.map(\.deliveryStatus) == ["0"])
            }
        }
    }

    private static func send(
        _ body: String, about bought: SimulatedTransaction, _ simulator: AppStoreSimulator, _ client: SimulatorClient,
        version: Int = 2
    ) async throws -> SimulatorClient.Reply {
        try await client.call(
            "/inApps/v\(version)/transactions/consumption/\(bought.transactionId)", method: .PUT, body: body,
            token: try TokenDraft.right(for: simulator))
    }
}
