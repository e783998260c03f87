// SPDX-License-Identifier: Apache-2.0

import Postgres
import Synchronization

/// The shop's backend: knows nothing but the public SQL interface, and has the privileges of its role only.
final class Backend: Sendable {
    /// The least time between two notifications: a commit each would hold others up.
    private static let notificationInterval = Duration.milliseconds(10)

    private let pool: PostgresPool
    /// For database transactions that stay open for a while, so that they never keep others from their connections.
    private let patientPool: PostgresPool
    private let nextNotification = Mutex(ContinuousClock.now)

    init(pool: PostgresPool, patientPool: PostgresPool) {
        self.pool = pool
        self.patientPool = patientPool
    }

    func place(_ order: PlannedOrder) async throws(PostgresError) {
        _ = try await pool.execute(
            DevSQL.placeOrder,
            [
                .text(order.id), .text(order.app.bundleID), .text(order.product.productID), .text(order.accountID),
                .int4(Int32(order.quantity)), .uuid(order.token),
            ]
        )
    }

    func upload(_ proof: String, for order: String) async throws(PostgresError) {
        _ = try await pool.execute(DevSQL.uploadProof, [.text(order), .text(proof)])
        await notify()
    }

    func upload(_ proof: String, for order: String, naming account: String) async throws(PostgresError) {
        _ = try await pool.execute(DevSQL.uploadProofOfAccount, [.text(order), .text(proof), .text(account)])
        await notify()
    }

    func upload(_ proof: String, for order: String, hint transaction: String) async throws(PostgresError) {
        _ = try await pool.execute(DevSQL.uploadProofWithHint, [.text(order), .text(proof), .text(transaction)])
        await notify()
    }

    /// Makes the order unless it exists, and adds the proof unless it is pending.
    func submit(_ proof: String, for order: PlannedOrder, recovers: Bool = false) async throws(PostgresError) {
        _ = try await pool.execute(
            DevSQL.submitProof,
            [
                .text(order.id), .text(order.app.bundleID), .text(order.product.productID), .text(order.accountID),
                .text(proof), .int4(Int32(order.quantity)), .uuid(order.token), .bool(recovers),
            ]
        )
        await notify()
    }

    /// The ids of the orders that an account can still pay, oldest first.
    func openOrders(of account: String, _ product: DevProduct) async throws(PostgresError) -> [String] {
        let rows = try await pool.execute(DevSQL.findOpenOrders, [.text(account), .text(product.productID)])
        var ids: [String] = []
        for row in rows { ids.append(try row.string(0)) }
        return ids
    }

    /// Cancels an order, does something else, and commits the cancelling only then.
    func cancel(_ order: String, why: String, after body: @Sendable () async throws -> Void) async throws {
        try await patientPool.withTransaction(timeout: .seconds(120)) { connection in
            _ = try await connection.execute(DevSQL.cancelOrder, [.text(order), .text(why)])
            try await body()
        }
    }

    /// Tells workers, after the commit, that there is something to do. It may get lost.
    private func notify() async {
        let isDue = nextNotification.withLock { next in
            guard next <= .now else { return false }
            next = .now + Self.notificationInterval
            return true
        }
        if isDue { _ = try? await pool.execute(DevSQL.notifyWorkers, [.text(Assembly.channel)]) }
    }
}
