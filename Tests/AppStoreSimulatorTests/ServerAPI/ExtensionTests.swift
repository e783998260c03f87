// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// Days that a shop gives to subscribers of the simulated store.
@Suite struct ExtensionTests {
    private struct Extended: Decodable {
        var effectiveDate: Int64
        var originalTransactionId, webOrderLineItemId: String
        var success: Bool
    }

    private struct Status: Decodable {
        var requestIdentifier: String
        var complete: Bool
        var completeDate: Int64
        var succeededCount, failedCount: Int
    }

    private static let request = #"{"extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "one"}"#
    private static let requestForAll =
        #"{"extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "all", "productId": "plus"}"#

    @Test func extensionMovesTheEnd() async throws {
        try await withSimulator { simulator, client in
            let life = try Self.begin("plus", simulator)
            let original = life.originalTransactionID

            let reply: Extended = try await client.call(
                "/inApps/v1/subscriptions/extend/\(original)", method: .PUT, body: Self.request,
                token: try TokenDraft.right(for: simulator)
            ).decoded()

            let end = life.end.addingTimeInterval(10 * 86_400)
            #expect(reply.success && reply.originalTransactionId == original)
            #expect(reply.effectiveDate == Int64((end.timeIntervalSince1970 * 1000).rounded()))
            #expect(reply.webOrderLineItemId == life.current.webOrderLineItemId)
            #expect(simulator.subscription(original)?.end == end)
        }
    }

    @Test func appHearsOfAnExtension() async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", notificationURL: "https://shop.example")
            let life = try Self.begin("plus", simulator)
            _ = try await client.call(
                "/inApps/v1/subscriptions/extend/\(life.originalTransactionID)", method: .PUT, body: Self.request,
                token: try TokenDraft.right(for: simulator))
            _ = try await client.call(
                "/inApps/v1/subscriptions/extend/mass", body: Self.requestForAll, token: try TokenDraft.right(for: simulator))

            let told = try await Told.all(simulator, client)

            #expect(told.map(\.words) == ["SUBSCRIBED INITIAL_BUY", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY"])
            #expect(told[1].data?.status == 1 && told[1].data?.signedRenewalInfo != nil)
            let summary = try #require(told[2].summary)
            #expect(told[2].data == nil && summary.requestIdentifier == "all" && summary.productId == "plus")
            #expect(summary.succeededCount == 1 && summary.failedCount == 0)
        }
    }

    @Test func allWhoHaveTheProductNowAreExtended() async throws {
        try await withSimulator { simulator, client in
            let active = try Self.begin("plus", simulator)
            let ended = try Self.begin("plus", simulator, daysAgo: 40)
            let other = try Self.begin("basic", simulator)
            let member = active.member("FAMILY_SHARED", at: Date())
            try simulator.begin(member)
            let token = try TokenDraft.right(for: simulator)

            let reply: [String: String] = try await client.call(
                "/inApps/v1/subscriptions/extend/mass", body: Self.requestForAll, token: token
            ).decoded()
            let status: Status = try await client.call(
                "/inApps/v1/subscriptions/extend/mass/plus/all", method: .GET, token: token
            ).decoded()
            let unknown = try await client.call(
                "/inApps/v1/subscriptions/extend/mass/basic/all", method: .GET, token: token)

            #expect(reply == ["requestIdentifier": "all"])
            #expect(status.requestIdentifier == "all" && status.complete && status.completeDate > 0)
            #expect(status.succeededCount == 1 && status.failedCount == 1)
            #expect(try unknown.decoded(as: APIErrorReply.self).errorCode == 4_040_009)
            let moved = [active, ended, other, member].map { life in
                simulator.subscription(life.originalTransactionID)?.end != life.end
            }
            #expect(moved == [true, false, false, false])
        }
    }

    @Test func storefrontsAreHeeded() async throws {
        try await withSimulator { simulator, client in
            let life = try Self.begin("plus", simulator)
            let body = Self.requestForAll.dropLast() + #", "storefrontCountryCodes": ["DEU"]}"#

            let reply = try await client.call(
                "/inApps/v1/subscriptions/extend/mass", body: String(body), token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 200 && simulator.subscription(life.originalTransactionID)?.end == life.end)
        }
    }

    @Test(arguments: [
        ("{}", 4_000_009), (#"{"extendByDays": 91}"#, 4_000_009), (#"{"extendByDays": 1}"#, 4_000_010),
        (#"{"extendByDays": 1, "extendReasonCode": 4}"#, 4_000_010),
        (#"{"extendByDays": 1, "extendReasonCode": 0}"#, 4_000_011), ("[]", 4_000_000),
    ])
    func wrongBodyIsRefusedWithItsCode(body: String, code: Int) async throws {
        try await withSimulator { simulator, client in
            let life = try Self.begin("plus", simulator)

            let reply = try await client.call(
                "/inApps/v1/subscriptions/extend/\(life.originalTransactionID)", method: .PUT, body: body,
                token: try TokenDraft.right(for: simulator))

            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
        }
    }

    @Test func whatCannotBeExtendedIsRefusedWithItsCode() async throws {
        try await withSimulator { simulator, client in
            let ended = try Self.begin("plus", simulator, daysAgo: 40)
            let member = try Self.begin("plus", simulator).member("FAMILY_SHARED", at: Date())
            try simulator.begin(member)
            let cases = [
                (ended.originalTransactionID, 4_030_004), (member.originalTransactionID, 4_030_007), ("1", 4_040_005),
                ("x", 4_000_008),
            ]

            for (id, code) in cases {
                let reply = try await client.call(
                    "/inApps/v1/subscriptions/extend/\(id)", method: .PUT, body: Self.request,
                    token: try TokenDraft.right(for: simulator))
                #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
            }
        }
    }

    private static func begin(
        _ product: String, _ simulator: AppStoreSimulator, daysAgo days: Double = 1
    ) throws -> SimulatedSubscription {
        let life = SimulatedSubscription(SimulatedPlan(product), at: Date().addingTimeInterval(-days * 86_400))
        try simulator.begin(life)
        return life
    }
}
