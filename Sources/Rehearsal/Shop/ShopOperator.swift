// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Verification
import VerificationQueue

/// The shop's operator, who records what Apple told nobody but the shop.
package struct ShopOperator: Sendable {
    private let pool: PostgresPool
    private let overseer: PostgresPool
    private let patience: Duration

    /// - Parameters:
    ///   - pool: connections as counterfoil_support.
    ///   - overseer: a superuser's.
    ///   - patience: how long an act is tried again while the database is away.
    package init(pool: PostgresPool, overseer: PostgresPool, patience: Duration = .zero) {
        self.pool = pool
        self.overseer = overseer
        self.patience = patience
    }

    /// Does what `counterfoil orders refund ORDER --reversed` does.
    package func reverseRefund(of order: String) async throws {
        let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
        try await act {
            _ = try await store.reverseRefund(
                OrderID(rawValue: order), transaction: nil, by: OperatorAct(who: "rehearsal", why: "Apple reversed it"))
        }
    }

    /// Makes an order older than it is, as only a superuser can.
    package func backdate(_ order: String, by minutes: Int) async throws {
        try await act {
            _ = try await overseer.execute(RehearsalSQL.backdateOrder, [.text(order), .int4(Int32(minutes))])
        }
    }

    /// How many notifications about a transaction had their effect.
    package func countTold(of transaction: String) async throws -> Int {
        var told = 0
        try await act { told = Int(try await overseer.execute(RehearsalSQL.countTold, [.text(transaction)])[0].int64(0)) }
        return told
    }

    private func act(_ body: () async throws -> Void) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await body()
            } catch let error as PostgresError {
                guard error.isPassing, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
