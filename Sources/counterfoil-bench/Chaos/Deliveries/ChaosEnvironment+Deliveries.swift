// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Postgres
import Rehearsal

extension ChaosEnvironment {
    var shops: [ChaosShop] { settings.shops }

    /// Mends the shops' functions, and waits until all is delivered.
    ///
    /// - Returns: the shops that have something left when the time is up.
    func finishDeliveries() async throws -> [String] {
        let deadline = ContinuousClock.now + settings.patience
        var left = shops
        while !left.isEmpty, ContinuousClock.now < deadline {
            for shop in left {
                try? await overseer.withConnection { try await $0.executeScript(shop.sql.mendFunction.sql) }
                // A cursor that the server doesn't know has something left.
                let has = try? await overseer.execute(shop.sql.hasUndelivered).first?.bool(0)
                if has == false { left.removeAll { $0 == shop } }
            }
            if !left.isEmpty { try await Task.sleep(for: .milliseconds(500)) }
        }
        return left.map { "the deliverer of \($0.name) has something left" }
    }

    /// The differences between the shops' goods and the feed.
    func checkDeliveries() async throws -> [CheckResult] {
        var rows = try await finishDeliveries()
        for shop in shops {
            rows += try await overseer.execute(shop.sql.deliveriesApartFromFeed, timeout: .seconds(120)).map {
                "\(shop.name): \($0.summary)"
            }
        }
        return shops.isEmpty ? [] : [CheckResult(name: ShopSQL.judgeName, rows: rows)]
    }

    /// A deliverer's variables: it has nothing but its database.
    static func deliverer(
        _ deliverer: ChaosSettings.Deliverer, _ proxies: [WireProxy], _ servers: Servers, _ folder: RehearsalFolder,
        launcher: String
    ) -> WorkerEnvironment {
        let hosts = proxies.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        let attributes = proxies.count > 1 ? "&target_session_attrs=read-write" : ""
        // A pooler knows each role's way by another name of the database.
        let database = servers.pooler != nil ? deliverer.shop.role : RehearsalDatabase.name
        var environment = WorkerEnvironment(
            databaseURL: "postgresql://\(deliverer.shop.role)@\(hosts)/\(database)?sslmode=disable\(attributes)",
            productionURL: "https://127.0.0.1:\(servers.simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(servers.simulator.sandboxPort)", folder: folder, signedApps: ShopApp.allCases)
        environment.arguments = deliverer.shop.arguments
        environment.name = deliverer.shop.delivererName(deliverer.number)
        if deliverer.shop.waits { environment.program = launcher }
        return environment
    }
}

extension ChaosSettings {
    /// One deliverer's process.
    struct Deliverer: Sendable {
        let shop: ChaosShop
        /// Among its shop's, from 1.
        let number: Int
    }

    /// Of all shops.
    var allDeliverers: [Deliverer] {
        shops.flatMap { shop in (0..<shop.deliverers).map { Deliverer(shop: shop, number: $0 + 1) } }
    }
}
