// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@Suite struct RateLimitTests {
    private static let begin = Date(timeIntervalSince1970: 1_769_850_000)

    @Test func callAboveTheLimitIsToldTheMillisecondOfTheNext() async throws {
        let time = ManualTime(Self.begin)
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            simulator.setRateLimit(2, for: .getTransactionInfo)
            let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()

            var replies: [SimulatorClient.Reply] = []
            for seconds in [0, 0.25, 0.5, 1, 1.125] {
                time.set(Self.begin.addingTimeInterval(seconds))
                replies.append(try await client.call("/inApps/v1/transactions/1", method: .GET, token: token))
            }

            #expect(replies.map(\.code) == [404, 404, 429, 404, 429])
            #expect(try replies[2].decoded(as: APIErrorReply.self).errorCode == 4_290_000)
            #expect(replies[2].headers.first(name: "Retry-After") == "1769850001000")
            #expect(replies[4].headers.first(name: "Retry-After") == "1769850001250")
        }
    }

    @Test func limitIsPerAppAndPerEnvironmentAndCanBeTakenAway() async throws {
        try await withSimulator { simulator, client in
            simulator.setRateLimit(0, for: .getTransactionInfo, in: .production)
            let path = "/inApps/v1/transactions/1"
            let token = try TokenDraft.right(for: simulator)

            let limited = try await client.call(path, method: .GET, token: token)
            let elsewhere = try await client.call(path, method: .GET, token: token, in: .sandbox)
            simulator.setRateLimit(1, for: .getTransactionInfo, in: .production)
            let one = try await client.call(path, method: .GET, token: token)
            let other = try await client.call(
                path, method: .GET, token: try TokenDraft.right(for: simulator, bundleID: "com.example.other"))
            simulator.setRateLimit(nil, for: .getTransactionInfo)
            let free = try await client.call(path, method: .GET, token: token)

            #expect([limited, elsewhere, one, other, free].map(\.code) == [429, 404, 404, 404, 404])
        }
    }

    @Test func mostCallsInASecondAndInTenSecondsAreMeasured() async throws {
        let time = ManualTime(Self.begin)
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            for seconds in [0, 0.5, 0.75, 1.25, 5, 10.25, 10.5, 30, 31] {
                time.set(Self.begin.addingTimeInterval(seconds))
                let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()
                _ = try await client.call("/inApps/v1/transactions/1", method: .GET, token: token)
            }
            _ = try await client.call("/inApps/v1/transactions/1", method: .GET, token: "not one")

            let rates = simulator.statistics
            let all = rates.rate(of: .getTransactionInfo, in: .production)
            let app = rates.rate(of: .getTransactionInfo, in: .production, bundleID: "com.example.app")
            // 0.5, 0.75, 1.25 and 0.5 to 10.25.
            #expect(app.perSecond == 3 && app.perTenSeconds == 5)
            #expect(all.perSecond == 3 && all.perTenSeconds == 5)
            #expect(rates.rate(of: .getTransactionInfo, in: .sandbox).perSecond == 0)
        }
    }
}
