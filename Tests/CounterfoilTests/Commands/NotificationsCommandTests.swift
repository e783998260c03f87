// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// A notification from the body of Apple's request to what operators see.
@Suite struct NotificationsCommandTests {
    private func body(_ notification: SimulatedNotification, _ shop: Shop) throws -> String {
        #"{"signedPayload":"\#(try notification.signedPayload(by: shop.authority, appleID: 1))"}"#
    }

    private func receive(_ body: String, _ shop: Shop) async throws {
        try await shop.database.withConnection(as: "counterfoil_backend") { backend in
            _ = try await backend.execute("select counterfoil.receive_notification($1::text)", [.text(body)])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrderThatWasLostIsFoundAndItsStorySaysHow() async throws {
        try await Shop.run { shop in
            let token = UUID()
            try await shop.database.withConnection(as: "counterfoil_backend") { backend in
                _ = try await backend.execute(
                    """
                    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
                    values ('lost', $1::text, $2::text, 'ann', $3::uuid)
                    """, [.text(Shop.bundle), .text(Shop.product), .uuid(token)])
            }
            let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle, appAccountToken: token)
            var refunded = bought
            refunded.revocationDate = Date()
            let told = SimulatedNotification("ONE_TIME_CHARGE", about: bought)
            let refund = SimulatedNotification("REFUND", about: refunded, date: Date().addingTimeInterval(1))

            try await shop.whileWorking { _ in
                try await receive(body(told, shop), shop)
                try await shop.wait(until: "exists (select from counterfoil.orders where state = 'fulfilled')")
                try await receive(body(refund, shop), shop)
                try await shop.wait(until: "exists (select from counterfoil.orders where state = 'refunded')")
            }

            let story = try await shop.succeed(["orders", "show", "lost"])
            for word in ["found", "its token names the order", "notified", "ONE_TIME_CHARGE", "granted", "REFUND", "revocation"] {
                #expect(story.contains(word), "\(word) in \(story)")
            }
            let list = try await shop.succeed(["notifications", "list", "--order", "lost"])
            #expect(list.contains("ONE_TIME_CHARGE") && list.contains("REFUND") && list.contains("recorded"))
            let uuid = told.notificationUUID.uuidString.lowercased()
            let shown = try await shop.succeed(["notifications", "show", uuid])
            #expect(shown.contains("lost") && shown.contains(uuid))
            #expect(try await shop.succeed(["notifications", "replay", uuid]) == "1 notifications are queued\n")
            #expect(
                try await shop.succeed(["notifications", "catch-up"]) == "2 catch-ups are due: one for each app and environment\n")
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aForgedNotificationIsCountedAndHasNoEffect() async throws {
        try await Shop.run { shop in
            let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
            let stranger = try SimulatedCertificateAuthority()
            let forged = try SimulatedNotification("ONE_TIME_CHARGE", about: bought).signedPayload(by: stranger, appleID: 1)

            try await shop.whileWorking { _ in
                try await receive(forged, shop)
                try await shop.wait(until: "exists (select from counterfoil.refused_notifications)")
            }

            try await shop.wait(until: "not exists (select from counterfoil.notifications)")
            try await shop.wait(until: "not exists (select from counterfoil.payments)")
            try await shop.wait(
                until:
                    "exists (select from counterfoil.health where subject like 'refused notifications of%' and level = 'warning')")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [["show", "7"], ["replay", "7"], ["replay"], ["list", "--limit", "0"]])
    func whatIsNotThereIsSaid(arguments: [String]) async throws {
        try await Shop.run { shop in
            let ended = try await shop.run(["notifications"] + arguments)

            #expect(!ended.status.isSuccess)
            #expect(!ended.errors.isEmpty)
        }
    }
}
