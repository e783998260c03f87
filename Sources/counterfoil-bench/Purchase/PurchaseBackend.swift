// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import PrivatePostgres

/// A purchase of the benchmark: its order, and the transaction that Apple would sign.
struct BenchPurchase: Sendable {
    let order: String
    let bundleID: String
    let account: String
    let proof: String

    /// Purchases made just now, in turn of the apps.
    static func make(_ count: Int, _ authority: SimulatedCertificateAuthority) throws -> [BenchPurchase] {
        try (0..<count).map { number in
            let bundleID = BenchDatabase.bundleIDs[number % BenchDatabase.bundleIDs.count]
            let transaction = SimulatedTransaction(productId: BenchDatabase.product, bundleId: bundleID)
            return BenchPurchase(
                order: UUID().uuidString.lowercased(), bundleID: bundleID, account: "account-\(number % 10_007)",
                proof: try transaction.signedTransaction(by: authority))
        }
    }
}

/// A shop's backend: the role, a few connections, and prepared statements that are committed one by one.
struct PurchaseBackend: Sendable {
    private let pool: PostgresPool

    static func with<Success: Sendable>(
        _ database: BenchDatabase, connections: Int, _ body: (PurchaseBackend) async throws -> Success
    ) async throws -> Success {
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: database.server.url(user: "counterfoil_backend")), size: connections,
            logger: database.logger)
        do {
            let success = try await body(PurchaseBackend(pool: pool))
            await pool.close()
            return success
        } catch {
            await pool.close()
            throw error
        }
    }

    func buy(_ purchase: BenchPurchase) async throws {
        _ = try await pool.execute(
            BenchStatement.placeOrder,
            [.text(purchase.order), .text(purchase.bundleID), .text(BenchDatabase.product), .text(purchase.account)])
        _ = try await pool.execute(BenchStatement.uploadProof, [.text(purchase.order), .text(purchase.proof)])
    }

    func signalWorkers() async throws {
        _ = try await pool.execute(BenchStatement.signalWorkers)
    }

    /// What the client is to do.
    func poll(_ purchase: BenchPurchase) async throws -> String {
        let rows = try await pool.execute(BenchStatement.pollOrder, [.text(purchase.order), .text(purchase.account)])
        guard let row = rows.first else { throw BenchError("an order of the benchmark isn't there") }
        return try row.string(2)
    }

    /// Polls an order that was settled before.
    func expectFinish(_ purchase: BenchPurchase) async throws {
        let action = try await poll(purchase)
        guard action == "finish" else { throw BenchError("an order that was to be settled says \(action)") }
    }

    func insertBareRows(_ count: Int) async throws {
        for _ in 0..<count {
            _ = try await pool.execute(BenchStatement.insertBareRow, [.text(UUID().uuidString), "account"])
        }
    }
}
