// SPDX-License-Identifier: Apache-2.0

import EventSources
import Postgres

/// A shop in the ledger's database: a role, a schema of its own, and a function that deliverers call.
struct ChaosShop: Equatable, Sendable {
    /// The harm that its function does to one order of eight while a fault lasts. The raw value is its name in the database.
    enum Harm: String, Sendable {
        /// It raises errors of all classes, some of them at the commit, or ends its session.
        case raises
        /// It sleeps, here and there for an hour.
        case sleeps
    }

    /// Its schema.
    let name: String
    /// Processes that deliver to it: all but one stand by.
    var deliverers = 1
    /// Whether its deliverers wait until the fault begins that is about it.
    var waits = false

    /// The role that owns the schema, and by which deliverers connect.
    var role: String { name + "_backend" }
    var sql: ShopSQL { ShopSQL(shop: name) }

    /// A deliverer's arguments.
    var arguments: [String] { ["deliver", "--function", "\(name).deliver", "--state", "\(name).reader", "--from", "all"] }

    func delivererName(_ number: Int) -> String { "\(name)-deliverer-\(number)" }

    /// Makes the role, the schema, the goods and the function.
    ///
    /// - Parameters:
    ///   - admin: a superuser.
    ///   - url: of the shop's own role.
    func make(_ admin: PostgresPool, url: String) async throws {
        try await admin.withConnection { try await $0.executeScript(sql.makeRole.sql) }
        try await withOwnConnection(url) { connection in
            for script in [sql.makeGoods, sql.makeDeliveries, sql.makeFunction] { try await connection.executeScript(script.sql) }
        }
    }

    /// Opens a session of the shop's own.
    func withOwnConnection<Success: Sendable>(
        _ url: String, _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        var configuration = try PostgresConfiguration(url: url)
        configuration.isPinned = false
        let connection = try await PostgresConnection.connect(configuration, logger: .bench)
        return try await endingLast(connection.close) { try await body(connection) }
    }
}
