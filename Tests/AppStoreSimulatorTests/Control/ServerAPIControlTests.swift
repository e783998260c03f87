// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// The control interface, where it is about the App Store Server API.
@Suite struct ServerAPIControlTests {
    private struct Made: Decodable {
        var transactionId: String
    }

    private struct Rates: Decodable {
        struct Rate: Decodable, Equatable {
            var endpoint, environment: String
            var bundleId: String?
            var perSecond, perTenSeconds: Int
        }

        var rates: [Rate]
    }

    @Test func keyIsHandedOutAndReplaced() async throws {
        try await withSimulator { simulator, client in
            let key: [String: String] = try await client.call("/simulator/api-keys/main", method: .GET).decoded()
            let new: [String: String] = try await client.call("/simulator/api-keys/main", method: .POST).decoded()

            let current = simulator.apiKey()
            #expect(
                new == [
                    "issuer_id": current.issuerID, "key_id": current.keyID, "private_key": current.privateKeyPEM,
                ])
            #expect(key["key_id"] != new["key_id"] && key["issuer_id"] == new["issuer_id"])
        }
    }

    @Test func appMayBeOfAnotherAccountAndUnreleased() async throws {
        try await withSimulator { simulator, client in
            let path = "/inApps/v1/transactions/\(try await Self.make(client))"
            let token = try TokenDraft.right(for: simulator)
            let found = try await client.call(path, method: .GET, token: token)

            let app = #"{"bundleId": "com.example.app", "account": "other"}"#
            #expect(try await client.call("/simulator/apps", body: app).code == 200)
            let foreign = try await client.call(path, method: .GET, token: token)
            let unreleased = #"{"bundleId": "com.example.app", "isReleased": false}"#
            #expect(try await client.call("/simulator/apps", body: unreleased).code == 200)
            let refused = try await client.call(path, method: .GET, token: token)

            #expect([found, foreign, refused].map(\.code) == [200, 404, 401])
        }
    }

    @Test func transactionIsProgrammed() async throws {
        try await withSimulator { simulator, client in
            let id = try await Self.make(client)
            let program = #"{"arrival": {"call": 2}, "errorCode": 4040006}"#

            let set = try await client.call("/simulator/transactions/\(id)", method: .PUT, body: program)
            var codes: [Int] = []
            for _ in 0..<2 {
                let reply = try await client.call(
                    "/inApps/v1/transactions/\(id)", method: .GET, token: try TokenDraft.right(for: simulator))
                codes.append(try reply.decoded(as: APIErrorReply.self).errorCode)
            }

            #expect(set.code == 200)
            #expect(codes == [4_040_010, 4_040_006])
        }
    }

    @Test func customersOrdersAndFinishesAreSteeredAndTold() async throws {
        try await withSimulator { simulator, client in
            let ids = [try await Self.make(client, customer: "7007"), try await Self.make(client, customer: "7007")]
            let token = try TokenDraft.right(for: simulator)
            let order = #"{"transactionIds": ["\#(ids[0])", "\#(ids[1])"]}"#

            #expect(try await client.call("/simulator/orders/MT1", method: .PUT, body: order).code == 200)
            let found = try await client.call("/inApps/v1/lookup/MT1", method: .GET, token: token)
            _ = try await client.call("/inApps/v1/transactions/\(ids[1])/finish", token: token)
            let finished: [String: [String]] = try await client.call(
                "/simulator/finished-transactions", method: .GET
            ).decoded()
            let history = try await client.call("/inApps/v2/history/7007", method: .GET, token: token)

            #expect(found.text.hasPrefix(#"{"status":0,"signedTransactions":["#))
            #expect(finished == ["transactionIds": [ids[1]]])
            #expect(history.code == 200)
        }
    }

    @Test func positionsAreForgottenOnRequest() async throws {
        try await withSimulator { simulator, client in
            struct Page: Decodable {
                var revision: String
            }
            let path = "/inApps/v2/history/\(try await Self.make(client))"
            let token = try TokenDraft.right(for: simulator)
            let page: Page = try await client.call(path, method: .GET, token: token).decoded()

            let forgotten = try await client.call("/simulator/history-positions", method: .DELETE)
            let reply = try await client.call("\(path)?revision=\(page.revision)", method: .GET, token: token)

            #expect(forgotten.code == 200)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_000_005)
        }
    }

    @Test func notificationsAreAddedAndTestsDecided() async throws {
        try await withSimulator { simulator, client in
            let id = try await Self.make(client)
            let token = try TokenDraft.right(for: simulator)
            let app = #"{"bundleId": "com.example.app", "notificationURL": "https://shop.example"}"#
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let range = #"{"startDate": \#(now - 60_000), "endDate": \#(now + 60_000)}"#

            #expect(try await client.call("/simulator/apps", body: app).code == 200)
            let added: [String: String] = try await client.call(
                "/simulator/notifications", body: #"{"notificationType": "REFUND", "transactionId": "\#(id)"}"#
            ).decoded()
            let decided = try await client.call(
                "/simulator/test-notifications", method: .PUT, body: #"{"results": ["TIMED_OUT"], "foundAfter": 1}"#)
            let test: [String: String] = try await client.call("/inApps/v1/notifications/test", token: token).decoded()
            let path = "/inApps/v1/notifications/test/\(try #require(test["testNotificationToken"]))"
            let first = try await client.call(path, method: .GET, token: token)
            let second = try await client.call(path, method: .GET, token: token)
            let history = try await client.call("/inApps/v1/notifications/history", body: range, token: token)

            #expect(added["notificationUUID"] != nil && decided.code == 200)
            #expect(try first.decoded(as: APIErrorReply.self).errorCode == 4_040_008)
            #expect(second.text.contains(#""sendAttemptResult":"TIMED_OUT""#))
            #expect(history.text.split(separator: "signedPayload").count == 3)
        }
    }

    @Test func limitIsSetAndRatesAreTold() async throws {
        try await withSimulator { simulator, client in
            let set = try await client.call(
                "/simulator/limits/getTransactionInfo/sandbox", method: .PUT, body: #"{"callsPerSecond": 0}"#)

            let reply = try await client.call(
                "/inApps/v1/transactions/1", method: .GET, token: try TokenDraft.right(for: simulator), in: .sandbox)
            let statistics: Rates = try await client.call("/simulator/statistics", method: .GET).decoded()

            #expect(set.code == 200 && reply.code == 429)
            let expected = [nil, "com.example.app"].map { bundleID in
                Rates.Rate(
                    endpoint: "getTransactionInfo", environment: "Sandbox", bundleId: bundleID, perSecond: 1,
                    perTenSeconds: 1)
            }
            #expect(statistics.rates.sorted { ($0.bundleId ?? "") < ($1.bundleId ?? "") } == expected)
        }
    }

    @Test(arguments: [
        ("/simulator/transactions/4711", HTTPMethod.PUT, "{}"), ("/simulator/orders/MT1", .PUT, "{}"),
        ("/simulator/limits/getTransactionInfo/moon", .PUT, "{}"), ("/simulator/limits/unheardOf/sandbox", .PUT, "{}"),
        ("/simulator/limits/getTransactionInfo/sandbox", .PUT, #"{"callsPerSecond": -1}"#),
        ("/simulator/notifications", .POST, #"{"notificationType": "REFUND", "transactionId": "4711"}"#),
        ("/simulator/test-notifications", .PUT, #"{"foundAfter": -1}"#),
    ])
    func requestThatMakesNoSenseIs400(path: String, method: HTTPMethod, body: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call(path, method: method, body: body)

            #expect(reply.code == 400)
        }
    }

    private static func make(_ client: SimulatorClient, customer: String = "7001") async throws -> String {
        let made: Made = try await client.call(
            "/simulator/transactions", body: #"{"productId": "coins", "appTransactionId": "\#(customer)"}"#
        ).decoded()
        return made.transactionId
    }
}
