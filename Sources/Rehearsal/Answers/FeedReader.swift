// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Postgres
import Synchronization

/// What the feed told, and when.
package struct ToldChange: Equatable, Sendable {
    package var kind: String
    /// Empty where it is about a payment alone.
    package var orderID: String
    package var transaction: Observation.TransactionKey?
    /// When it was read.
    package var at: Date

    package init(kind: String, orderID: String = "", transaction: Observation.TransactionKey? = nil, at: Date) {
        self.kind = kind
        self.orderID = orderID
        self.transaction = transaction
        self.at = at
    }
}

/// Reads the feed as a shop's backend does, as long as it runs.
package final class FeedReader: Sendable {
    private static let interval = Duration.milliseconds(200)

    private let pool: PostgresPool
    private let told = Mutex<[ToldChange]>([])

    /// - Parameter pool: connections as the backend.
    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    package var changes: [ToldChange] { told.withLock { $0 } }

    /// Reads until it is cancelled. After a failover it begins anew, as a reader does whose cursor isn't known any more.
    package func run() async {
        var cursor: String?
        while !Task.isCancelled {
            do throws(PostgresError) {
                if let known = cursor {
                    cursor = try await read(after: known)
                } else {
                    cursor = try await pool.execute(RehearsalSQL.beginChanges)[0].string(0)
                }
            } catch {
                if !error.isPassing { cursor = nil }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func read(after cursor: String) async throws(PostgresError) -> String {
        var next = cursor
        var found: [ToldChange] = []
        let rows = try await pool.execute(AnswerSQL.tellChanges, [.text(cursor)])
        let now = Date()
        for row in rows {
            var change = ToldChange(kind: try row.string(0), orderID: try row.string(1), at: now)
            if let bundle = try row.optionalString(2), let environment = try row.optionalString(3),
                let id = try row.optionalString(4)
            {
                change.transaction = .init(bundleID: bundle, environment: environment, id: id)
            }
            found.append(change)
            next = try row.string(5)
        }
        told.withLock { $0 += found }
        return next
    }
}
