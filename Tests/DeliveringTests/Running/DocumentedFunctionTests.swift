// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@testable import Delivering

/// The function of sql/docs/delivering.md, as it stands there.
@Suite struct DocumentedFunctionTests {
    private static func open(_ body: @Sendable (DeliveryShop, _ isThere: String) async throws -> Void) async throws {
        let blocks = try Repository.text("sql/docs/delivering.md").split(separator: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sql\n") }.map { String($0.element.dropFirst(4)) }
        try #require(blocks.count == 3)
        try await DeliveryShop.open { shop in
            // Roles belong to the whole server.
            let role = shop.role + "_2"
            try await shop.run("drop schema shop cascade")
            try await shop.run(blocks[0].replacing("shop_backend", with: role))
            try await shop.run("set role \(role); \(blocks[1]); reset role")
            let url = shop.url.replacing(shop.role, with: role)
            try await body(DeliveryShop(url: url, role: role, admin: shop.admin), blocks[2])
        }
    }

    private static let balances = "select sum(coins) from shop.balances"

    @Test func goodsComeAndGoWithTheirPayment() async throws {
        try await Self.open { shop, isThere in
            try await shop.buy(["a", "b", "c"])
            try await shop.refund("b")
            try await shop.tellShare(of: "c", 30)
            try await shop.delivering { try await shop.admin.waitUntil("(\(Self.balances)) = 170") }

            #expect(
                try await shop.rows("select order_id, coins, taken_back from shop.goods order by 1") == [
                    "(a,100,0)", "(b,100,100)", "(c,100,30)",
                ])
            #expect(try await shop.admin.execute(isThere, [.text("a")])[0].bool(0))
            #expect(try await !shop.admin.execute(isThere, [.text("z")])[0].bool(0))
        }
    }

    /// As after a restore that left the shop's tables alone.
    @Test func aSecondDeliveryOfTheWholeFeedChangesNothing() async throws {
        try await Self.open { shop, _ in
            try await shop.buy(["a", "b", "c"])
            try await shop.tellShare(of: "b", 30)
            try await shop.refund("b")
            for state in ["shop.reader", "shop.another"] {
                try await shop.delivering(try shop.plan(state: state)) {
                    try await shop.admin.waitUntil("to_regclass('\(state)') is not null")
                    try await shop.admin.waitUntil("(select delivered from \(state)) = 5")
                }
                #expect(try await shop.value(Self.balances) == "200", "\(state)")
            }
        }
    }
}

extension DeliveryShop {
    /// Tells the feed of a partial refund, in percent.
    fileprivate func tellShare(of order: String, _ percent: Int) async throws {
        try await run(
            """
            insert into counterfoil.changes (kind, orders, versions, share)
            values ('order_partly_refunded', array[\(orderNumber(order))], '{2}', \(percent * 1000))
            """)
    }
}
