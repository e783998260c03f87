// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// Get All Subscription Statuses of the simulator, as a stranger sees it.
@Suite struct SubscriptionStatusTests {
    private struct Answer: Decodable {
        struct Group: Decodable {
            var subscriptionGroupIdentifier: String
            var lastTransactions: [Last]
        }

        struct Last: Decodable {
            var originalTransactionId: String
            var status: Int
            var signedTransactionInfo, signedRenewalInfo: String
        }

        var environment, bundleId: String
        var appAppleId: Int64?
        var data: [Group]
    }

    private struct Transaction: Decodable {
        var transactionId: String
        var expiresDate: Int64
        var appAccountToken: String?
    }

    private struct Renewal: Decodable {
        var autoRenewProductId, originalTransactionId: String
        var autoRenewStatus: Int
    }

    @Test func newestTransactionIsShownByGroups() async throws {
        try await withSimulator { simulator, client in
            let begin = Date().addingTimeInterval(-35 * 86_400)
            let plus = SimulatedSubscription(SimulatedPlan("plus", level: 2), customer: "7007", at: begin)
            let news = SimulatedSubscription(SimulatedPlan("news"), customer: "7007", group: "20990002", at: begin)
            for life in [plus, news] { try simulator.begin(life) }
            try simulator.apply(.renew, to: plus.originalTransactionID, at: begin.addingTimeInterval(30 * 86_400))
            try simulator.apply(
                .change(to: SimulatedPlan("basic", level: 3)), to: plus.originalTransactionID,
                at: begin.addingTimeInterval(31 * 86_400))

            let answer = try await Self.ask(plus.originalTransactionID, simulator, client)

            #expect(answer.environment == "Production" && answer.bundleId == "com.example.app")
            #expect(answer.appAppleId == 1_234_567_890)
            #expect(answer.data.map(\.subscriptionGroupIdentifier) == ["20990001", "20990002"])
            #expect(answer.data.map { $0.lastTransactions.map(\.status) } == [[1], [2]])
            let last = try #require(answer.data.first?.lastTransactions.first)
            let transaction = try Self.payload(last.signedTransactionInfo, as: Transaction.self)
            let renewal = try Self.payload(last.signedRenewalInfo, as: Renewal.self)
            #expect(transaction.transactionId == simulator.subscription(plus.originalTransactionID)?.current.transactionId)
            #expect(renewal.autoRenewProductId == "basic" && renewal.autoRenewStatus == 1)
            #expect(renewal.originalTransactionId == plus.originalTransactionID)
            for text in [last.signedTransactionInfo, last.signedRenewalInfo] {
                let inspection = try await TokenInspection(text, authority: simulator.authority, signedAt: Date())
                #expect(inspection.findings == [])
            }
        }
    }

    @Test(arguments: [
        ("", [1, 2, 5]), ("?status=1", [1]), ("?status=2&status=5", [2, 5]), ("?status=3&status=4", []),
    ])
    func statusesAreFiltered(query: String, statuses: [Int]) async throws {
        try await withSimulator { simulator, client in
            let lives = [10.0, 40, 10].map { days in
                SimulatedSubscription(
                    SimulatedPlan("plus"), customer: "7007", at: Date().addingTimeInterval(-days * 86_400))
            }
            for life in lives { try simulator.begin(life) }
            try simulator.apply(.refund(), to: lives[2].originalTransactionID)

            let answer = try await Self.ask("7007" + query, simulator, client)

            #expect(answer.data.flatMap { $0.lastTransactions.map(\.status) }.sorted() == statuses)
        }
    }

    /// Nobody plays a life of what was remembered by itself.
    @Test func rememberedSubscriptionHasAStatusToo() async throws {
        try await withSimulator { simulator, client in
            var bought = SimulatedTransaction(productId: "plus", type: .autoRenewable, environment: .sandbox)
            simulator.remember([bought])
            let before = try await Self.ask(bought.transactionId, simulator, client, in: .sandbox)
            bought.revocationDate = Date()
            simulator.remember([bought])
            let after = try await Self.ask(bought.transactionId, simulator, client, in: .sandbox)

            #expect(before.appAppleId == nil && before.environment == "Sandbox")
            #expect([before, after].map { $0.data.first?.lastTransactions.first?.status } == [1, 5])
        }
    }

    @Test func customerWithoutASubscriptionHasNone() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let answer = try await Self.ask(bought.transactionId, simulator, client)

