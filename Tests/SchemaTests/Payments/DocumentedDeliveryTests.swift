// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// The functions of sql/README.md, "Delivering", as they stand there.
@Suite struct DocumentedDeliveryTests {
    /// The statements of the section, in order: the function, who calls it, what a gap lacks, refunds.
    private static func statements() throws -> [String] {
        let text = try Repository.text("sql/README.md")
        let section = try #require(text.split(separator: "\n### ").first { $0.hasPrefix("Delivering\n") })
        return section.split(separator: "```").enumerated().filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sql\n") }
            .map { String($0.element.dropFirst(4)) }
    }

    private static func open(_ body: @Sendable (Shop, _ missing: String) async throws -> Void) async throws {
        let statements = try statements()
        try #require(statements.count == 4)
        try await Shop.open { shop in
            try await shop.run(
                """
                create schema shop;
                create table shop.deliveries (
                    bundle_id text, environment text, transaction_id text, order_id text, account_id text, product_id text,
                    quantity integer, is_refunded boolean not null default false, refunded_share numeric,
                    primary key (bundle_id, environment, transaction_id)
                )
                """)
            for statement in [statements[0], statements[1], statements[3]] { try await shop.run(statement) }
            for order in ["a", "b", "c"] { try await shop.order(order) }
            try await body(shop, statements[2])
        }
    }

    private static func deliveries(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select order_id, quantity, is_refunded, refunded_share from shop.deliveries order by order_id")
    }

    @Test func grantsAndRefundsReachTheShop() async throws {
        try await Self.open { shop, _ in
            try #require(try await shop.insertGrant("a", Payment(id: "1", quantity: 3)))
            #expect(try await Self.deliveries(shop) == ["(a,3,f,)"])

            try await shop.insertRevocation(Payment(id: "1", quantity: 3), at: 10)

            #expect(try await Self.deliveries(shop) == ["(a,3,t,100)"])
        }
    }

    @Test func theGapOfAMissingFunctionIsFoundAndDelivered() async throws {
        try await Self.open { shop, missing in
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.run("select counterfoil.deliver_by(null)")
            try #require(try await shop.insertGrant("b", Payment(id: "2", quantity: 2)))
            let imported = """
                [{"order_id": "old", "account_id": "ann", "product_id": "coins", "product_kind": "consumable", "transaction_id": "9", \
                "purchased_at": "2023-11-14T22:13:20Z"}]
                """
            try await shop.run("select counterfoil.import_grants('\(Shop.bundle)', 'production', '\(imported)')")
            #expect(try await Self.deliveries(shop) == ["(a,1,f,)"])

            for _ in 0..<2 {
                try await shop.run(missing)
                #expect(try await Self.deliveries(shop) == ["(a,1,f,)", "(b,2,f,)"])
            }
        }
    }
}
