// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Synchronization
import TestSupport
import Testing

/// Writers whose changes are committed in any order, and readers that die between pages: each reader is told each change once, and
/// those of an order in their order.
@Suite struct ChangeHammerTests {
    private struct Change: Hashable {
        let order: String
        let version: Int32
    }

    /// What was committed, and whether the writers are done.
    private final class Truth: Sendable {
        private let state = Mutex((changes: Set<Change>(), isWhole: false))

        var changes: Set<Change> { state.withLock { $0.changes } }
        var isWhole: Bool { state.withLock { $0.isWhole } }

        func add(_ changes: [Change]) { state.withLock { $0.changes.formUnion(changes) } }
        func end() { state.withLock { $0.isWhole = true } }
    }

    /// Of each writer. `COUNTERFOIL_HAMMER_TRANSACTIONS=3500` writes a million changes, in a quarter of an hour.
    private static let transactions =
        ProcessInfo.processInfo.environment["COUNTERFOIL_HAMMER_TRANSACTIONS"].flatMap { Int($0) } ?? 60
    private static let orders = max(60, transactions)
    /// How many orders a writer moves at a time.
    private static let sizes = transactions > 60 ? [1, 3, 20, 200] : [1, 1, 3, 20]

    /// As the statements that grant: a row of the feed for up to a hundred orders.
    private static let grant = """
        with paid as (
            update counterfoil.orders o
            set state = 'fulfilled', reason = null, transaction_id = '1', environment = 'production', fulfilled_at = now(),
                version = o.version + 1
            where o.order_id = any ($1::text[]) and o.state <> 'fulfilled'
            returning o.number, o.version
        )
        insert into counterfoil.changes (kind, orders, versions)
        select 'order_fulfilled', array_agg(p.number order by p.number), array_agg(p.version order by p.number)
        from (select *, (row_number() over (order by o.number) - 1) / 100 as part from paid o) p
        group by p.part
        """

    /// - Parameter raises: as a program does that knows of the orders' versions.
    private static func reject(raises: Bool) -> String {
        """
        update counterfoil.orders set state = 'rejected', reason = gen_random_uuid()::text\(raises ? ", version = version + 1" : "")
        where order_id = any ($1::text[])
        """
    }

    private static func move(_ orders: [String], _ connection: PostgresConnection) async throws -> [Change] {
        let statement = Int.random(in: 0..<3) > 0 ? grant : reject(raises: Bool.random())
        _ = try await connection.execute(statement, [.textArray(orders)])
        return try await connection.execute(
            "select order_id, version from counterfoil.orders where order_id = any ($1::text[])", [.textArray(orders)]
        ).map { Change(order: try $0.string(0), version: try $0.int32(1)) }
    }

    /// As settlements do: a number of a database transaction first, then the orders' locks; with savepoints, rollbacks and commits
    /// by another session.
    private static func write(_ name: Int, _ truth: Truth, _ connection: PostgresConnection) async throws {
        for round in 0..<transactions {
            try await connection.executeScript("begin")
            if Bool.random() {
                try await connection.executeScript("select pg_current_xact_id()")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...4)))
            }
            let chosen = Set((0..<sizes.randomElement()!).map { _ in "\(Int.random(in: 0..<orders))" }).sorted()
            _ = try await connection.execute(
                "select from counterfoil.orders where order_id = any ($1::text[]) order by order_id for no key update",
                [.textArray(chosen)])
            var changes: [Change] = []
            if Int.random(in: 0..<4) == 0 {
                try await connection.executeScript("savepoint one")
                let first = try await move(Array(chosen.prefix(chosen.count / 2)), connection)
                if Bool.random() {
                    try await connection.executeScript("rollback to one")
                } else {
                    try await connection.executeScript("release one")
                    changes += first
                }
                changes += try await move(Array(chosen.suffix(from: chosen.count / 2)), connection)
            } else {
                changes += try await move(chosen, connection)
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...5)))
            switch Int.random(in: 0..<12) {
            case 0:
                try await connection.executeScript("rollback")
                changes = []
            case 1:
                try await connection.executeScript("prepare transaction 'hammer \(name) \(round)'")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
                let commits = Bool.random()
                try await connection.executeScript("\(commits ? "commit" : "rollback") prepared 'hammer \(name) \(round)'")
                if !commits { changes = [] }
            default:
                try await connection.executeScript("commit")
            }
            truth.add(changes)
        }
    }

    /// Reads until the writers are done and nothing is new. Now and then it dies before it kept its cursor, or within a page.
    private static func read(
        from start: String, atMost limit: Int32, _ truth: Truth, _ connection: PostgresConnection
    ) async throws -> [Change] {
        var cursor = start
        var told: [Change] = []
        while true {
            let isLast = truth.isWhole
            var rows = try await Array(
                connection.execute(
                    "select order_id, order_version, next_cursor from counterfoil.changes_since($1::text, $2::integer)",
                    [.text(cursor), .int4(limit)]))
            if rows.isEmpty, isLast { return told }
            if Int.random(in: 0..<10) == 0 { continue }
            if Int.random(in: 0..<10) == 0 { rows.removeLast(Int.random(in: 0...rows.count)) }
            for row in rows { told.append(Change(order: try row.string(0), version: try row.int32(1))) }
            cursor = try rows.last?.string(2) ?? cursor
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...Int(limit / 4))))
        }
    }

    @Test(.timeLimit(.minutes(ChangeHammerTests.transactions > 60 ? 40 : 3)))
    func eachReaderIsToldEachChangeOnceAndInOrder() async throws {
        try await Shop.open { shop in
            for order in 0..<Self.orders { try await shop.order("\(order)") }
            let start = try await ChangeReader(shop.backend).cursor
            let truth = Truth()
            // A foreign writer, as long as all lasts.
            try await shop.admin.executeScript("begin; select pg_current_xact_id()")

            let told = try await withThrowingTaskGroup(of: [Change]?.self) { group in
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { writers in
                        for name in 0..<6 {
                            writers.addTask {
                                try await shop.database.withConnection { try await Self.write(name, truth, $0) }
                            }
                        }
                        try await writers.waitForAll()
                    }
                    truth.end()
                    return nil
                }
                for limit: Int32 in [3, 40, 1000] {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_backend") {
                            try await Self.read(from: start, atMost: limit, truth, $0)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }

            let changes = truth.changes
            try #require(changes.count > 300)
            print("\(changes.count) changes, \(told.count) readers")
            try #require(told.count == 3)
            for told in told {
                #expect(told.count == changes.count)
                #expect(Set(told) == changes)
                for (order, own) in Dictionary(grouping: told, by: \.order) {
                    #expect(own.map(\.version) == own.map(\.version).sorted(), "\(order)")
                }
            }
        }
    }
}
