// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@testable import Delivering

@Suite struct WaitingChangesTests {
    /// A shop in which the grant of an order waits, and its refund behind it.
    private static func open(
        _ body: @Sendable (DeliveryShop, _ waiting: WaitingChanges, _ first: Int64, _ second: Int64) async throws -> Void
    ) async throws {
        try await DeliveryShop.open { shop in
            try await shop.run("insert into shop.poison values ('a', 'P0001')")
            try await shop.buy(["a", "b"])
            try await shop.refund("a")
            try await shop.delivering { try await shop.admin.waitUntil("(select count(*) from shop.reader_waiting) = 2") }
            let ids = try await shop.admin.execute("select id from shop.reader_waiting order by id").map { try $0.int64(0) }
            try await shop.withStore { store in
                try await body(shop, WaitingChanges(shop.plan(), store.connection), ids[0], ids[1])
            }
        }
    }

    @Test func aRetryIsMadeAtOnce() async throws {
        try await Self.open { shop, waiting, first, second in
            let failed = try await waiting.retry(first)
            #expect(failed == .failed("P0001 poison"))
            #expect(try await waiting.retry(second) == .behind(first))
            #expect(try await waiting.retry(-1) == .unknown)
            #expect(try await shop.value("select tries > 1 from shop.reader_waiting where id = \(first)") == "true")

            try await shop.run("truncate shop.poison")
            #expect(try await waiting.retry(first) == .delivered)
            #expect(try await waiting.retry(second) == .delivered)

            #expect(try await shop.faults() == [])
            #expect(try await shop.value("select count(*) from shop.reader_waiting") == "0")
        }
    }

    @Test func aSkipKeepsWhoAndWhyAndLetsTheNextGo() async throws {
        try await Self.open { shop, waiting, first, second in
            #expect(try await waiting.skip(first, by: "ann", why: "never bought"))

            #expect(try await !waiting.skip(first, by: "bob", why: "again"))
            #expect(try await waiting.retry(first) == .skipped)
            #expect(
                try await shop.rows(
                    "select skipped_by, skipped_why, skipped_at is not null from shop.reader_waiting where id = \(first)")
                    == ["(ann,\"never bought\",t)"])
            #expect(try await shop.value("select next_at <= now() from shop.reader_waiting where id = \(second)") == "true")
            #expect(try await waiting.list(atMost: 10).map { try $0.string(1) } == ["waiting", "skipped"])

            try await shop.run("truncate shop.poison")
            try await shop.delivering { try await shop.untilDelivered(1) }
            #expect(try await shop.value("select count(*) from shop.calls where id = \(first)") == "0")
            #expect(try await shop.value("select count(*) from shop.calls where id = \(second)") == "1")
        }
    }

    @Test func skippingTheLaterOneLetsTheFirstWait() async throws {
        try await Self.open { shop, waiting, first, second in
            #expect(try await waiting.skip(second, by: "ann", why: "no"))
            #expect(try await shop.value("select next_at < 'infinity' from shop.reader_waiting where id = \(first)") == "true")
            try await shop.run("truncate shop.poison")
            #expect(try await waiting.retry(first) == .delivered)
        }
    }
}
