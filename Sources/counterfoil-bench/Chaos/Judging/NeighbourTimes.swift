// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres

/// The times of others before a shop's function began to do harm, and meanwhile: of orders, from the insert of the proof to the
/// grant; of another shop's deliveries, from the change to its call.
struct NeighbourTimes: Sendable {
    /// One kind of time, in seconds.
    struct Pair: Sendable {
        let what: String
        let before: Percentiles
        let meanwhile: Percentiles
    }

    /// So many of each at least, or nothing was measured.
    private static let fewest = 100
    /// 99 of 100 may take so much longer, on however busy a machine, where that is more than four times as long.
    private static let slack = 1.0
    private static let factor = 4.0

    let pairs: [Pair]

    /// Of each kind, what is printed.
    var lines: [String] {
        pairs.map { pair in
            "\(pair.what), 99 of 100: \(Self.rounded(pair.before[99])) of \(pair.before.count) before, "
                + "\(Self.rounded(pair.meanwhile[99])) of \(pair.meanwhile.count) meanwhile (may be "
                + "\(Self.rounded(Self.limit(pair))))"
        }
    }

    /// The faults of these times; empty if there are none.
    var complaints: [String] {
        pairs.compactMap { pair in
            if min(pair.before.count, pair.meanwhile.count) < Self.fewest {
                return "\(pair.what): too few were measured, \(pair.before.count) before and \(pair.meanwhile.count) meanwhile"
            }
            guard pair.meanwhile[99] > Self.limit(pair) else { return nil }
            return "\(pair.what): 1 of 100 took \(Self.rounded(pair.meanwhile[99])), and may take \(Self.rounded(Self.limit(pair)))"
        }
    }

    /// - Parameters:
    ///   - calm: a stretch before it began.
    ///   - fault: while it lasted.
    ///   - shop: another shop than the one whose function does harm.
    static func read(
        calm: ClosedRange<Date>, fault: ClosedRange<Date>, shop: ChaosShop, _ database: PostgresPool
    ) async throws -> NeighbourTimes {
        func times(
            _ statement: PostgresStatement, _ window: ClosedRange<Date>, _ more: [PostgresParameter]
        ) async throws -> Percentiles {
            let rows = try await database.execute(statement, from: window.lowerBound, to: window.upperBound, more)
            return Percentiles(try rows.map { try $0.double(0) })
        }
        return NeighbourTimes(pairs: [
            Pair(
                what: "orders", before: try await times(ChaosSQL.measureOrders, calm, [.textArray([])]),
                meanwhile: try await times(ChaosSQL.measureOrders, fault, [.textArray([])])),
            Pair(
                what: "deliveries of \(shop.name)", before: try await times(shop.sql.measureDeliveries, calm, []),
                meanwhile: try await times(shop.sql.measureDeliveries, fault, [])),
        ])
    }

    private static func limit(_ pair: Pair) -> Double { max(pair.before[99] * factor, pair.before[99] + slack) }

    private static func rounded(_ seconds: Double) -> String {
        seconds.isFinite ? "\((seconds * 1000).rounded() / 1000) s" : "–"
    }
}
