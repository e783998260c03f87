// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import counterfoil_bench

@Suite struct ChaosShopTests {
    /// What runs deliver by is what the documents show.
    @Test func aShopIsAsTheDocumentsHaveIt() throws {
        let blocks = try Repository.text("sql/docs/delivering.md").split(separator: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sql\n") }.map { String($0.element.dropFirst(4)) }
        let sql = ShopSQL(shop: ShopSQL.documented)

        #expect(sql.makeRole.sql.hasSuffix(".\n\n" + blocks[0]))
        #expect(sql.makeGoods.sql.hasSuffix(".\n\n" + blocks[1]))
    }

    @Test func eachShopHasASchemaAndARoleOfItsOwn() {
        let neighbour = ChaosShop(name: "neighbour")

        #expect(neighbour.role == "neighbour_backend")
        #expect(neighbour.sql.makeRole.sql.contains("create schema neighbour authorization neighbour_backend;"))
        #expect(neighbour.arguments.contains("neighbour.deliver"))
        for statement in [neighbour.sql.makeGoods, neighbour.sql.deliveriesApartFromFeed, neighbour.sql.mendFunction] {
            #expect(!statement.sql.contains(ShopSQL.documented), "\(statement.name)")
        }
    }

    @Test func deliverersAreCountedOverAllShops() {
        let settings = ChaosSettings(shops: [ChaosShop(name: "shop", deliverers: 2), ChaosShop(name: "neighbour")])

        #expect(
            settings.allDeliverers.map { $0.shop.delivererName($0.number) }
                == ["shop-deliverer-1", "shop-deliverer-2", "neighbour-deliverer-1"])
    }

    @Test(arguments: Scenarios.deliveries.map(\.name))
    func everyScenarioOfDeliveriesHasAShop(name: String) throws {
        let scenario = try #require(Scenarios.named(name))

        #expect(!scenario.settings.shops.isEmpty)
        #expect(scenario.runsAlone == scenario.comparesWithCalm)
    }
}
