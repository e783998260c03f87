// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The statements about a shop, with its schema and role in place of the documents'.
struct ShopSQL: Sendable {
    static let documented = "shop"

    let shop: String

    // Scripts
    var makeRole: PostgresStatement { statement("make_shop_role", PackageResources.make_shop_role_sql) }
    var makeGoods: PostgresStatement { statement("make_goods", PackageResources.make_goods_sql) }
    var makeDeliveries: PostgresStatement { statement("make_deliveries", PackageResources.make_deliveries_sql) }
    var makeFunction: PostgresStatement { statement("make_function", PackageResources.make_function_sql) }
    var mendFunction: PostgresStatement { statement("mend_function", PackageResources.mend_function_sql) }
    var ageState: PostgresStatement { statement("age_state", PackageResources.age_state_sql) }
    var spendBalances: PostgresStatement { statement("spend_balances", PackageResources.spend_balances_sql) }

    var insertHarm: PostgresStatement { statement("insert_harm", PackageResources.insert_harm_sql) }
    var measureHarm: PostgresStatement { statement("measure_harm", PackageResources.measure_harm_sql) }
    var hasUndelivered: PostgresStatement { statement("has_undelivered", PackageResources.has_undelivered_sql) }
    var hasPassedLateChange: PostgresStatement { statement("has_passed_late_change", PackageResources.has_passed_late_change_sql) }
    var measureDeliveries: PostgresStatement { statement("measure_deliveries", PackageResources.measure_deliveries_sql) }
    /// Must return no row.
    var deliveriesApartFromFeed: PostgresStatement {
        statement(Self.judgeName, PackageResources.deliveries_apart_from_feed_sql)
    }
    static let judgeName = "deliveries_apart_from_feed"

    private func statement(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self).replacing(Self.documented, with: shop))
    }
}
