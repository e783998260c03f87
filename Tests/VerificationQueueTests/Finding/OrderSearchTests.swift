// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// Orders whose client uploaded nothing, found in the history of their customer.
@Suite struct OrderSearchTests {
    private static func paid(_ id: String, minutesAgo: Double, token: UUID? = nil, customer: String? = "7") -> Transaction {
        var transaction = Transaction.sample(id: id, purchased: Date(timeIntervalSinceNow: -minutesAgo * 60), token: token)
        transaction.customerID = customer.flatMap { CustomerID($0) }
        return transaction
    }

    /// Ann bought once before, and the order `lost` waits since some minutes.
    private func lose(_ queue: QueueFixture, minutesAgo: Double, token: UUID? = nil) async throws {
        try await grant(queue, "before", to: "ann", minutesAgo: minutesAgo + 10)
        try await queue.place("lost", token: token, minutesAgo: minutesAgo)
    }

    private func grant(_ queue: QueueFixture, _ order: String, to account: String, minutesAgo: Double) async throws {
        try await queue.place(order, account: account, minutesAgo: minutesAgo)
        try await queue.submit(order, "eyJ \(order)", account: account)
        try await queue.work { _ in Self.paid("1\(order.count)", minutesAgo: minutesAgo - 1) }
        #expect(try await queue.order(order).state == .fulfilled)
    }

    private func gates(_ queue: QueueFixture) async throws -> GateCache {
        let cache = GateCache()
        cache.replace(with: try await GateStore(pool: queue.pool).list())
        return cache
    }

    /// - Returns: how many searches wait.
    private func look(_ queue: QueueFixture, hasKey: Bool = true) async throws -> Int {
        let search = OrderSearch(pool: queue.pool, gates: try await gates(queue), verifier: ScriptedVerifier(hasKey: hasKey))
        try await search.run()
        return try await queue.count("counterfoil.jobs where kind = 'search' and priority = 3")
    }

    private func makeDue(_ queue: QueueFixture) async throws {
        try await queue.admin.execute("update counterfoil.searches set searched_to = now() - interval '3 hours'")
        // An hour of orders at a time.
        for _ in 0..<3 { _ = try await look(queue) }
    }

    private func attempt(_ queue: QueueFixture, _ bought: [Transaction]) async throws {
        let job = try #require(try await queue.claim().first)
        try #require(job.kind == .search)
        let runner = AttemptRunner(
            verifier: ScriptedVerifier(bought: bought), gates: try await gates(queue), pool: queue.pool, retry: RetryPolicy())
        _ = try await queue.settle(await runner.attempt(job, deadline: .now + .seconds(20)).settlement)
    }

    /// The age of the order at which it is searched next, in minutes; nil when it isn't.
    private func nextAge(_ queue: QueueFixture) async throws -> String? {
        try await queue.text(
            """
            select round(extract(epoch from j.run_at - o.created_at) / 60)
            from counterfoil.jobs j join counterfoil.orders o on o.order_id = j.order_id
            where j.kind = 'search' and j.state = 'available'
            """)
    }

    @Test func anOrderWhoseTokenAPaymentBearsIsFound() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            let bought = Self.paid("2", minutesAgo: 14, token: token)
            try await lose(queue, minutesAgo: 15, token: token)
            try await makeDue(queue)

            try await attempt(queue, [bought])
            #expect(try await queue.count("counterfoil.jobs where found_by = 'the history of its customer'") == 1)
            try await queue.work { _ in bought }

