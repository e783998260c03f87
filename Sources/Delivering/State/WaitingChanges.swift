// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Synchronization

/// What operators do about the changes that wait for a reader.
package struct WaitingChanges: Sendable {
    /// How an operator's try ended.
    package enum Retry: Sendable, Equatable {
        case delivered
        case failed(String)
        case unknown
        case skipped
        /// An earlier change of its order has to go first.
        case behind(Int64)
    }

    /// The columns of `read_waiting.sql`.
    enum Column: Int, RowColumn { case id, key, tries, change, isSkipped, firstID }

    private struct EndsWithout: Error {
        let retry: Retry
    }

    private let store: DeliveryStore

    /// - Parameter connection: by the shop's role.
    package init(_ plan: DeliveryPlan, _ connection: PostgresConnection) {
        store = plan.makeStore(connection)
    }

    /// - Throws: ``DeliveryProblem`` where there is no state of that name.
    package func check() async throws {
        guard try await DeliverySetUp(store: store, start: nil).findState() else {
            throw DeliveryProblem.stateIsMissing(store.sql.tables.state)
        }
    }

    /// Those that wait, then those that were skipped.
    package func list(atMost limit: Int32) async throws -> PostgresResult {
        try await store.connection.execute(store.sql.listWaiting, [.int4(limit)], timeout: store.timeout)
    }

    /// Tries a change at once, in a database transaction of its own.
    package func retry(_ id: Int64) async throws -> Retry {
        let hand = Mutex<DeliveryStore.Waiting?>(nil)
        do {
            try await store.connection.withTransaction { connection in
                try await store.limit(connection)
                _ = try await connection.execute(store.sql.awaitState, [], timeout: store.timeout)
                let rows = try await connection.execute(store.sql.readWaiting, [.int8(id)], timeout: store.timeout)
                guard let row = rows.first else { throw EndsWithout(retry: .unknown) }
                let columns = row.named(by: Column.self)
                guard try !columns.bool(.isSkipped) else { throw EndsWithout(retry: .skipped) }
                let first = try columns.int64(.firstID)
                guard first == id else { throw EndsWithout(retry: .behind(first)) }
                let waiting = try DeliveryStore.Waiting(row)
                hand.withLock { $0 = waiting }
                try await store.deliver(waiting, connection)
            }
            return .delivered
        } catch let end as EndsWithout {
            return end.retry
        } catch {
            guard let waiting = hand.withLock({ $0 }), let failure = DeliveryFailure(error) else { throw error }
            // The session may be lost; then the deliverer's own next try notes it.
            try? await store.note(failure, of: waiting)
            return .failed(failure.text)
        }
    }

    /// Gives a change up, and keeps who did so and why. The next of its order is due.
    ///
    /// - Returns: false when it doesn't wait.
    package func skip(_ id: Int64, by name: String, why: String) async throws -> Bool {
        try await store.connection.withTransaction { connection in
            try await store.limit(connection)
            _ = try await connection.execute(store.sql.awaitState, [], timeout: store.timeout)
            return try await !connection.execute(
                store.sql.skipWaiting, [.int8(id), .text(name), .text(why)], timeout: store.timeout
            ).isEmpty
        }
    }
}
