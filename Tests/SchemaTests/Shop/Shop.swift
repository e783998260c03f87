// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// A database of its own with one app and its products, and a connection of each role.
struct Shop: Sendable {
    static let bundle = "com.example.game"

    let database: MigratedDatabase

    /// A superuser: what a test does to the world.
    let admin: PostgresConnection
    let backend: PostgresConnection
    let worker: PostgresConnection

    static func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { admin in
                try await database.withConnection(as: "counterfoil_backend") { backend in
                    try await database.withConnection(as: "counterfoil_worker") { worker in
                        let shop = Shop(database: database, admin: admin, backend: backend, worker: worker)
                        try await shop.run(
                            """
                            insert into counterfoil.apps (bundle_id) values ('\(bundle)');
                            insert into counterfoil.products (bundle_id, product_id, kind) values
                                ('\(bundle)', 'coins', 'consumable'), ('\(bundle)', 'pro', 'non_consumable'),
                                ('\(bundle)', 'plus', 'auto_renewable')
                            """
                        )
                        try await body(shop)
                    }
                }
            }
        }
    }

    /// Runs statements as the superuser.
    func run(_ script: String) async throws {
        try await admin.executeScript(script)
    }

    /// The rows of a query as text, such as `(a,1,)`.
    func rows(_ query: String, as connection: PostgresConnection? = nil) async throws -> [String] {
        try await (connection ?? admin).execute("select listed::text from (\(query)) listed").map { try $0.string(0) }
    }

    /// The only value of a query as text; nil when it is null or there is no row.
    func value(_ query: String) async throws -> String? {
        try await admin.execute("select (\(query))::text").first?.optionalString(0)
    }

    func count(_ from: String) async throws -> Int {
        Int(try await admin.execute("select count(*) from \(from)")[0].int64(0))
    }

    /// The names of the checks that find something.
    func faults() async throws -> [String] {
        var faults: [String] = []
        for check in SQLFile.checks where try await !admin.execute(check.statement).isEmpty {
            faults.append(check.name)
        }
        return faults
    }

    // MARK: The shop's own statements

    func order(_ id: String, product: String = "coins", account: String = "ann", token: UUID? = nil) async throws {
        _ = try await backend.execute(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
            values ($1::text, $2::text, $3::text, $4::text, $5::uuid)
            """, [.text(id), .text(Self.bundle), .text(product), .text(account), .uuid(token)]
        )
    }

    /// Uploads a proof; returns the job's id.
    @discardableResult
    func upload(_ order: String, _ proof: String = "eyJ", hint: String? = nil) async throws -> Int64 {
        _ = try await backend.execute(
            "insert into counterfoil.jobs (order_id, proof, transaction_id) values ($1::text, $2::text, $3::text)",
            [.text(order), .text(proof), .text(hint)]
        )
        return try await admin.execute("select max(id) from counterfoil.jobs")[0].int64(0)
    }

    /// The lane of a route; its environment is null for `local`.
    func lane(_ route: String = "local", _ environment: String? = nil) async throws -> Int32 {
        try await admin.execute(
            """
            select lane from counterfoil.gates
            where bundle_id = $1::text and route = $2::text and environment is not distinct from $3::text
            """, [.text(Self.bundle), .text(route), .text(environment)]
        )[0].int32(0)
    }
}

/// Who refused a statement, and by which rule.
struct Refusal: Hashable, CustomStringConvertible {
    let sqlState: String
    let constraint: String?

    var description: String { "\(sqlState) \(constraint ?? "-")" }

    init(_ sqlState: String, _ constraint: String? = nil) {
        self.sqlState = sqlState
        self.constraint = constraint
    }

    /// Runs `body` and returns how the server refused it; nil when it didn't.
    ///
    /// - Parameter isExpected: errors that are no refusal.
    static func of(
        _ body: () async throws -> Void, catching isExpected: (any Error) -> Bool = { _ in false }
    ) async throws -> Refusal? {
        do {
            try await body()
            return nil
        } catch let error as PostgresError {
            guard let state = error.sqlState else { throw error }
            return Refusal(state.rawValue, error.constraint)
        } catch where isExpected(error) {
            return nil
        }
    }
}
