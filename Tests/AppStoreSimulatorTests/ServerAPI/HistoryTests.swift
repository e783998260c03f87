// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// Histories of the simulator, as a stranger sees them.
@Suite struct HistoryTests {
    private struct Page: Decodable {
        var revision: String
        var bundleId: String?
        var appAppleId: Int64?
        var environment: String?
        var hasMore: Bool
        var signedTransactions: [String]

        var transactionIDs: [String] {
            signedTransactions.compactMap { signed in
                let parts = signed.split(separator: ".").map { String($0) }
                return TokenInspection.json(parts[1], as: Payload.self)?.transactionId
            }
        }
    }

    private struct Payload: Decodable {
        var transactionId: String
        var revocationDate: Double?
    }

    @Test func pagesHaveTwentyTransactionsAndSayWhoseTheyAre() async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", appleID: 77)
            let bought = Self.buy(45, simulator)
            let token = try TokenDraft.right(for: simulator)

            var pages: [Page] = []
            var revision = ""
            repeat {
                let page: Page = try await client.call(
                    "/inApps/v2/history/\(bought[9].transactionId)\(revision)", method: .GET, token: token
                ).decoded()
                revision = "?revision=\(page.revision)"
                pages.append(page)
            } while pages.last?.hasMore == true && pages.count < 9

            #expect(pages.map(\.signedTransactions.count) == [20, 20, 5])
            #expect(pages.flatMap(\.transactionIDs) == bought.map(\.transactionId))
            #expect(pages.allSatisfy { $0.bundleId == "com.example.app" && $0.environment == "Production" })
            #expect(pages.allSatisfy { $0.appAppleId == 77 })
        }
    }

    @Test func transactionThatChangedComesAgain() async throws {
        try await withSimulator { simulator, client in
            let bought = Self.buy(25, simulator)
            let token = try TokenDraft.right(for: simulator)
            let path = "/inApps/v2/history/\(bought[0].transactionId)"

            let first: Page = try await client.call(path, method: .GET, token: token).decoded()
            var changed = bought[2]
            changed.revocationDate = Date()
            simulator.remember([changed])
            let second: Page = try await client.call(
                path + "?revision=\(first.revision)", method: .GET, token: token
            ).decoded()

            #expect(first.transactionIDs.contains(changed.transactionId))
            #expect(second.transactionIDs == bought.dropFirst(20).map(\.transactionId) + [changed.transactionId])
        }
    }

    @Test func historyOfTheSandboxNamesNoAppleID() async throws {
        try await withSimulator { simulator, client in
            let bought = Self.buy(1, simulator, environment: .sandbox)

            let page: Page = try await client.call(
                "/inApps/v2/history/\(bought[0].transactionId)", method: .GET,
                token: try TokenDraft.right(for: simulator), in: .sandbox
            ).decoded()

            #expect(page.environment == "Sandbox" && page.appAppleId == nil && page.transactionIDs.count == 1)
        }
    }

    @Test(arguments: [
        ("sort=UP", 4_000_021), ("startDate=x", 4_000_015), ("startDate=1.5", 4_000_015), ("endDate=-1", 4_000_016),
        ("startDate=2&endDate=1", 4_000_013), ("productType=COINS", 4_000_022), ("revoked=1", 4_000_030),
        ("inAppOwnershipType=MINE", 4_000_026), ("revision=x", 4_000_005), ("revision=", 4_000_005),
    ])
    func queryThatIsWrongIsRefusedWithItsCode(query: String, code: Int) async throws {
        try await withSimulator { simulator, client in
            let bought = Self.buy(1, simulator)

            let reply = try await client.call(
                "/inApps/v2/history/\(bought[0].transactionId)?\(query)", method: .GET,
                token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 400)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == code)
        }
    }

    /// Apple's own Python library writes `True` and `False`.
    @Test(arguments: [("true", 1), ("True", 1), ("TRUE", 1), ("false", 2), ("False", 2)])
    func booleansAreTakenInAnyCase(text: String, count: Int) async throws {
        try await withSimulator { simulator, client in
            var bought = Self.buy(3, simulator)
            bought[1].revocationDate = Date()
            simulator.remember([bought[1]])

            let page: Page = try await client.call(
                "/inApps/v2/history/\(bought[0].transactionId)?revoked=\(text)", method: .GET,
                token: try TokenDraft.right(for: simulator)
            ).decoded()

            #expect(page.transactionIDs.count == count)
        }
    }

    @Test func firstVersionLacksFinishedConsumables() async throws {
        try await withSimulator { simulator, client in
            let bought = Self.buy(2, simulator)
            let token = try TokenDraft.right(for: simulator)
            _ = try await client.call("/inApps/v1/transactions/\(bought[0].transactionId)/finish", token: token)

            var shown: [[String]] = []
            for version in ["v1", "v2"] {
                let page: Page = try await client.call(
                    "/inApps/\(version)/history/\(bought[0].transactionId)", method: .GET, token: token
                ).decoded()
                shown.append(page.transactionIDs)
            }

            #expect(shown == [[bought[1].transactionId], bought.map(\.transactionId)])
        }
    }

    @Test func revisionBelongsToItsFiltersAndCustomer() async throws {
        try await withSimulator { simulator, client in
            let (bought, others) = (Self.buy(25, simulator), Self.buy(1, simulator))
            let token = try TokenDraft.right(for: simulator)
            let path = "/inApps/v2/history/\(bought[0].transactionId)?sort=ASCENDING"
            let page: Page = try await client.call(path, method: .GET, token: token).decoded()
            let revision = "revision=\(page.revision)"

            let same = try await client.call("\(path)&\(revision)", method: .GET, token: token)
            let filtered = try await client.call("\(path)&revoked=true&\(revision)", method: .GET, token: token)
            let other = try await client.call(
                "/inApps/v2/history/\(others[0].transactionId)?sort=ASCENDING&\(revision)", method: .GET, token: token)
            simulator.forgetHistoryPositions()
            let late = try await client.call("\(path)&\(revision)", method: .GET, token: token)

            #expect([same, filtered, other, late].map(\.code) == [200, 400, 400, 400])
        }
    }

    @Test func orderLookUpIsForProductionOnly() async throws {
        try await withSimulator { simulator, client in
            let token = try TokenDraft.right(for: simulator)

            let production = try await client.call("/inApps/v1/lookup/MT1", method: .GET, token: token)
            let sandbox = try await client.call("/inApps/v1/lookup/MT1", method: .GET, token: token, in: .sandbox)

            #expect(production.code == 200 && production.text == #"{"status":1}"#)
            #expect(sandbox.code == 404 && sandbox.text == "")
        }
    }

    private static func buy(
        _ count: Int, _ simulator: AppStoreSimulator, environment: SimulatedEnvironment = .production
    ) -> [SimulatedTransaction] {
        let customer = "70" + String(Int.random(in: 1_000_000...9_999_999))
        let bought = (0..<count).map { _ in
            var transaction = SimulatedTransaction(productId: "coins", environment: environment)
            transaction.appTransactionId = customer
            return transaction
        }
        simulator.remember(bought)
        return bought
    }
}
