// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// The page about a life of a subscription is what its statements return.
@Suite struct DocumentedLifeTests {
    private static let now = Date()

    private static func at(_ day: Double) -> Date { now.addingTimeInterval(day * 86_400) }

    private static func period(
        _ id: String, of product: String, from begin: Double, until end: Double, reason: Transaction.PurchaseReason
    ) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: product, kind: .autoRenewable, purchased: at(begin), webOrder: "w" + id)
        period.expiresDate = at(end)
        period.endAsOf = at(min(begin, 0))
        period.purchaseReason = reason
        return period
    }

    private struct Page {
        let feed: String
        let status: String
        let list: String

        init() throws {
            let blocks = try Repository.text("sql/docs/life.md").split(separator: "```").enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
            try #require(blocks.count == 2)
            let statements = blocks[0].dropFirst(4).split(separator: ";").map(String.init).filter { $0.contains("select") }
            try #require(statements.count == 2)
            (feed, status) = (statements[0], statements[1])
            list = String(blocks[1].drop { $0.isNewline })
        }
    }

    private func tell(
        _ queue: QueueFixture, _ type: String, _ period: Transaction, at day: Double, renews: Bool? = nil
    ) async throws {
        var period = period
        period.endAsOf = Self.at(day)
        var told = Told(type, period, signedAt: Self.at(day))
        told.renewal = renews.map {
            Renewal(
                originalID: TransactionID(rawValue: "1"), productID: period.productID, willRenew: $0, isInBillingRetry: false,
                signedAt: Self.at(day))
        }
        try await queue.tell(told)
    }

    private func show(_ queue: QueueFixture, _ period: Transaction, for order: String, madeOn day: Double) async throws {
        try await queue.place(order, product: period.productID.rawValue, minutesAgo: 5 - day * 1_440)
        try await queue.upload(order, product: period.productID.rawValue)
        try await queue.settle(period, for: order)
    }

    @Test func theListIsWhatItsStatementsReturn() async throws {
        try await QueueFixture.run { queue in
            let page = try Page()
            try await queue.admin.execute(
                """
                insert into counterfoil.products (bundle_id, product_id, kind)
                select '\(QueueFixture.bundle)', p, 'auto_renewable' from unnest(array['plus', 'pro']) p
                on conflict (bundle_id, product_id) do update set kind = excluded.kind
                """)
            var cursor = try await queue.text("counterfoil.changes_from('infinity')")
            var list = ""
            func happens(_ what: String, _ body: () async throws -> Void) async throws {
                try await body()
                list += what + "\n"
                for row in try await queue.admin.execute(page.feed, [.text(cursor)]) {
                    list += "    feed    \(try row.string(0))\n"
                }
                cursor =
                    try await queue.admin.execute(
                        "select next_cursor from counterfoil.changes_since($1) order by id desc limit 1", [.text(cursor)]
                    ).first?.string(0) ?? cursor
                let rows = try await queue.admin.execute(
                    page.status, [.text(QueueFixture.bundle), .text("1"), .text("ann")])
                list += "    status  \(try #require(rows.first).string(0))\n"
            }
            var first = Self.period("1", of: "plus", from: -20, until: 10, reason: .purchase)
            let second = Self.period("2", of: "pro", from: -5, until: 25, reason: .purchase)
            var refunded = second
            refunded.revocation = Revocation(.signedTransaction, date: Self.at(-3), share: .whole, asOf: Self.at(-3))

            try await happens("day -20: Ann buys plus for a month; her client shows transaction 1 for order a") {
                try await show(queue, first, for: "a", madeOn: -20)
            }
            try await happens("day -15: she turns the renewal off") {
                try await tell(queue, "DID_CHANGE_RENEWAL_STATUS", first, at: -15, renews: false)
            }
            try await happens("day -12: and on again; the notification comes twice") {
                for _ in 1...2 { try await tell(queue, "DID_CHANGE_RENEWAL_STATUS", first, at: -12, renews: true) }
            }
            try await happens("day -8: the shop's support has Apple extend the period by three days") {
                first.expiresDate = Self.at(13)
                try await tell(queue, "RENEWAL_EXTENDED", first, at: -8)
            }
            try await happens("day -5: she changes to pro at once; no client shows transaction 2") {
                try await tell(queue, "DID_CHANGE_RENEWAL_PREF", second, at: -5)
            }
            try await happens("day -3: Apple refunds it") {
                try await tell(queue, "REFUND", refunded, at: -3, renews: false)
            }
            try await happens("day -2: and reverses the refund") {
                try await tell(queue, "REFUND_REVERSED", second, at: -2, renews: true)
            }
            try await happens("day 0: her client shows transaction 2 for order b") {
                try await show(queue, second, for: "b", madeOn: -5)
            }
            try await happens("day 0: Apple signs the renewal to plus that begins on day 25") {
                let third = Self.period("3", of: "plus", from: 25, until: 55, reason: .renewal)
                try await tell(queue, "DID_RENEW", third, at: 0)
            }

            #expect(list == page.list, "\(list)")
        }
    }
}