            #expect(answer.data.isEmpty)
        }
    }

    @Test(arguments: [("1?status=6", 4_000_031), ("1?status=x", 4_000_031), ("x", 4_000_006), ("1", 4_040_010)])
    func wrongCallIsRefusedWithItsCode(subject: String, code: Int) async throws {
        try await withSimulator { simulator, client in
            let reply = try await client.call(
                "/inApps/v1/subscriptions/\(subject)", method: .GET, token: try TokenDraft.right(for: simulator))

            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
        }
    }

    @Test func tokenThatIsSetCountsForAllPeriodsAndThoseToCome() async throws {
        try await withSimulator { simulator, client in
            let life = SimulatedSubscription(SimulatedPlan("plus"), at: Date().addingTimeInterval(-40 * 86_400))
            let original = life.originalTransactionID
            try simulator.begin(life)
            try simulator.apply(.renew, to: original, at: Date().addingTimeInterval(-10 * 86_400))
            let token = UUID().uuidString.lowercased()

            let set = try await client.call(
                "/inApps/v1/transactions/\(original)/appAccountToken", method: .PUT,
                body: #"{"appAccountToken": "\#(token)"}"#, token: try TokenDraft.right(for: simulator))
            try simulator.apply(.refund(of: original), to: original)
            try simulator.apply(.extend(by: 86_400), to: original)
            let answer = try await Self.ask(original, simulator, client)

            #expect(set.code == 200 && set.text.isEmpty)
            let last = try #require(answer.data.first?.lastTransactions.first)
            #expect(try Self.payload(last.signedTransactionInfo, as: Transaction.self).appAccountToken == token)
            let tokens = simulator.subscription(original)?.transactions.map { $0.appAccountToken?.uuidString.lowercased() }
            #expect(tokens == [token, token])
        }
    }

    @Test func tokenIsSetOfAnOriginalTransactionThatWasPaidFor() async throws {
        try await withSimulator { simulator, client in
            let life = SimulatedSubscription(SimulatedPlan("plus"), at: Date().addingTimeInterval(-40 * 86_400))
            try simulator.begin(life)
            let renewed = try simulator.apply(
                .renew, to: life.originalTransactionID, at: Date().addingTimeInterval(-10 * 86_400))
            let renewal = try #require(renewed.transaction)
            let member = life.member("FAMILY_SHARED", at: Date().addingTimeInterval(-39 * 86_400))
            try simulator.begin(member)
            let cases = [
                (renewal.transactionId, UUID().uuidString, 4_000_187),
                (member.originalTransactionID, UUID().uuidString, 4_000_185),
                (life.originalTransactionID, "mine", 4_000_183), ("1", UUID().uuidString, 4_040_010),
                (try #require(life.current.appTransactionId), UUID().uuidString, 4_000_048),
            ]

            for (id, token, code) in cases {
                let reply = try await client.call(
                    "/inApps/v1/transactions/\(id)/appAccountToken", method: .PUT,
                    body: #"{"appAccountToken": "\#(token)"}"#, token: try TokenDraft.right(for: simulator))
                #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
            }
        }
    }

    @Test func appTransactionIsTheCustomersAndBearsNoSigningDate() async throws {
        struct Answer: Decodable { var signedAppTransactionInfo: String }
        struct Payload: Decodable {
            var receiptType, bundleId, appTransactionId: String
            var appAppleId, signedDate: Int64?
            var environment: String?
            var receiptCreationDate: Int64
        }
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let answer: Answer = try await client.call(
                "/inApps/v1/transactions/appTransactions/\(bought.transactionId)", method: .GET,
                token: try TokenDraft.right(for: simulator)
            ).decoded()

            let payload = try Self.payload(answer.signedAppTransactionInfo, as: Payload.self)
            #expect(payload.receiptType == "Production" && payload.bundleId == "com.example.app")
            #expect(payload.appTransactionId == bought.appTransactionId && payload.appAppleId == 1_234_567_890)
            #expect(payload.signedDate == nil && payload.environment == nil && payload.receiptCreationDate > 0)
            let inspection = try await TokenInspection(
                answer.signedAppTransactionInfo, authority: simulator.authority, signedAt: Date())
            // It has neither the date nor the environment by which other texts are inspected.
            #expect(inspection.findings == [.payload])
        }
    }

    private static func ask(
        _ subject: String, _ simulator: AppStoreSimulator, _ client: SimulatorClient,
        in environment: SimulatedEnvironment = .production
    ) async throws -> Answer {
        try await client.call(
            "/inApps/v1/subscriptions/\(subject)", method: .GET, token: try TokenDraft.right(for: simulator), in: environment
        ).decoded()
    }

    private static func payload<Payload: Decodable>(_ text: String, as type: Payload.Type) throws -> Payload {
        let parts = text.split(separator: ".").map { String($0) }
        return try #require(TokenInspection.json(parts[1], as: type))
    }
}
