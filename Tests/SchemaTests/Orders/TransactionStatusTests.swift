// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct TransactionStatusTests {
    /// `status reason order account client_action` of a transaction, as a backend reads it.
    private func status(_ shop: Shop, _ id: String) async throws -> [String] {
        try await shop.rows(
            """
            select status, reason, order_id, account_id, client_action from counterfoil.transaction_status
            where bundle_id = '\(Shop.bundle)' and transaction_id = '\(id)'
            """, as: shop.backend
        )
    }

    @Test func whatNobodyShowedIsUnknown() async throws {
        try await Shop.open { shop in
            let status = try await status(shop, "1")

            #expect(status == [])
        }
    }

    @Test func aGrantedOneNamesItsOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            #expect(try await status(shop, "1") == ["(granted,,a,ann,finish)"])
        }
    }

    @Test(arguments: [("no_order", "contact_support"), ("order_cancelled", "contact_support"), ("renewal", "finish")])
    func anUnclaimedOneSaysWhy(reason: String, action: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: reason)

            #expect(try await status(shop, "1") == ["(unclaimed,\(reason),,ann,\(action))"])
        }
    }

    @Test func aRefundedGrantIsRevoked() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await status(shop, "1") == ["(revoked,refunded,a,ann,finish)"])
        }
    }

    @Test func aRefundThatPrecedesAnyGrantIsRevoked() async throws {
        try await Shop.open { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.insertRevocation(Payment(id: "1"), at: 11)

            #expect(try await status(shop, "1") == ["(revoked,refunded,,,finish)"])
        }
    }

    @Test func anUnclaimedOneThatIsTakenBackUnderAnotherIDIsRevoked() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            let payment = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")
            try await shop.insertUnclaimed([("a", payment)])

            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            #expect(try await status(shop, "2") == ["(revoked,refunded,,,finish)"])

            try await shop.insertRevocation(payment, at: 11)
            #expect(try await status(shop, "2") == ["(revoked,refunded,,,finish)"])
        }
    }

    @Test func aReversedRefundIsGrantedAgain() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            try await shop.insertReversal(Payment(id: "1"), at: 20)

            #expect(try await status(shop, "1") == ["(granted,,a,ann,finish)"])
        }
    }

    @Test func aRefundAfterAReversalStands() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.insertReversal(Payment(id: "1"), at: 20)

            try await shop.insertRevocation(Payment(id: "1"), at: 30)

            #expect(try await status(shop, "1") == ["(revoked,refunded,a,ann,finish)"])
        }
    }

    @Test func bothEnvironmentsAreFound() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
            }
            try #require(try await shop.insertGrant("a", Payment(id: "1", environment: "production")))
            try #require(try await shop.insertGrant("b", Payment(id: "1", environment: "sandbox")))

            #expect(Set(try await status(shop, "1")) == ["(granted,,a,ann,finish)", "(granted,,b,ann,finish)"])
        }
    }
}
