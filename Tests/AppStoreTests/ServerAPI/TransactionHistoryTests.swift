// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import AppStore

/// Get Transaction History and Get Refund History over real HTTPS.
@Suite
struct TransactionHistoryTests {
    @Test(arguments: [(1, 1), (20, 1), (21, 2), (45, 3)])
    func everyPageIsRead(count: Int, pages: Int) async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(count)

            let history = try await Self.history(of: bought[count / 2].transactionId, api)

            #expect(history.ids == bought.map(\.transactionId))
            #expect(history.isComplete)
            #expect(api.simulator.statistics.calls(to: .getTransactionHistory) == pages)
        }
    }

    @Test
    func historyIsFoundByTheCustomersIDAndIsOnlyTheirs() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(3)
            _ = api.bought(2)

            let history = try await Self.history(of: try #require(bought[0].appTransactionId), api)

            #expect(history.ids == bought.map(\.transactionId))
        }
    }

    @Test
    func newestComeFirstWhenAsked() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(25)
            var query = HistoryQuery()
            query.order = .newestFirst

            let history = try await Self.history(of: bought[0].transactionId, matching: query, api)

            #expect(history.ids == bought.reversed().map(\.transactionId))
        }
    }

    @Test
    func everyFilterIsSentAtEveryPage() async throws {
        try await SimulatedAPI.withRunning { api in
            let odd = "odd &=+%/ü"
            let bought = api.bought(130) { number, transaction in
                transaction.productId = number % 2 == 0 ? "com.example.app.coins" : odd
                if number % 3 == 0 { transaction.type = .nonConsumable }
                if number % 5 == 0 { transaction.revocationDate = transaction.purchaseDate }
                if number % 7 == 0 { transaction.inAppOwnershipType = "FAMILY_SHARED" }
            }
            var query = HistoryQuery()
            query.startDate = bought[4].purchaseDate
            query.endDate = bought[124].purchaseDate
            query.productIDs = [ProductID(rawValue: odd), ProductID(rawValue: "none")]
            query.productKinds = [.consumable, .autoRenewable]
            query.ownership = .purchased
            query.isRevoked = false

            let history = try await Self.history(of: bought[0].transactionId, matching: query, api)

            let expected = (4..<124).filter { $0 % 2 == 1 && $0 % 3 != 0 && $0 % 5 != 0 && $0 % 7 != 0 }
            #expect(history.ids == expected.map { bought[$0].transactionId })
            #expect(api.simulator.statistics.calls(to: .getTransactionHistory) > 1)
        }
    }

    @Test
    func transactionThatChangesBetweenPagesIsThereOnceAsItIsNow() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(30)
            var program = TransactionProgram()
            // The second page is the second call about it.
            program.refund = ReceiptProgram.Refund(at: .call(2))
            api.simulator.setProgram(program, forTransaction: bought[3].transactionId)

            let history = try await Self.history(of: bought[0].transactionId, api)

            #expect(history.ids == bought.map(\.transactionId))
            #expect(history.transactions.all[3].revocation?.date == api.time.now)
            #expect(history.transactions.all.filter { $0.revocation != nil }.count == 1)
        }
    }

    @Test
    func laterHistoryGoesOnWhereTheEarlierWasLeft() async throws {
        try await SimulatedAPI.withRunning { api in
            let first = api.bought(25)
            let before = try await Self.history(of: first[0].transactionId, api)
            let nothing = try await Self.history(of: first[0].transactionId, from: before.revision, api)
            let second = api.bought(2) { $1.appTransactionId = first[0].appTransactionId }

            let after = try await Self.history(of: first[0].transactionId, from: nothing.revision, api)

            #expect(nothing.ids == [])
            #expect(after.ids == second.map(\.transactionId))
        }
    }

    @Test
    func positionThatIsNoLongerTakenBeginsAnew() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(25)
            let before = try await Self.history(of: bought[0].transactionId, api)
            api.simulator.forgetHistoryPositions()

            let after = try await Self.history(of: bought[0].transactionId, from: before.revision, api)

            #expect(after.ids == bought.map(\.transactionId))
            #expect(
                api.simulator.statistics.calls(
                    to: .getTransactionHistory, in: .production, as: .answered(http: 400, status: 4_000_005)) == 1)
        }
    }

    @Test
    func positionsThatAreRefusedAgainAndAgainAreUncertain() async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(.error(code: 4_000_005)), for: .getTransactionHistory)

            let withPosition = await Self.finding(of: "1", from: "x", api)
            let without = await Self.finding(of: "1", from: nil, api)

            #expect(withPosition == .unknownAnswer && without == .unknownAnswer)
            #expect(api.simulator.statistics.calls(to: .getTransactionHistory) == 3)
        }
    }

    @Test
    func numberOfPagesIsBounded() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(45)

            let part = try await Self.history(of: bought[0].transactionId, api, maximumPages: 2)
            let rest = try await Self.history(of: bought[0].transactionId, from: part.revision, api)

            #expect(part.ids == bought.prefix(40).map(\.transactionId) && !part.isComplete)
            #expect(rest.ids == bought.dropFirst(40).map(\.transactionId) && rest.isComplete)
        }
    }

    @Test
    func failureOnALaterPageIsAFailureOfAll() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(45)
            api.simulator.setFaults(
                FaultPlan(nextCalls: [nil, .error(code: 5_000_001)]), for: .getTransactionHistory)

            #expect(await Self.finding(of: bought[0].transactionId, from: nil, api) == .unavailable)
        }
    }

    @Test
    func oneForgedTransactionSpeaksAgainstTheWholeAnswer() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(3)
            var program = TransactionProgram()
            program.forged = .wrongLeafOID
            api.simulator.setProgram(program, forTransaction: bought[1].transactionId)

            #expect(await Self.finding(of: bought[0].transactionId, from: nil, api) == .unknownAnswer)
        }
    }

    @Test
    func unknownCustomerIsNotFound() async throws {
        try await SimulatedAPI.withRunning { api in
            #expect(await Self.finding(of: "4711", from: nil, api) == .notFound(4_040_010))
            #expect(await Self.finding(of: "../1", from: nil, api) == .refused(4_000_006))
        }
    }

    @Test
    func refundsComeInTheOrderInWhichTheyWereMade() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(50) { number, transaction in
                guard number >= 10 else { return }
                transaction.revocationDate = SigningFixture.purchaseDate.addingTimeInterval(Double(100 - number))
            }

            let answer = try await api.client.refundHistory(
                of: TransactionID(rawValue: bought[0].transactionId), about: SimulatedAPI.bundleID, in: .production,
                deadline: .now + .seconds(20))

            let history = try #require(answer.value)
            #expect(history.ids == bought.dropFirst(10).reversed().map(\.transactionId))
            #expect(history.isComplete)
            #expect(api.simulator.statistics.calls(to: .getRefundHistory) == 2)
        }
    }

    @Test
    func laterRefundsAreReadFromWhereTheEarlierWereLeft() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(2) { $1.revocationDate = $1.purchaseDate }
            let id = TransactionID(rawValue: bought[0].transactionId)
            let before = try await api.client.refundHistory(
                of: id, about: SimulatedAPI.bundleID, in: .production, deadline: .now + .seconds(20))
            let later = api.bought(1) {
                $1.appTransactionId = bought[0].appTransactionId
                $1.revocationDate = SigningFixture.purchaseDate.addingTimeInterval(30)
            }

            let after = try await api.client.refundHistory(
                of: id, from: before.value?.revision, about: SimulatedAPI.bundleID, in: .production,
                deadline: .now + .seconds(20))

            #expect(before.value?.ids == bought.map(\.transactionId))
            #expect(after.value?.ids == later.map(\.transactionId))
        }
    }

    private static func history(
        of id: String, matching query: HistoryQuery = HistoryQuery(), from revision: String? = nil,
        _ api: SimulatedAPI, maximumPages: Int = AppStoreServerClient.maximumPages
    ) async throws -> TransactionHistory {
        let answer = try await api.client.transactionHistory(
            of: TransactionID(rawValue: id), matching: query, from: revision, about: SimulatedAPI.bundleID,
            in: .production, deadline: .now + .seconds(20), maximumPages: maximumPages)
        return try #require(answer.value)
    }

    private static func finding(of id: String, from revision: String?, _ api: SimulatedAPI) async -> APIFinding {
        await APIFinding { () async throws(VerificationFailure) in
            try await api.client.transactionHistory(
                of: TransactionID(rawValue: id), from: revision, about: SimulatedAPI.bundleID, in: .production,
                deadline: .now + .seconds(20)
            ).map { $0.transactions }
        }
    }
}

extension TransactionHistory {
    /// Ids in order.
    fileprivate var ids: [String] {
        transactions.all.map(\.id.rawValue)
    }
}
