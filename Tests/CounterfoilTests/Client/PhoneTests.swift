// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import PurchaseClient

/// The client's flow against a whole installation: a database, a worker, and a simulated App Store that signs.
@Suite struct PhoneTests {
    private static func play(_ body: @escaping @Sendable (Shop) async throws -> Void) async throws {
        try await Shop.run { shop in
            try await shop.whileWorking { _ in try await body(shop) }
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    /// The transactions that were granted, with their accounts.
    private static func grants(_ shop: Shop) async throws -> [String] {
        try await shop.database.withConnection { connection in
            try await connection.execute("select account_id || ' ' || transaction_id from counterfoil.grants order by 1")
                .map { try $0.string(0) }
        }
    }

    private static func expect(_ phone: Phone, hasFinished ids: [String], _ shop: Shop) async throws {
        #expect(phone.finished.sorted() == ids.sorted())
        #expect(phone.held.isEmpty)
        #expect(try await grants(shop) == ids.sorted().map { phone.account + " " + $0 })
    }

    @Test(.timeLimit(.minutes(3)))
    func aPurchaseIsGrantedThenFinished() async throws {
        try await Self.play { shop in
            var phone = Phone("ann", shop)

            try await phone.buy()

            try await Self.expect(phone, hasFinished: phone.finished, shop)
            #expect(phone.finished.count == 1)
            #expect(phone.messages.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anUploadWhoseAnswerIsLostIsRepeatedAndGrantedOnce() async throws {
        try await Self.play { shop in
            var phone = Phone("ann", shop)
            phone.lostAnswers = 2

            try await phone.buy()

            try await Self.expect(phone, hasFinished: phone.finished, shop)
            #expect(phone.finished.count == 1)
        }
    }

    /// The parent agrees after the app was deleted and installed again: nothing is remembered.
    @Test(.timeLimit(.minutes(3)))
    func anOrderIsFoundAgainAfterAReinstall() async throws {
        try await Self.play { shop in
            var phone = Phone("ann", shop)
            phone.asksAParent = true
            try await phone.buy()
            let paid = phone.held.keys.map(\.self)
            #expect(paid.count == 1 && phone.finished.isEmpty)

            try await phone.restart()

            try await Self.expect(phone, hasFinished: paid, shop)
            try await shop.wait(until: "(select count(*) = 1 from counterfoil.orders)")
        }
    }

    /// The phone dies at once after each payment; two payments for one order, and one that no order was made for.
    @Test(.timeLimit(.minutes(3)))
    func whatAPhoneHoldsAfterItDiedIsGrantedEachOnce() async throws {
        try await Self.play { shop in
            var phone = Phone("ann", shop)
            phone.asksAParent = true
            try await phone.buy()
            try phone.keep(
                SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle, appAccountToken: phone.token))
            try phone.keep(SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle))
            let paid = phone.held.keys.map(\.self)

            try await phone.restart()
            for _ in 1...3 where !phone.held.isEmpty { try await phone.restart() }

            #expect(paid.count == 3)
            try await Self.expect(phone, hasFinished: paid, shop)
        }
    }

    /// It is bob's by its token: a person decides, and the phone keeps it.
    @Test(.timeLimit(.minutes(3)))
    func whatIsSomebodyElsesIsNotFinished() async throws {
        try await Self.play { shop in
            let bob = Phone("bob", shop)
            try await shop.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
                values ('bobs', '\(Shop.bundle)', '\(Shop.product)', 'bob', '\(bob.token)')
                """)
            var phone = Phone("ann", shop)

            try await phone.receive(
                SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle, appAccountToken: bob.token))

            #expect(phone.finished.isEmpty && phone.held.count == 1)
            #expect(phone.messages.count == 1)
            #expect(try await Self.grants(shop).contains { $0.hasPrefix("ann") } == false)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRefundedPurchaseIsFinishedAndNotGranted() async throws {
        try await Self.play { shop in
            var phone = Phone("ann", shop)
            var paid = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
            paid.revocationDate = Date()
            paid.revocationReason = 0

            try await phone.receive(paid)

            #expect(phone.finished == [paid.transactionId])
            #expect(try await Self.grants(shop) == [])
        }
    }
}
