// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

/// Notifications of the simulator, as a stranger sees them.
@Suite struct NotificationTests {
    private struct History: Decodable {
        struct Entry: Decodable {
            struct Attempt: Decodable, Equatable {
                var attemptDate: Int64
                var sendAttemptResult: String
            }

            var signedPayload: String
            var sendAttempts: [Attempt]
        }

        var notificationHistory: [Entry]
        var hasMore: Bool
        var paginationToken: String
    }

    private struct Payload: Decodable {
        struct Content: Decodable {
            var environment, bundleId: String
            var appAppleId: Int64?
            var signedTransactionInfo: String?
        }

        var notificationType, notificationUUID, version: String
        var subtype: String?
        var signedDate: Int64
        var data: Content
    }

    private static let begin = Date(timeIntervalSince1970: 1_769_850_000)
    private static let path = "/inApps/v1/notifications/history"

    @Test func notificationIsSignedOnceAndSoIsTheTransactionInIt() async throws {
        try await Self.withSimulatorAtRest { simulator, client, time, token in
            let bought = SimulatedTransaction(productId: "coins", purchaseDate: Self.begin)
            try simulator.addNotification(
                SimulatedNotification("SUBSCRIBED", subtype: "INITIAL_BUY", about: bought, date: Self.begin))

            let first: History = try await client.call(Self.path, body: Self.body(), token: token).decoded()
            time.set(Self.begin.addingTimeInterval(600))
            let second: History = try await client.call(Self.path, body: Self.body(), token: token).decoded()

            let signed = try #require(first.notificationHistory.first?.signedPayload)
            let parts = signed.split(separator: ".").map { String($0) }
            let payload = try #require(TokenInspection.json(parts[1], as: Payload.self))
            let whole = try await TokenInspection(signed, authority: simulator.authority, signedAt: Self.begin)
            let inner = try await TokenInspection(
                try #require(payload.data.signedTransactionInfo), authority: simulator.authority, signedAt: Self.begin)
            // The environment of a notification stands inside `data`, where this inspection doesn't look.
            #expect(whole.findings == [.payload])
            #expect(inner.findings == [])
            #expect(payload.notificationType == "SUBSCRIBED" && payload.subtype == "INITIAL_BUY")
            #expect(payload.version == "2.0" && payload.signedDate == 1_769_850_000_000)
            #expect(payload.data.bundleId == "com.example.app" && payload.data.environment == "Production")
            #expect(payload.data.appAppleId == 1_234_567_890)
            #expect(second.notificationHistory.first?.signedPayload == signed)
        }
    }

    @Test func triesComeAtApplesHoursUntilOneSucceeds() async throws {
        try await Self.withSimulatorAtRest { simulator, client, time, _ in
            let bought = SimulatedTransaction(productId: "coins", purchaseDate: Self.begin)
            try simulator.addNotification(
                SimulatedNotification("REFUND", about: bought, date: Self.begin, results: ["TIMED_OUT"]))

            var counts: [Int] = []
            for hours in [0.0, 0.9, 1, 13, 37, 85, 157, 1000] {
                time.set(Self.begin.addingTimeInterval(hours * 3600))
                let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()
                let history: History = try await client.call(Self.path, body: Self.body(), token: token).decoded()
                counts.append(history.notificationHistory.first?.sendAttempts.count ?? 0)
            }

            #expect(counts == [1, 1, 2, 3, 4, 5, 6, 6])
        }
    }

    @Test func sandboxTriesOnce() async throws {
        try await Self.withSimulatorAtRest { simulator, client, time, _ in
            let bought = SimulatedTransaction(productId: "coins", environment: .sandbox, purchaseDate: Self.begin)
            try simulator.addNotification(
                SimulatedNotification("REFUND", about: bought, date: Self.begin, results: ["TIMED_OUT"]))
            time.set(Self.begin.addingTimeInterval(200 * 3600))
            let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()

            let history: History = try await client.call(
                Self.path, body: Self.body(), token: token, in: .sandbox
            ).decoded()

            #expect(
                history.notificationHistory.map(\.sendAttempts)
                    == [[.init(attemptDate: 1_769_850_000_000, sendAttemptResult: "TIMED_OUT")]])
        }
    }

    @Test(arguments: [
        ("", 4_000_000), ("[]", 4_000_000), ("{}", 4_000_015), (#"{"startDate": 1769800000000}"#, 4_000_016),
        (#"{"startDate": 1769800000000.5, "endDate": 1769900000000}"#, 4_000_015),
        (#"{"startDate": 1769800000000, "endDate": 1769900000000.25}"#, 4_000_016),
        (#"{"startDate": 1769900000000, "endDate": 1769800000000}"#, 4_000_013),
        (#"{"startDate": 1754000000000, "endDate": 1769800000000}"#, 4_000_012),
        (#"{"startDate": 1769800000000, "endDate": 1769900000000, "notificationType": "X"}"#, 4_000_018),
        (
            #"{"startDate": 1769800000000, "endDate": 1769900000000, "notificationType": "TEST", "transactionId": "1"}"#,
            4_000_019
        ),
    ])
    func bodyThatIsWrongIsRefusedWithItsCode(body: String, code: Int) async throws {
        try await Self.withSimulatorAtRest { _, client, _, token in
            let reply = try await client.call(Self.path, body: body, token: token)

            #expect(reply.code == 400)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
        }
    }

    @Test(arguments: [
        (SimulatedEnvironment.production, 179.0, true), (.production, 181, false), (.sandbox, 29, true), (.sandbox, 31, false),
    ])
    func historyReachesBackHalfAYearAndInTheSandboxAMonth(
        environment: SimulatedEnvironment, days: Double, isReached: Bool
    ) async throws {
        try await Self.withSimulatorAtRest { _, client, _, token in
            let start = Int64(Self.begin.addingTimeInterval(-days * 86_400).timeIntervalSince1970 * 1000)

            let reply = try await client.call(
                Self.path, body: #"{"startDate": \#(start), "endDate": 1769900000000}"#, token: token, in: environment)

            #expect(reply.code == (isReached ? 200 : 400))
            if !isReached { #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_000_012) }
        }
    }

    @Test func paginationTokenBelongsToItsBody() async throws {
        try await Self.withSimulatorAtRest { _, client, _, token in
            let page: History = try await client.call(Self.path, body: Self.body(), token: token).decoded()
            let path = Self.path + "?paginationToken=" + page.paginationToken

            let same = try await client.call(path, body: Self.body(), token: token)
            let other = try await client.call(path, body: Self.body(#", "onlyFailures": true"#), token: token)

            #expect(same.code == 200)
            #expect(try other.decoded(as: APIErrorReply.self).errorCode == 4_000_014)
        }
    }

    private static func body(_ more: String = "") -> String {
        #"{"startDate": 1769800000000, "endDate": 1769900000000\#(more)}"#
    }

    /// Runs a simulator whose time stands still, with a token that is good then.
    private static func withSimulatorAtRest(
        _ body: (AppStoreSimulator, SimulatorClient, ManualTime, String) async throws -> Void
    ) async throws {
        let time = ManualTime(begin)
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            try await body(simulator, client, time, try TokenDraft(simulator.apiKey(), at: time.now).signed())
        }
    }
}
