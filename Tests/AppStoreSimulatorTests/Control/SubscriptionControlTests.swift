// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// Lives that are steered from the shell.
@Suite struct SubscriptionControlTests {
    private struct Told: Decodable {
        var notificationType: String
        var subtype: String?
        var originalTransactionId, transactionId, signedTransaction, signedRenewalInfo: String
        var status: Int
    }

    @Test func lifeIsBegunPlayedAndShared() async throws {
        try await withSimulator { simulator, client in
            let body = #"{"productId": "plus", "level": 2, "days": 7, "bundleId": "dev.shop", "environment": "sandbox", "#
            let begun: Told = try await client.call(
                "/simulator/subscriptions", body: body + #""date": "\#(Self.date(-8))"}"#
            ).decoded()
            let path = "/simulator/subscriptions/\(begun.originalTransactionId)"
            let renewed: Told = try await client.call(path, body: #"{"event": "renew", "date": "\#(Self.date(-1))"}"#).decoded()
            let changed: Told = try await client.call(
                path, body: #"{"event": "change", "plan": {"productId": "gold", "level": 1}}"#
            ).decoded()
            let shared: Told = try await client.call(path + "/members", body: "{}").decoded()

            #expect(begun.notificationType == "SUBSCRIBED" && begun.subtype == "INITIAL_BUY" && begun.status == 1)
            #expect(renewed.notificationType == "DID_RENEW" && renewed.originalTransactionId == begun.transactionId)
            #expect(changed.subtype == "UPGRADE" && changed.transactionId != renewed.transactionId)
            #expect(shared.originalTransactionId != begun.originalTransactionId)
            let life = try #require(simulator.subscription(begun.originalTransactionId))
            #expect(life.transactions.map(\.productId) == ["plus", "plus", "gold"])
            #expect(life.bundleID == "dev.shop" && life.environment == .sandbox)
            #expect(simulator.subscription(shared.originalTransactionId)?.current.inAppOwnershipType == "FAMILY_SHARED")
        }
    }

    /// Each event by its name; the life of each is such that the event is possible.
    @Test(arguments: [
        (["renew"], "DID_RENEW"), (["failToRenew"], "DID_FAIL_TO_RENEW"), (["failToRenew", "recover"], "DID_RENEW"),
        (["turnRenewalOff"], "DID_CHANGE_RENEWAL_STATUS"), (["turnRenewalOff", "expire"], "EXPIRED"),
        (["turnRenewalOff", "expire", "resubscribe"], "SUBSCRIBED"), (["renew", "extend"], "RENEWAL_EXTENDED"),
        (["askForRefund"], "CONSUMPTION_REQUEST"), (["declineRefund"], "REFUND_DECLINED"), (["refund"], "REFUND"),
        (["refund", "reverseRefund"], "REFUND_REVERSED"), (["announcePriceIncrease"], "PRICE_INCREASE"),
        (["announcePriceIncrease", "agreeToPriceIncrease"], "PRICE_INCREASE"),
        (["renew", "addSeats"], "DID_CHANGE_RENEWAL_PREF"), (["renew", "dropSeats"], "DID_CHANGE_RENEWAL_PREF"),
        (["renew", "refundSeats"], "REFUND"), (["renew", "redeem"], "OFFER_REDEEMED"),
        (["turnRenewalOff", "turnRenewalOn"], "DID_CHANGE_RENEWAL_STATUS"), (["graceless", "endGrace"], "GRACE_PERIOD_EXPIRED"),
    ])
    func eventHasItsName(events: [String], type: String) async throws {
        // The period has ended a day ago; the price of grace of a tenth of a day is that it is over.
        let needs = """
            "days": 1, "price": 99990, "count": 1, "reason": "OTHER", \
            "offer": {"type": 2, "discountType": "PAY_UP_FRONT", "period": "P1M"}
            """
        try await withSimulator { _, client in
            let isRunning = ["turnRenewalOff", "announcePriceIncrease"].contains(events[0]) && !events.contains("expire")
            let begun: Told = try await client.call(
                "/simulator/subscriptions",
                body: #"{"productId": "plus", "days": 7, "seats": 3, "date": "\#(Self.date(isRunning ? -1 : -8))"}"#
            ).decoded()
            let path = "/simulator/subscriptions/\(begun.originalTransactionId)"

            var last: Told?
            for event in events {
                switch event {
                case "graceless":
                    last = try await client.call(
                        path, body: #"{"event": "failToRenew", "days": 0.1, "date": "\#(Self.date(-0.95))"}"#
                    ).decoded()
                case "turnRenewalOff":
                    last = try await client.call(
                        path, body: #"{"event": "turnRenewalOff", "date": "\#(Self.date(isRunning ? -0.5 : -5))"}"#
                    ).decoded()
                default: last = try await client.call(path, body: #"{"event": "\#(event)", \#(needs)}"#).decoded()
                }
            }

            #expect(last?.notificationType == type)
        }
    }

    @Test(arguments: [
        (#"{"event": "renew"}"#, "the period hasn't nearly ended"), (#"{"event": "fly"}"#, "unknown event"),
        (#"{"event": "change"}"#, "change needs a known plan"), (#"{"event": "addSeats"}"#, "addSeats needs a known count"),
        (#"{"event": "expire", "intent": 9}"#, "expire needs a known intent"),
        (#"{"event": "change", "plan": {"productId": "gold"}, "starts": "soon"}"#, "a plan starts atOnce or atRenewal"),
        (#"{"event": "change", "plan": {"productId": "gold", "days": 0}}"#, "days and payments are more than 0"),
    ])
    func impossibleEventIsRefusedWithTheReason(body: String, reason: String) async throws {
        try await withSimulator { _, client in
            let begun: Told = try await client.call("/simulator/subscriptions", body: #"{"productId": "plus"}"#).decoded()

            let reply = try await client.call("/simulator/subscriptions/\(begun.originalTransactionId)", body: body)

            let error: [String: String] = try reply.decoded()
            #expect(reply.code == 400 && error["error"]?.contains(reason) == true, "\(error)")
        }
    }

    @Test func unknownSubscriptionIsRefused() async throws {
        try await withSimulator { _, client in
            for path in ["/simulator/subscriptions/1", "/simulator/subscriptions/1/members"] {
                let reply = try await client.call(path, body: #"{"event": "renew"}"#)
                #expect(reply.code == 400)
            }
        }
    }

    @Test func reportsAreToldAndTheLeafIsReplaced() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])
            let leaf = simulator.authority.chain[0]
            _ = try await client.call(
                "/inApps/v2/transactions/consumption/\(bought.transactionId)", method: .PUT,
                body: #"{"customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": true}"#,
                token: try TokenDraft.right(for: simulator))

            let reports = try await client.call("/simulator/consumption-reports", method: .GET).text
            let replaced = try await client.call("/simulator/signing-leaf")

            let report = #""deliveryStatus":"DELIVERED","sampleContentProvided":true"#
            #expect(reports == #"{"reports":[{"transactionId":"\#(bought.transactionId)",\#(report)}]}"#)
            #expect(replaced.code == 200 && simulator.authority.chain[0] != leaf)
        }
    }

    /// A moment so many days from now, in whole seconds.
    private static func date(_ days: Double) -> String {
        Date().addingTimeInterval(days * 86_400).formatted(.iso8601)
    }
}
