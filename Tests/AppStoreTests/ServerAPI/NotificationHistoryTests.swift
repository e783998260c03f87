// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import AppStore

/// Get Notification History and test notifications over real HTTPS.
@Suite
struct NotificationHistoryTests {
    @Test(arguments: [(0, 1), (20, 1), (21, 2), (45, 3)])
    func everyPageIsRead(count: Int, pages: Int) async throws {
        try await SimulatedAPI.withRunning { api in
            let sent = try Self.send(count, api)

            let history = try await Self.history(api)

            #expect(history.uuids == sent.map(\.notificationUUID))
            #expect(history.isComplete)
            #expect(api.simulator.statistics.calls(to: .getNotificationHistory) == pages)
        }
    }

    @Test
    func everyTryIsToldOf() async throws {
        try await SimulatedAPI.withRunning { api in
            _ = try Self.send(1, api) { $0.results = ["TIMED_OUT", "TLS_ISSUE", "SUCCESS"] }
            let first = SigningFixture.purchaseDate
            api.time.advance(by: 14 * 3600)

            let history = try await Self.history(api)

            let attempts = try #require(history.notifications.first).attempts
            #expect(attempts.map(\.result) == ["TIMED_OUT", "TLS_ISSUE", "SUCCESS"])
            #expect(attempts.map(\.isSuccess) == [false, false, true])
            #expect(attempts.map { $0.date.timeIntervalSince(first) / 3600 } == [0, 1, 13])
        }
    }

    @Test
    func failuresLeaveTheirListOnceATrySucceeds() async throws {
        try await SimulatedAPI.withRunning { api in
            let sent = try Self.send(3, api) { $0.results = ["TIMED_OUT", "SUCCESS"] }
            let lost = try Self.send(1, api) { $0.results = ["NO_RESPONSE"] }
            _ = try Self.send(1, api)

            let before = try await Self.history(api) { $0.onlyFailures = true }
            api.time.advance(by: 3600)
            let after = try await Self.history(api) { $0.onlyFailures = true }

            #expect(Set(before.uuids) == Set((sent + lost).map(\.notificationUUID)))
            #expect(after.uuids == lost.map(\.notificationUUID))
        }
    }

