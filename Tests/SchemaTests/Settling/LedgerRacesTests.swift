// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Rules that stand over several tables hold though two settlements come at once: the second waits for the first, then
/// sees what it did.
@Suite struct LedgerRacesTests {
    /// As a settlement does: the originals of payments that may have several names, then the payments that were seen before.
    private func lock(_ payments: [Payment], _ connection: PostgresConnection) async throws {
        let originals = payments.filter { $0.kind != "consumable" }
        _ = try await connection.execute(
            SQLFile.lockOriginals.statement,
            [
                .textArray(originals.map { $0.original ?? $0.id }), .textArray(originals.map { _ in Shop.bundle }),
                .textArray(originals.map(\.environment)),
            ])
        _ = try await connection.execute(
            SQLFile.lockPayments.statement,
            [
                .textArray(payments.map(\.id)), .textArray(payments.map { _ in Shop.bundle }), .textArray(payments.map(\.environment)),
            ])
    }

    /// Runs `first` in a database transaction; once it has done its work, `second` in another; commits the first when
    /// the second waits for it.
    private func race(
        _ shop: Shop, _ payment: Payment, first: @escaping @Sendable (Shop) async throws -> Void,
        second: @escaping @Sendable (Shop) async throws -> Void
    ) async throws {
        let (firstIsDone, done) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await shop.worker.withTransaction { connection in
                    try await lock([payment], connection)
                    try await first(shop)
                    done.finish()
                    try await shop.admin.waitUntilALockIsWaitedFor("transactionid")
                }
            }
            group.addTask {
                for await _ in firstIsDone {}
                try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                    try await connection.withTransaction { connection in
                        try await lock([payment], connection)
                        try await second(
                            Shop(database: shop.database, admin: shop.admin, backend: shop.backend, worker: connection))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func whatOneGrantsAnotherDoesNotKeepAsUnclaimed() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
            }

            try await race(shop, Payment(id: "1")) { shop in
                _ = try await shop.insertGrant("a", Payment(id: "1"))
            } second: { shop in
                try await shop.insertUnclaimed([("b", Payment(id: "1"))])
            }

            #expect(try await shop.count("counterfoil.grants") == 1)
            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatOneKeepsAsUnclaimedAnotherGrants() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
            }

            try await race(shop, Payment(id: "1")) { shop in
                try await shop.insertUnclaimed([("b", Payment(id: "1"))])
            } second: { shop in
                // It had not seen the payment when it began: the next look does.
                var looks = 1
                while try await !shop.insertGrant("a", Payment(id: "1")) { looks += 1 }
                #expect(looks == 2)
            }

            #expect(try await shop.count("counterfoil.grants") == 1)
            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    @Test func whatOneTakesBackAnotherDoesNotGrant() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await race(shop, Payment(id: "1")) { shop in
                try await shop.insertRevocation(Payment(id: "1"), at: 10)
            } second: { shop in
                _ = try await shop.insertGrant("a", Payment(id: "1"))
            }

            #expect(try await shop.count("counterfoil.grants") == 0)
        }
    }

    @Test func whatOneGrantsAnotherTakesBack() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await race(shop, Payment(id: "1")) { shop in
                _ = try await shop.insertGrant("a", Payment(id: "1"))
            } second: { shop in
                try await shop.insertRevocation(Payment(id: "1"), at: 10)
            }

            #expect(try await shop.value("select state from counterfoil.orders") == "refunded")
            #expect(try await shop.faults() == [])
        }
    }

    /// The refund waits for the order's row, and then finds it paid by another payment.
    @Test func whatOneFulfilsARefundOfAnotherPaymentLeavesAlone() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "token_missing")
            try await shop.settleOrder("a", "review", "token_missing", transaction: "1")

            try await race(shop, Payment(id: "2")) { shop in
                _ = try await shop.insertGrant("a", Payment(id: "2"))
            } second: { shop in
                try await shop.insertRevocation(Payment(id: "1"), at: 10)
            }

            #expect(
                try await shop.value("select concat_ws(' ', state, transaction_id) from counterfoil.orders") == "fulfilled 2")
            #expect(try await shop.faults() == [])
        }
    }

    @Test func twoGrantsOfOnePaymentAtOnceAreOne() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
            }

            let (firstIsDone, done) = AsyncStream<Void>.makeStream()
            async let second = {
                for await _ in firstIsDone {}
                return try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                    let other = Shop(
                        database: shop.database, admin: shop.admin, backend: shop.backend, worker: connection)
                    return try await other.insertGrant("b", Payment(id: "1"))
                }
            }()
            try await shop.worker.withTransaction { _ in
                #expect(try await shop.insertGrant("a", Payment(id: "1")))
                done.finish()
                try await shop.admin.waitUntilALockIsWaitedFor("transactionid")
            }
            #expect(try await second == false)

            #expect(try await shop.rows("select order_id from counterfoil.grants") == ["(a)"])
        }
    }

    @Test func theLocksOfABatchAreTakenInOneOrder() async throws {
        try await Shop.open { shop in
            let payments = (1...50).map { Payment(id: "\($0)") }

            // Against each other's order they would wait for one another for ever.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for order in [payments, payments.reversed()] {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_worker") { connection in
                            for _ in 0..<100 {
                                try await connection.withTransaction { try await lock(order, $0) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let own = "database = (select oid from pg_database where datname = current_database())"
            #expect(try await shop.count("pg_locks where locktype = 'advisory' and \(own)") == 0)
        }
    }
}
