// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Synchronization

/// The shop's backend: knows nothing but the public SQL interface, and has the privileges of its role only. Or it knows nothing but
/// the gateways.
package final class Backend: Sendable {
    /// The least time between two signals: a commit each would hold others up.
    private static let signalInterval = Duration.milliseconds(10)

    private let pool: PostgresPool
    /// For database transactions that stay open for a while, so that they never keep others from their connections.
    private let patientPool: PostgresPool
    /// The channel at which workers listen.
    private let channel = "counterfoil_jobs"
    private let patience: Duration
    private let nextSignal = Mutex(ContinuousClock.now)
    private let gateway: ShopGateway?

    /// - Parameters:
    ///   - patience: how long a statement is tried again while the database is away.
    ///   - gateway: by which orders are placed and proofs are uploaded, in place of statements.
    package init(pool: PostgresPool, patientPool: PostgresPool, patience: Duration = .zero, gateway: ShopGateway? = nil) {
        self.gateway = gateway
        self.pool = pool
        self.patientPool = patientPool
        self.patience = patience
    }

    package func place(_ order: PlannedOrder) async throws {
        if let gateway { return try await gateway.put(order) }
        try await send(
            RehearsalSQL.placeOrder, unlessRefusedBy: "order_ids_are_unique",
            [
                .text(order.id), .text(order.app.bundleID), .text(order.product.productID), .text(order.accountID),
                .int4(Int32(order.quantity)), .uuid(order.token),
            ]
        )
    }

    /// - Parameter account: whose the order is: statements needn't say it.
    package func upload(_ proof: String, for order: String, of account: String) async throws {
        if let gateway { return try await gateway.upload(proof, for: order, account: account) }
        try await send(RehearsalSQL.uploadProof, [.text(order), .text(proof)])
        await signalWorkers()
    }

    package func upload(_ proof: String, for order: String, naming account: String) async throws {
        if let gateway { return try await gateway.upload(proof, for: order, account: account) }
        try await send(RehearsalSQL.uploadProofOfAccount, [.text(order), .text(proof), .text(account)])
        await signalWorkers()
    }

    package func upload(_ proof: String, for order: String, of account: String, hint transaction: String) async throws {
        if let gateway { return try await gateway.upload(proof, for: order, account: account, hint: transaction) }
        try await send(RehearsalSQL.uploadProofWithHint, [.text(order), .text(proof), .text(transaction)])
        await signalWorkers()
    }

    /// Makes the order unless it exists, and adds the proof unless it is pending.
    package func submit(_ proof: String, for order: PlannedOrder, recovers: Bool = false) async throws {
        if let gateway { return try await gateway.put(order, proof: proof, recovers: recovers) }
        try await send(
            RehearsalSQL.submitProof,
            [
                .text(order.id), .text(order.app.bundleID), .text(order.product.productID), .text(order.accountID),
                .text(proof), .int4(Int32(order.quantity)), .uuid(order.token), .bool(recovers),
            ]
        )
        await signalWorkers()
    }

    /// The ids of the orders that an account can still pay, oldest first.
    package func openOrders(of account: String, _ product: ShopProduct) async throws -> [String] {
        if let gateway { return try await gateway.openOrders(of: account, product) }
        let rows = try await pool.execute(RehearsalSQL.findOpenOrders, [.text(account), .text(product.productID)])
        var ids: [String] = []
        for row in rows { ids.append(try row.string(0)) }
        return ids
    }

    /// Cancels an order, does something else, and commits the cancelling only then. No gateway holds a database transaction open.
    package func cancel(_ order: String, why: String, after body: @Sendable () async throws -> Void) async throws {
        try await patientPool.withTransaction(timeout: .seconds(120)) { connection in
            _ = try await connection.execute(RehearsalSQL.cancelOrder, [.text(order), .text(why)])
            try await body()
        }
    }

    /// Sends a statement, and sends it again while the database is away, as any backend would that lost its connection.
    ///
    /// What was sent may have been carried out although the answer got lost. A job is then inserted twice, which has to do
    /// no harm; an order is refused the second time.
    ///
    /// - Parameter constraint: what refuses the statement when it had been carried out.
    private func send(
        _ statement: PostgresStatement, unlessRefusedBy constraint: String? = nil, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) {
        let deadline = ContinuousClock.now + patience
        var wasSent = false
        while true {
            do throws(PostgresError) {
                _ = try await pool.execute(statement, parameters)
                return
            } catch {
                if wasSent, let constraint, error.constraint == constraint { return }
                guard error.isPassing, ContinuousClock.now < deadline else { throw error }
                wasSent = true
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Signals to workers, after the commit, that there is something to do. It may get lost.
    private func signalWorkers() async {
        let isDue = nextSignal.withLock { next in
            guard next <= .now else { return false }
            next = .now + Self.signalInterval
            return true
        }
        if isDue { _ = try? await pool.execute(RehearsalSQL.signalWorkers, [.text(channel)]) }
    }
}

extension PostgresError {
    /// Whether the database is away, full, or was too slow, or a lock was held for too long: it may come round. A commit that waits
    /// for its standby holds its locks meanwhile.
    package var isPassing: Bool {
        switch kind {
        case .timedOut, .outcomeUnknown: true
        case .server: isConnectionLoss || ["53", "55", "57", "58", "25"].contains(sqlState.map { String($0.classCode) })
        default: isConnectionLoss
        }
    }
}
