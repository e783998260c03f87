// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// A migrated database with an app and its product, and an authority that the program trusts for that app.
struct Shop: Sendable {
    static let bundle = "com.example.game"
    static let product = "coins"

    let database: MigratedDatabase
    let folder: TemporaryFolder
    let authority: SimulatedCertificateAuthority

    /// What the program is started with, as the role that workers have.
    var environment: [String: String]

    /// - Parameter simulator: the App Store that workers ask; nil: nobody answers.
    static func run(
        simulator: AppStoreSimulator? = nil, _ body: @escaping @Sendable (Shop) async throws -> Void
    ) async throws {
        try await withMigratedDatabase { database in
            try await TemporaryFolder.with { folder in
                let authority = try simulator?.authority ?? SimulatedCertificateAuthority()
                let root = try folder.write(authority.rootCertificateDER, to: "root.der")
                var environment = [
                    "COUNTERFOIL_DATABASE_URL": database.url(user: "counterfoil_worker"),
                    "COUNTERFOIL_EXTRA_ROOTS": "\(root)=\(bundle)",
                    "COUNTERFOIL_VERIFY_RECEIPT_PRODUCTION_URL": "https://127.0.0.1:9",
                    "COUNTERFOIL_VERIFY_RECEIPT_SANDBOX_URL": "https://127.0.0.1:9",
                ]
                if let simulator {
                    environment["COUNTERFOIL_TLS_ROOTS"] = try folder.write(
                        simulator.tlsCertificateAuthorityPEM.utf8, to: "tls.pem")
                    environment["COUNTERFOIL_VERIFY_RECEIPT_PRODUCTION_URL"] =
                        "https://localhost:\(simulator.productionPort)"
                    environment["COUNTERFOIL_VERIFY_RECEIPT_SANDBOX_URL"] = "https://localhost:\(simulator.sandboxPort)"
                }
                let shop = Shop(database: database, folder: folder, authority: authority, environment: environment)
                // There is no key of the App Store Server API.
                try await shop.succeed(["apps", "add", bundle, "--receipt-route", "verify_receipt"])
                try await shop.succeed(["products", "add", bundle, product, "--kind", "consumable"])
                try await body(shop)
            }
        }
    }

    /// What operators' commands are started with.
    var administration: [String: String] {
        environment.merging(["COUNTERFOIL_DATABASE_URL": database.url(user: "counterfoil_support")]) { $1 }
    }

    /// Runs a command as an operator.
    func run(_ arguments: [String], input: String = "") async throws -> Program.Ended {
        try await Program.run(arguments, environment: administration, input: input)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func succeed(_ arguments: [String], input: String = "") async throws -> String {
        let ended = try await run(arguments, input: input)
        try #require(ended.status.isSuccess, "\(arguments): \(ended.errors)")
        return ended.output
    }

    /// As a superuser, who may do that and nothing else that writes.
    @discardableResult
    func migrate() async throws -> Program.Ended {
        let ended = try await Program.run(
            ["migrate"], environment: environment.merging(["COUNTERFOIL_DATABASE_URL": database.url()]) { $1 })
        try #require(ended.status.isSuccess, "\(ended.errors)")
        return ended
    }

    /// Submits a proof over standard input.
    func submit(_ order: String, proof: String, account: String = "ann") async throws {
        try await succeed(
            [
                "submit", "--order", order, "--bundle", Self.bundle, "--product", Self.product, "--account", account,
            ], input: proof)
    }

    func order(_ id: String) async throws -> OrderReport {
        try JSONDecoder().decode(OrderReport.self, from: Data(try await succeed(["orders", "show", id, "--json"]).utf8))
    }

    /// A signed transaction for the product, honest unless `forged` says otherwise.
    func signedTransaction(forged: ForgedVariant? = nil) throws -> String {
        try SimulatedTransaction(productId: Self.product, bundleId: Self.bundle)
            .signedTransaction(by: authority, forged: forged)
    }

    /// A receipt with one purchase of the product, made just now.
    func receipt() throws -> SimulatedReceipt {
        SimulatedReceipt(
            bundleId: Self.bundle, environment: .production,
            transactions: [SimulatedTransaction(productId: Self.product, bundleId: Self.bundle)], signedBy: authority)
    }

    /// Runs a worker while `act` lasts, and drains it.
    @discardableResult
    func whileWorking(
        _ changes: [String: String] = [:], _ act: @escaping @Sendable (Program.Running) async throws -> Void
    ) async throws -> Program.Ended {
        try await Program.whileRunning(["worker"], environment: environment.merging(changes) { $1 }, act)
    }

    /// Changes the world behind the program.
    func execute(_ sql: String) async throws {
        try await database.withConnection { _ = try await $0.execute(sql) }
    }

    /// Makes an order in review with a payment that was granted to nobody, past the worker.
    func review(_ order: String, transaction: String, account: String = "ann") async throws {
        try await execute(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment)
            values ('\(order)', '\(Self.bundle)', 'coins', '\(account)', 'review', 'quantity_short', '\(transaction)', 'production')
            """)
        try await execute(
            """
            insert into counterfoil.payments (
                bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason,
                shown_by_number, account_id
            )
            values (
                '\(Self.bundle)', 'production', '\(transaction)', '\(transaction)', 'coins', 1, now(), 'quantity_short',
                \(orderNumber(order)), '\(account)'
            )
            """)
    }

    /// Waits until an expression of SQL is true.
    func wait(until condition: String) async throws {
        try await database.withConnection { try await $0.waitUntil(condition) }
    }
}