    @Test
    func typeSubtypeTransactionAndTimeAreFilters() async throws {
        try await SimulatedAPI.withRunning { api in
            let charges = try Self.send(2, api)
            let refunds = try Self.send(2, api) { $0.notificationType = "REFUND" }
            let renewal = try Self.send(1, api) { notification in
                notification.notificationType = "DID_RENEW"
                notification.subtype = "BILLING_RECOVERY"
            }
            let late = try Self.send(1, api) { $0.date += 30 }
            let refunded = TransactionID(rawValue: try #require(refunds[1].transaction).transactionId)

            let byType = try await Self.history(api) { $0.filter = .type("REFUND", subtype: nil) }
            let bySubtype = try await Self.history(api) { $0.filter = .type("DID_RENEW", subtype: "BILLING_RECOVERY") }
            let byTransaction = try await Self.history(api) { $0.filter = .transaction(refunded) }
            let early = try await Self.history(api) { $0.endDate = late[0].date }

            #expect(byType.uuids == refunds.map(\.notificationUUID))
            #expect(bySubtype.uuids == renewal.map(\.notificationUUID))
            #expect(byTransaction.uuids == [refunds[1].notificationUUID])
            #expect(early.uuids == (charges + refunds + renewal).map(\.notificationUUID))
        }
    }

    @Test
    func startIsTakenForTheEarliestThatAppleAllows() async throws {
        try await SimulatedAPI.withRunning { api in
            let sent = try Self.send(1, api)

            let history = try await Self.history(api) { $0.startDate = Date(timeIntervalSince1970: -5.25) }

            #expect(history.uuids == sent.map(\.notificationUUID))
        }
    }

    @Test
    func timeBeforeTheEarliestIsEmptyWithoutACall() async throws {
        try await SimulatedAPI.withRunning { api in
            let history = try await Self.history(api) { $0.endDate = $0.startDate }

            #expect(history.notifications.isEmpty && history.isComplete)
            #expect(api.simulator.statistics.received.isEmpty)
        }
    }

    @Test
    func positionThatIsNoLongerTakenBeginsAnewWithoutRepeats() async throws {
        try await SimulatedAPI.withRunning { api in
            let sent = try Self.send(45, api)
            api.simulator.setFaults(
                FaultPlan(nextCalls: [nil, .error(code: 4_000_017)]), for: .getNotificationHistory)

            let history = try await Self.history(api)

            #expect(history.uuids == sent.map(\.notificationUUID))
            #expect(api.simulator.statistics.calls(to: .getNotificationHistory) == 5)
        }
    }

    @Test
    func numberOfPagesIsBounded() async throws {
        try await SimulatedAPI.withRunning { api in
            let sent = try Self.send(45, api)
            let query = Self.query(api)

            let part = try #require(
                try await api.client.notificationHistory(
                    matching: query, about: SimulatedAPI.bundleID, in: .production, deadline: .now + .seconds(20),
                    maximumPages: 2
                ).value)
            let rest = try #require(
                try await api.client.notificationHistory(
                    matching: query, from: part.paginationToken, about: SimulatedAPI.bundleID, in: .production,
                    deadline: .now + .seconds(20)
                ).value)

            #expect(part.uuids == sent.prefix(40).map(\.notificationUUID) && !part.isComplete)
            #expect(rest.uuids == sent.dropFirst(40).map(\.notificationUUID) && rest.isComplete)
        }
    }

    @Test
    func idThatCannotBeApplesIsRefusedWithoutACall() async throws {
        try await SimulatedAPI.withRunning { api in
            var query = Self.query(api)
            query.filter = .transaction(TransactionID(rawValue: "x"))

            let answer = try await api.client.notificationHistory(
                matching: query, about: SimulatedAPI.bundleID, in: .production, deadline: .now + .seconds(20))

            #expect(APIFinding(answer) == .refused(4_000_006))
            #expect(api.simulator.statistics.received.isEmpty)
        }
    }

    @Test
    func datesAreWholeMillisecondsWithinApplesReach() throws {
        let start = Date(timeIntervalSince1970: 1_769_800_000.0007)
        let query = NotificationHistoryQuery(from: start, until: start.addingTimeInterval(1))
        let reach = 180 * 86_400.0 - 60

        let early = try #require(query.body(now: start.addingTimeInterval(10)))
        let late = try #require(query.body(now: start.addingTimeInterval(reach + 0.5)))
        let tooLate = query.body(now: start.addingTimeInterval(reach + 2))

        #expect(early.startDate == 1_769_800_000_000 && early.endDate == 1_769_800_001_001)
        #expect(late.startDate == 1_769_800_000_500 && late.endDate == 1_769_800_001_001)
        #expect(tooLate == nil)
    }

    @Test
    func testNotificationIsAskedForAndFoundOnceItIsSent() async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.registerApp(SimulatedAPI.bundleID.rawValue, notificationURL: "https://shop.example/apple")
            api.simulator.setTestNotifications(results: ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"], foundAfter: 1)

            let token = try #require(
                try await api.client.requestTestNotification(
                    about: SimulatedAPI.bundleID, in: .sandbox, deadline: .now + .seconds(20)
                ).value)
            let before = try await Self.status(of: token, api)
            let after = try await Self.status(of: token, api)

            #expect(APIFinding(before) == .notFound(4_040_008))
            let sent = try #require(after.value)
            #expect(try Payload(sent).notificationType == "TEST")
            #expect(sent.attempts.map(\.result) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
        }
    }

    @Test
    func appWithoutAnAddressForNotificationsIsAFaultOfTheSetUp() async throws {
        try await SimulatedAPI.withRunning { api in
            let failure = await #expect(throws: VerificationFailure.self) {
                try await api.client.requestTestNotification(
                    about: SimulatedAPI.bundleID, in: .sandbox, deadline: .now + .seconds(20))
            }

            #expect(failure?.kind == .configuration)
            #expect(failure?.message.contains("ServerNotificationURLNotFound") == true)
        }
    }

    @Test(arguments: [
        ("../history", 4_000_020, 0), ("", 4_000_020, 0), ("nonsense", 4_000_020, 1),
        ("ce3af791-365e-4c60-841b-1674b43c1609_1656709489000", 4_040_008, 1),
    ])
    func tokenOfNoTestIsRefusedOrNotFound(token: String, code: Int, calls: Int) async throws {
        try await SimulatedAPI.withRunning { api in
            let answer = try await Self.status(of: TestNotificationToken(rawValue: token), api)

            #expect(APIFinding(answer) == (code == 4_040_008 ? .notFound(code) : .refused(code)))
            #expect(api.simulator.statistics.calls(to: .getTestNotificationStatus) == calls)
        }
    }

    private static func query(_ api: SimulatedAPI) -> NotificationHistoryQuery {
        NotificationHistoryQuery(from: api.time.now.addingTimeInterval(-86_400), until: api.time.now)
    }

    private static func history(
        _ api: SimulatedAPI, _ change: (inout NotificationHistoryQuery) -> Void = { _ in }
    ) async throws -> NotificationHistory {
        var query = query(api)
        change(&query)
        let answer = try await api.client.notificationHistory(
            matching: query, about: SimulatedAPI.bundleID, in: .production, deadline: .now + .seconds(20))
        return try #require(answer.value)
    }

    private static func status(
        of token: TestNotificationToken, _ api: SimulatedAPI
    ) async throws -> ServerAPIAnswer<SentNotification> {
        try await api.client.testNotificationStatus(
            of: token, about: SimulatedAPI.bundleID, in: .sandbox, deadline: .now + .seconds(20))
    }

    /// Notifications of charges, all of one moment.
    private static func send(
        _ count: Int, _ api: SimulatedAPI, _ change: (inout SimulatedNotification) -> Void = { _ in }
    ) throws -> [SimulatedNotification] {
        try (0..<count).map { _ in
            var notification = SimulatedNotification(
                "ONE_TIME_CHARGE", about: api.bought(), date: SigningFixture.purchaseDate)
            change(&notification)
            try api.simulator.addNotification(notification)
            return notification
        }
    }
}

/// What a notification says, as far as these tests look.
private struct Payload: Decodable {
    var notificationType: String
    var notificationUUID: UUID

    init(_ sent: SentNotification) throws {
        let jws = try #require(CompactJWS(sent.unverifiedPayload))
        self = try JSONDecoder().decode(Payload.self, from: Data(jws.payload))
    }
}

extension NotificationHistory {
    /// Which notifications these are, in order.
    fileprivate var uuids: [UUID] {
        notifications.compactMap { try? Payload($0).notificationUUID }
    }
}
