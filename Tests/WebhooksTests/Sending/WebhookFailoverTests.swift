// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import PrivatePostgres
import Rehearsal
import Synchronization
import TestSupport
import Testing
import VerificationQueue

@testable import Webhooks

/// The primary is lost, and a standby goes on: the sender begins anew by itself.
@Suite(.timeLimit(.minutes(5))) struct WebhookFailoverTests {
    private static let name = "shop"

    /// A change that was written minutes before it was committed, and not read before the primary was lost, is sent; what was sent
    /// comes again under the id that it had.
    @Test func afterAFailoverNothingIsMissingAndIDsAreTheSame() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { primary in
            try await PostgresConnection.withConnection(to: primary.url()) { admin in
                _ = try await SchemaMigrator(logger: .test).migrate(admin)
            }
            let standby = try await primary.startStandby(settings: ["fsync=off"])
            try await endingLast(standby.close) { try await Self.failOver(from: primary, to: standby) }
        }
    }

    private static func failOver(from primary: PrivatePostgresServer, to standby: PrivatePostgresServer) async throws {
        let admin = try await PostgresConnection.connect(PostgresConfiguration(url: primary.url()), logger: .test)
        try await endingLast(admin.close) {
            try await WebhookShop.with(admin, { primary.url(user: $0) }) { shop in
                try await shop.run(WebhookShop.setUp)
                try await shop.receiving { receiver, port in
                    try await shop.add(name, at: "https://127.0.0.1:\(port)")
                    try await commitLate(shop, primary, standby)
                    let before = receiver.calls
                    #expect(before.count == 4)
                    try await primary.kill()
                    try await standby.promote()
                    try await goOn(shop, standby, receiver, before: before)
                }
            }
        }
    }

    private static func commitLate(
        _ shop: WebhookShop, _ primary: PrivatePostgresServer, _ standby: PrivatePostgresServer
    ) async throws {
        try await shop.buy(["a", "b"])
        try await shop.sending { try await shop.untilNothingWaits(name) }
        try await PostgresConnection.withConnection(to: primary.url()) { late in
            try await late.executeScript(
                """
                begin;
                insert into counterfoil.changes (kind, orders, versions, at)
                values ('order_in_review', array[\(orderNumber("a"))], '{2}', clock_timestamp())
                """)
            try await shop.buy(["c", "d"])
            try await shop.sending { try await shop.untilNothingWaits(name) }
            try await late.executeScript("commit")
        }
        try await PostgresConnection.withConnection(to: standby.url()) { reader in
            try await reader.waitUntil(
                """
                (select sum(cardinality(orders)) from counterfoil.changes) = 5
                    and (select handled from counterfoil.webhook_endpoints) = 4
                """)
        }
    }

    private static func goOn(
        _ shop: WebhookShop, _ standby: PrivatePostgresServer, _ receiver: WebhookReceiver, before: [WebhookReceiver.Call]
    ) async throws {
        let log = EventLog<WebhookSender.Event>()
        try await PostgresConnection.withConnection(to: standby.url()) { admin in
            // The same certificates and secrets, on the other server.
            let shop = WebhookShop(url: { standby.url(user: $0) }, admin: admin, simulator: shop.simulator, folder: shop.folder)
            try await shop.buy(["e"])
            try await shop.sending(log: log) {
                try await eventually("what was not sent is sent") {
                    Set(receiver.calls.map(\.order)).contains("e")
                        && receiver.calls.contains { $0.member("type") == "order_in_review" }
                }
                try await shop.untilNothingWaits(name)
            }
        }

        #expect(log.all.contains(.beganAnew(endpoint: name)))
        let byChange = Dictionary(grouping: receiver.calls) { $0.member("id") ?? "" }
        #expect(byChange.count == 6)
        #expect(byChange.values.allSatisfy { Set($0.map(\.id)).count == 1 && Set($0.map(\.body)).count == 1 })
        #expect(Set(before.map(\.id)).isSubset(of: receiver.calls.map(\.id)))
    }
}