            #expect(try await queue.order("lost") == OrderFacts(.fulfilled, by: "2"))
            #expect(
                try await queue.text("select why from counterfoil.order_events where kind = 'found'")
                    == "the history of its customer showed transaction 2: its token names the order")
            #expect(try await queue.faults() == [])
        }
    }

    /// Apple's customer names no order: the payment is kept for its client.
    @Test func withoutATokenAPaymentWaitsForItsClient() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 135)
            try await makeDue(queue)

            try await attempt(queue, [Self.paid("2", minutesAgo: 134)])

            #expect(try await queue.count("counterfoil.jobs where kind = 'verify'") == 0)
            #expect(try await queue.order("lost").state == .open)
            #expect(try await queue.transaction("2") == "unclaimed upload_proof")
        }
    }

    @Test func whatAppleSaysWasRefundedIsRecordedAndNotGranted() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            var refunded = Self.paid("2", minutesAgo: 14, token: token)
            refunded.revocation = Revocation(.signedTransaction, date: Date(), share: .whole, asOf: Date())
            try await lose(queue, minutesAgo: 15, token: token)
            try await makeDue(queue)

            try await attempt(queue, [refunded])

            #expect(try await queue.order("lost").state == .open)
            #expect(try await queue.count("counterfoil.jobs where kind = 'verify'") == 0)
            #expect(try await queue.count("counterfoil.revocations where transaction_id = '2'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// The order's own client came first: Apple isn't asked.
    @Test func anOrderThatIsOpenNoMoreIsNotSearched() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await makeDue(queue)
            try await queue.change("lost", "state = 'cancelled', reason = 'order_cancelled'")

            try await attempt(queue, [Self.paid("2", minutesAgo: 14)])

            #expect(try await queue.transaction("2") == nil)
            #expect(try await nextAge(queue) == nil)
        }
    }

    @Test func afterTheLastAgeNobodyIsAsked() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await makeDue(queue)
            try await queue.change("lost", "created_at = created_at - interval '3 days'")

            try await attempt(queue, [])

            #expect(try await nextAge(queue) == nil)
            #expect(try await queue.action("lost") == "upload_proof")
        }
    }

    /// Each order is met once.
    @Test func ofEachOrderOneSearchIsQueued() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await makeDue(queue)
            try await queue.admin.execute("delete from counterfoil.jobs")

            #expect(try await look(queue) == 0)
            #expect(
                try await queue.count("counterfoil.searches where searched_to between now() - interval '11 minutes' and now()") == 1
            )
        }
    }

    private static let without: [(String, String)] = [
        ("a payment of the account", "update counterfoil.orders set account_id = 'cleo' where order_id = 'lost'"),
        (
            "need, since it was paid",
            "update counterfoil.orders set state = 'cancelled', reason = 'order_cancelled' where order_id = 'lost'"
        ),
        ("need, since it has a proof", "insert into counterfoil.jobs (order_id, proof) values ('lost', 'eyJ x')"),
        ("the app's wish", "update counterfoil.apps set searches_orders = false"),
        ("age", "update counterfoil.orders set created_at = now() - interval '9 minutes' where order_id = 'lost'"),
    ]

    @Test(arguments: without)
    func nobodyIsAskedWithout(what: String, change: String) async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await queue.admin.execute(change)

            try await makeDue(queue)

            #expect(try await queue.count("counterfoil.jobs where kind = 'search'") == 0)
        }
    }

    /// Once it has a key, the orders meanwhile are looked at.
    @Test func withoutAKeyTheOrdersWait() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await queue.admin.execute("update counterfoil.searches set searched_to = now() - interval '30 minutes'")

            #expect(try await look(queue, hasKey: false) == 0)
            #expect(try await look(queue) == 1)
        }
    }

    @Test func aRefusedKeyIsNoAnswer() async throws {
        try await QueueFixture.run { queue in
            try await lose(queue, minutesAgo: 15)
            try await makeDue(queue)
            let job = try #require(try await queue.claim().first)
            let runner = AttemptRunner(
                verifier: ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .unauthorized }),
                gates: try await gates(queue),
                pool: queue.pool, retry: RetryPolicy())

            let settlement = await runner.attempt(job, deadline: .now + .seconds(20)).settlement

            #expect(!settlement.ends && settlement.found.isEmpty)
        }
    }
}
