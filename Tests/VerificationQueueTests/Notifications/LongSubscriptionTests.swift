// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// A subscription of thousands of periods costs as much for each as one of hundreds does: work is counted in pages, not in time.
@Suite struct LongSubscriptionTests {
    /// Who knows of the periods before a client shows them all in a receipt.
    enum Story: CaseIterable {
        case nobody
        /// The client showed them before; its order has the first.
        case theClient
        /// Apple told them, and nobody knows whose they are.
        case appleAlone
        /// The same, with a token that orders of two accounts bear.
        case appleWithATokenOfTwo
    }

    private static let few = 600
    private static let many = 6_000
    private static let token = UUID()
    /// In whole seconds, as a receipt has them.
    private static let start = Date(
        timeIntervalSince1970: (Date().timeIntervalSince1970 - Double(many + 10) * 3600).rounded(.down))

    private static func period(_ number: Int) -> Transaction {
        var period = Transaction.sample(
            id: "\(number)", original: "1", product: "plus", kind: nil,
            purchased: start.addingTimeInterval(Double(number) * 3600), webOrder: "w\(number)")
        period.expiresDate = start.addingTimeInterval(Double(number + 1) * 3600)
        return period
    }

    /// What the worker reads and writes with one connection of its own, so that all of it can be counted.
    private struct Counted {
        let queue: QueueFixture
        let pool: PostgresPool

        /// The pages of all tables and indexes that `body` looked at.
        func pages(_ body: () async throws -> Void) async throws -> Int {
            let before = try await pages()
            try await body()
            return try await pages() - before
        }

        private func pages() async throws -> Int {
            _ = try await pool.execute("select pg_stat_force_next_flush()")
            _ = try await pool.execute("select 1")
            let rows = try await queue.admin.execute(
                """
                select sum(
                    coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
                )::bigint
                from pg_statio_all_tables where schemaname = 'counterfoil'
                """)
            return Int(try rows[0].int64(0))
        }

        /// The client shows all periods in a receipt, and means the first.
        func show(_ periods: Int, for order: String) async throws {
            try await queue.submit(order, "MII", product: "plus", hint: "1")
            let job = try #require(try await queue.claim(lease: .seconds(600)).first)
            let receipt = VerifiedTransactions((1...periods).map(period), mayBeIncomplete: true)
            let judgement = OrderMatching.judge(
                receipt, for: job.order, policy: job.policy, hint: TransactionID(rawValue: "1"))
            guard case .candidates = judgement.verdict else { return #expect(Bool(false), "\(judgement.verdict)") }
            let store = SettlementStore(pool: pool, workerID: queue.worker)
            let settlement = Settlement(
                job, .grantOne, payments: .init(offeredBy: judgement), proofKind: .appReceipt)
            var settled = try? await store.settle([settlement])
            if settled == nil { settled = try await store.settle([settlement], locksOrders: true) }
            #expect(settled?.locked.isEmpty == true)
        }
    }

    /// The pages that each thing took, by its name.
    private func count(_ body: @Sendable (Counted) async throws -> [String: Int]) async throws -> [String: Int] {
        let counts = Mutex<[String: Int]>([:])
        try await QueueFixture.run { queue in
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: queue.url), size: 1, logger: .test)
            do {
                let counted = try await body(Counted(queue: queue, pool: pool))
                counts.withLock { $0 = counted }
            } catch {
                await pool.close()
                throw error
            }
            await pool.close()
        }
        return counts.withLock(\.self)
    }

    /// Puts the periods into the ledger as Apple's notifications do: each bears Apple's word, and its end has milliseconds.
    private func tell(_ periods: Int, _ queue: QueueFixture, token: UUID?) async throws {
        let told =
            """
            set session_replication_role = replica;
            insert into counterfoil.payments (
                bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, payment_key, product_id,
                product_kind, quantity, purchased_at, expires_at, app_account_token, reason, purchase_reason
            )
            select
                '\(QueueFixture.bundle)', 'production', i::text, '1', 'w' || i, 'web_order:w' || i, 'plus', 'auto_renewable', 1,
                to_timestamp(\(Self.start.timeIntervalSince1970)) + i * interval '1 hour',
                to_timestamp(\(Self.start.timeIntervalSince1970)) + (i + 1) * interval '1 hour' + interval '300 ms',
                \(token.map { "'\($0.uuidString)'" } ?? "null")::uuid, 'no_order', case when i = 1 then 'purchase' else 'renewal' end
            from generate_series(1, \(periods)) i;
            reset session_replication_role;
            analyze counterfoil.payments
            """
        try await PostgresConnection.withConnection(to: queue.adminURL) { try await $0.executeScript(told) }
    }

    private func prepare(_ story: Story, _ periods: Int, _ counted: Counted) async throws {
        let queue = counted.queue
        try await queue.listPlus()
        for order in ["a", "b"] {
            try await queue.place(order, product: "plus", minutesAgo: Date().timeIntervalSince(Self.start) / 60 - 50)
        }
        switch story {
        case .nobody: break
        case .theClient: try await counted.show(periods, for: "a")
        case .appleAlone: try await tell(periods, queue, token: nil)
        case .appleWithATokenOfTwo:
            for account in ["bob", "cat"] { try await queue.place("of " + account, account: account, token: Self.token) }
            try await tell(periods, queue, token: Self.token)
        }
    }

    /// What reads a subscription, or all.
    private static let views = [
        "counterfoil.subscription_status_of('\(QueueFixture.bundle)', 'production', '1', 'ann')",
        "counterfoil.payments_of_original('\(QueueFixture.bundle)', 'production', '1')",
        "counterfoil.transaction_status where account_id = 'ann'",
        "counterfoil.paid_not_delivered",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Story.allCases)
    func eachPeriodCostsTheSame(_ story: Story) async throws {
        var pages: [[String: Int]] = []
        for periods in [Self.few, Self.many] {
            let counted = try await count { counted in
                try await prepare(story, periods, counted)
                var counts: [String: Int] = [:]
                let order = story == .theClient ? "b" : "a"
                counts["settlement"] = try await counted.pages { try await counted.show(periods, for: order) }
                for view in Self.views {
                    counts[view] = try await counted.pages { _ = try await counted.pool.execute("select count(*) from \(view)") }
                }
                return counts
            }
            pages.append(counted)
        }

        for (what, few) in pages[0] {
            let many = try #require(pages[1][what])
            print("\(story) \(what): \(few) and \(many) pages")
            // Ten times as many; an index is a level deeper, and few periods may be read by another plan.
            #expect(many <= few * 13 + 3 * Self.many, "\(what): \(few) pages for \(Self.few) periods, \(many) for \(Self.many)")
        }
    }
}
