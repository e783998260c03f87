// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// Whatever others put into the database would run with a superuser's rights: only a migration may.
@Suite struct SuperuserTests {
    private static func environment(_ shop: Shop) -> [String: String] {
        shop.environment.merging(["COUNTERFOIL_DATABASE_URL": shop.database.url()]) { $1 }
    }

    static let writing = [
        ["worker"], ["submit", "--order", "o", "--bundle", "b", "--product", "p", "--account", "a"], ["apps", "add", "a.b"],
        ["apps", "add-sandbox-account", "b", "a"], ["products", "add", "b", "p", "--kind", "consumable"],
        ["gates", "open", "1", "--why", "x"], ["gates", "close", "1", "--why", "x"], ["jobs", "cancel", "1", "--why", "x"],
        ["jobs", "retry", "--all", "--why", "x"], ["jobs", "discard", "--all", "--why", "x"],
        ["orders", "assign", "1", "o", "--why", "x"], ["orders", "refund", "o", "--why", "x"],
        ["orders", "refund", "o", "--reversed", "--why", "x"], ["orders", "cancel", "o", "--why", "x"],
        ["payments", "ask", "1", "--bundle", "b"],
    ]

    @Test(.timeLimit(.minutes(3)), arguments: writing)
    func noCommandThatWritesWorksAsOne(_ arguments: [String]) async throws {
        try await Shop.run { shop in
            let ended = try await Program.run(arguments, environment: Self.environment(shop), input: "eyJ")

            #expect(ended.status == .exited(77))
            #expect(ended.errors.contains("counterfoil_support"))
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [["migrate"], ["check"], ["orders", "list"], ["gates"]])
    func migratingAndReadingDo(_ arguments: [String]) async throws {
        try await Shop.run { shop in
            let ended = try await Program.run(arguments, environment: Self.environment(shop))

            #expect(ended.status.isSuccess, "\(ended.errors)")
        }
    }

    /// Its rights are one `reset role` away.
    @Test(.timeLimit(.minutes(3)))
    func oneThatActsAsAnotherRoleIsOne() async throws {
        try await Shop.run { shop in
            try await shop.execute("create role \"super\" superuser login")
            let url = shop.database.url(user: "super")
            let role = url.contains("://") ? "&options=-c%20role%3Dcounterfoil_support" : " options='-c role=counterfoil_support'"

            let ended = try await Program.run(
                ["gates", "close", "1", "--why", "x"],
                environment: shop.environment.merging(["COUNTERFOIL_DATABASE_URL": url + role]) { $1 })
            try await shop.execute("drop role \"super\"")

            #expect(ended.status == .exited(77))
        }
    }
}
