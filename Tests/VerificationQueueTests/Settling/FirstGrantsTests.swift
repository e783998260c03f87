// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// The short path of a settlement, and each way to leave it by a hair: nothing is granted twice, lost, or written halfway.
@Suite struct FirstGrantsTests {
    private static func grant(_ job: Job, _ transaction: Transaction) -> Settlement {
        Settlement(
            job, .grantOne, payments: .init(candidates: [ShownPayment(transaction, listedKind: job.order.productKind)]),
            proofKind: .signedTransaction)
    }

    /// As Apple signs it: of its product's kind.
    private static func sample(_ id: String, _ product: String) -> Transaction {
        .sample(id: id, product: product, kind: product == "pro" ? .nonConsumable : .consumable)
    }

    private static func settled(_ results: [SettlementResult.Result]) -> Int {
        results.count { if case .settled(.fulfilled) = $0 { true } else { false } }
    }

    /// All that a settlement writes, without times and numbers that differ from run to run.
    private static func ledger(_ queue: QueueFixture) async throws -> [String] {
        try await queue.admin.execute(
            """
            select concat_ws(' ', 'payment', p.transaction_id, p.original_transaction_id, p.payment_key, p.product_id,
                p.product_kind, p.quantity, p.account_id, p.shown_by, p.reason, p.order_id, p.job_id is not null,
                p.granted_at is not null, coalesce(p.web_order_line_item_id, '-'), coalesce(p.additional_reason, '-'),
                coalesce(p.purchase_reason, '-'), coalesce(p.price_milliunits::text, '-'), coalesce(p.currency, '-'),
                coalesce(p.customer_id, '-'), coalesce(p.terms::text, '-'), p.purchased_at < now(), p.paid_at is null, p.expires_at is null,
                p.app_account_token is null, p.is_advanced_commerce is null, p.fits_under is null)
            from counterfoil.ledger p
            union all
            select concat_ws(' ', 'order', o.order_id, o.state, o.reason, o.transaction_id, o.environment, o.attempts, o.version,
                o.fulfilled_at = o.updated_at, o.last_attempt_at is not null)
            from counterfoil.orders o
            union all
            select concat_ws(' ', 'job', j.order_id, j.kind, j.state, j.transaction_id) from counterfoil.jobs j
            union all
            select concat_ws(' ', 'attempt', a.order_id, a.lease_token, a.attempt, a.disposition, coalesce(a.reason, '-'),
                coalesce(a.message, '-'), a.proof_kind, a.environment, a.transaction_id, a.worker_id, a.submitted_at < a.claimed_at,
                a.claimed_at < a.finished_at, a.shown_transaction_ids is null)
            from counterfoil.attempts a
            union all
            select concat_ws(' ', 'told', c.kind, c.order_id, c.order_version, c.transaction_id)
            from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 1000) c
            order by 1
            """
        ).map { try $0.string(0) }
    }

    /// Plain grants of each kind, a restore's first showing with a key, and an app that has its transactions finished.
    @Test(arguments: [false, true])
    func bothPathsWriteTheSame(finishes: Bool) async throws {
        let ledgers = Mutex<[[String]]>([])
        for path in SettlementPath.allCases {
            try await QueueFixture.run { queue in
                if finishes { try await queue.admin.execute("update counterfoil.apps set finish_transactions = true") }
                try await queue.submit("a", "eyJ 1")
                try await queue.submit("b", "eyJ 2", product: "pro")
                try await queue.submit("c", "eyJ 3", account: "bob")
                let jobs = try await queue.claim()
                let settlements = jobs.map { job in
                    var paid = Self.sample(job.order.id.rawValue + "1", job.order.productID.rawValue)
                    paid.price = SignedPrice(milliunits: 4_990, currency: "EUR")
                    paid.customerID = CustomerID("someone")
                    paid.terms = SignedTerms(storefront: "DEU", offerType: 1)
                    paid.purchaseReason = .purchase
                    return Self.grant(job, paid)
                }
                let store = SettlementStore(pool: queue.pool, workerID: queue.worker)

                switch path {
                case .short:
                    let (results, left) = try await store.grantFirst(settlements)
                    #expect(results.count == 3)
                    #expect(left.isEmpty)
                    #expect(try await queue.count("counterfoil.other_attempts") == 0)
                case .careful:
                    #expect(try await store.settle(settlements).results.count == 3)
                    #expect(try await queue.count("counterfoil.other_attempts") == 3)
                }

                #expect(try await queue.faults() == [])
                let ledger = try await Self.ledger(queue)
                ledgers.withLock { $0.append(ledger) }
            }
        }
        let ledger = ledgers.withLock { $0[0] }
        #expect(ledger == ledgers.withLock { $0[1] })
        #expect(ledger.count { $0.hasPrefix("payment") && $0.contains(" purchase 4990 EUR someone ") } == 3)
        #expect(ledger.count { $0.hasPrefix("told order_fulfilled") } == 3)
        #expect(ledger.count { $0.hasPrefix("job") } == (finishes ? 3 : 0))
    }

    /// Something that the ledger knows of the payment of order `b`, whose id is 2.
    struct Word: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var payment = Transaction.sample(id: "2")
        let arrange: @Sendable (QueueFixture) async throws -> Void
    }

    private static func insertPayment(
        _ id: String, _ queue: QueueFixture, original: String? = nil, key: String? = nil
    ) async throws {
        try await queue.admin.execute(
            """
            with granted as (
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('eve''s ' || $1, '\(QueueFixture.bundle)', 'pro', 'eve')
                returning number
            )
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, payment_key, product_id, product_kind, quantity,
                purchased_at, account_id, order_number, granted_at
            )
            select $1, '\(QueueFixture.bundle)', 'production', $2, $3, 'pro', 'non_consumable', 1, now(), 'eve', g.number, now()
            from granted g
            """, [.text(id), .text(original ?? id), .text(key)])
    }

    static let words: [Word] = [
        Word(testDescription: "it was granted") { queue in try await insertPayment("2", queue) },
        Word(testDescription: "another name of it is known") { queue in
            try await insertPayment("3", queue, original: "2")
        },
        Word(testDescription: "its key was granted", payment: sample("2", "pro")) { queue in
            try await insertPayment("4", queue, original: "4", key: "original:2")
        },
        Word(testDescription: "it was refunded") { queue in
            try await queue.admin.execute(
                """
                insert into counterfoil.revocations (
                    transaction_id, bundle_id, environment, original_transaction_id, kind, share, occurred_at, as_of
                )
                values ('2', '\(QueueFixture.bundle)', 'production', '2', 'revocation', 100000, now(), now())
                """)
        },
        Word(testDescription: "it has a token, and its order has none", payment: .sample(id: "2", token: UUID())) { _ in },
        Word(testDescription: "it isn't its own original", payment: .sample(id: "2", original: "1")) { _ in },
    ]

    /// The other grants of the batch are written.
    @Test(arguments: words)
    func whatTheLedgerHasAWordOfIsLeftOut(_ word: Word) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2", product: word.payment.productID.rawValue)
            try await word.arrange(queue)
            let jobs = try await queue.claim()

            let (results, left) = try await queue.grantFirst(
                Self.grant(jobs[0], .sample(id: "1000")), Self.grant(jobs[1], word.payment))

            #expect(Self.settled(results) == 1)
            #expect(left == [jobs[1].id])
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1000"))
            #expect(try await queue.order("b") == OrderFacts(.open))
            #expect(try await queue.job(jobs[1].id) == "running 1 -")
            #expect(try await queue.count("counterfoil.orders where order_id = 'b' and attempts = 0") == 1)
            #expect(try await queue.count("counterfoil.ledger where order_id = 'b'") == 0)
        }
    }

    /// The worker sends no such payment by this path. The statement trusts it in nothing.
    @Test(arguments: [
        Transaction.sample(id: "2", token: UUID()), .sample(id: "2", original: "1"), .sample(id: "2"),
    ])
    func theStatementItselfLeavesOutWhatHasAnObjection(transaction: Transaction) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("b", "eyJ 2")
            let job = try await queue.claim()[0]
            let grant = FirstGrant(
                grant: Grant(
                    payment: PaymentFacts(ShownPayment(transaction, listedKind: .consumable)), payee: Payee(job.order),
                    jobID: job.id),
                job: job, proofKind: .signedTransaction)
            let columns = Columns([grant]) { SettlementStore.firstGrants(&$0, workerID: queue.worker) }

            let granted = try await queue.pool.execute(SQLFile.grantFirstPayments.statement, columns.parameters).count

            let isPlain = transaction.appAccountToken == nil && transaction.id == transaction.originalID
            #expect(granted == (isPlain ? 1 : 0))
            #expect(try await queue.count("counterfoil.payments") == granted)
        }
    }

    /// Nobody is told of a transaction that wasn't granted.
    @Test func onlyGrantsHaveFollowUps() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2")
            try await Self.insertPayment("2", queue)
            let jobs = try await queue.claim()

            _ = try await queue.grantFirst(Self.grant(jobs[0], .sample(id: "1")), Self.grant(jobs[1], .sample(id: "2")))

            let follow = try await queue.admin.execute(
                "select order_id, transaction_id from counterfoil.jobs where kind = 'finish'")
            #expect(try follow.map { try $0.string(0) + $0.string(1) } == ["a1"])
        }
    }

    /// Something that happens to order `b` or its job between the claim and the grant. Nothing of the batch is written then.
    struct Move: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var state = SQLState.movedGrants
        let happen: @Sendable (QueueFixture) async throws -> Void
    }

    @Test(arguments: [
        Move(testDescription: "the lease ran out, and the job runs again") { queue in
            try await queue.admin.execute(
                "update counterfoil.jobs set lease_token = lease_token + 1, attempt = attempt + 1 where order_id = 'b'")
        },
        Move(testDescription: "the lease ran out, and the job waits") { queue in
            try await queue.admin.execute(
                """
                update counterfoil.jobs set state = 'available', lease_expires_at = null, worker_id = null, claimed_at = null
                where order_id = 'b'
                """)
        },
        Move(testDescription: "the job is gone") { queue in
            try await queue.admin.execute("delete from counterfoil.jobs where order_id = 'b'")
        },
        Move(testDescription: "the order was cancelled") { queue in
            try await queue.admin.execute("select * from counterfoil.cancel_order('b', 'gone')")
        },
        Move(testDescription: "another payment paid the order", state: .uniqueViolation) { queue in
            try await queue.admin.execute(
                """
                insert into counterfoil.payments (
                    transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity,
                    purchased_at, account_id, order_number, granted_at
                )
                select '9', '\(QueueFixture.bundle)', 'production', '9', 'coins', 'consumable', 1, now(), 'ann', o.number, now()
                from counterfoil.orders o where o.order_id = 'b'
                """)
        },
    ])
    func whatWasMovedMeanwhileStopsTheBatch(_ move: Move) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2")
            let jobs = try await queue.claim()
            try await move.happen(queue)
            let before = try await Self.ledger(queue)

            let error = await #expect(throws: PostgresError.self) {
                _ = try await queue.grantFirst(Self.grant(jobs[0], .sample(id: "1")), Self.grant(jobs[1], .sample(id: "2")))
            }

            #expect(error?.sqlState == move.state)
            #expect(error?.statementName == "grant_first_payments")
            #expect(try await Self.ledger(queue) == before)
            guard case .lock = SettlementFault(try #require(error)) else {
                Issue.record("\(SettlementFault(try #require(error)))")
                return
            }
            // The connection is whole, and the careful path goes on.
            #expect(Self.settled(try await queue.settle(Self.grant(jobs[0], .sample(id: "1")))) == 1)
        }
    }

    @Test func onePaymentTwiceInABatchStopsIt() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 1")
            let jobs = try await queue.claim()

            let error = await #expect(throws: PostgresError.self) {
                _ = try await queue.grantFirst(Self.grant(jobs[0], .sample(id: "1")), Self.grant(jobs[1], .sample(id: "1")))
            }

            #expect(error?.sqlState == .uniqueViolation)
            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.count("counterfoil.jobs where state = 'running'") == 2)
        }
    }

    /// What another session holds: the row of the same payment, whoever writes it; the lock of its names; the order; the job.
    @Test(arguments: [
        """
        insert into counterfoil.payments (
            transaction_id, bundle_id, environment, original_transaction_id, product_id, quantity, purchased_at, reason
        )
        values ('1', 'com.example.game', 'production', '1', 'pro', 1, now(), 'refunded')
        """,
        "insert into counterfoil.originals values ('1', 'com.example.game', 'production')",
        "select from counterfoil.orders where order_id = 'a' for update",
        "select from counterfoil.jobs where order_id = 'a' for update",
    ])
    func nobodyWaitsLongForWhatAnotherHolds(held: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", product: "pro")
            let jobs = try await queue.claim()
            try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin; \(held)")

                let error = await #expect(throws: PostgresError.self) {
                    _ = try await queue.grantFirst(Self.grant(jobs[0], Self.sample("1", "pro")))
                }

                #expect(error?.sqlState == .lockNotAvailable)
                try await other.executeScript("rollback")
            }
            #expect(Self.settled(try await queue.grantFirst(Self.grant(jobs[0], Self.sample("1", "pro"))).results) == 1)
        }
    }

    @Test func sentAgainItFindsTheLeaseLost() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let settlement = Self.grant(try await queue.claim()[0], .sample(id: "1"))
            _ = try await queue.grantFirst(settlement)

            let (results, left) = try await queue.grantFirst(settlement)

            #expect(results.isEmpty)
            #expect(left.count == 1)
            #expect(try await queue.settle(settlement) == [.leaseLost])
            #expect(try await queue.count("counterfoil.payments") == 1)
            #expect(try await queue.count("counterfoil.attempts") == 1)
        }
    }

    /// What waited for the order's turn is due from now on.
    @Test func theNextJobOfTheOrderIsCalled() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", dueSince: 60)
            let next = try await queue.submit("a", "eyJ 2", dueSince: 50)
            let job = try #require(try await queue.claim().first)

            _ = try await queue.grantFirst(Self.grant(job, .sample(id: "1")))

            #expect(try await queue.count("counterfoil.jobs where id = \(next.rawValue) and run_at > now() - interval '20 s'") == 1)
        }
    }

    /// A settler sends plain grants by the short path, and what that can't write by the careful one, in the same turn.
    @Test(.timeLimit(.minutes(1))) func aSettlerTakesBothPaths() async throws {
        try await QueueFixture.run { queue in
            for order in ["a", "b", "c"] { try await queue.submit(order, "eyJ \(order)") }
            try await Self.insertPayment("2", queue)
            let jobs = try await queue.claim()
            try await queue.admin.execute("select * from counterfoil.cancel_order('c', 'gone')")
            let (reports, continuation) = AsyncStream.makeStream(of: SettlementResult.self)
            let settler = Settler(
                store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: WorkerConfiguration(),
                logger: .test, fellApart: { Issue.record("\($0) jobs fell apart") }, report: { continuation.yield($0) })

            for (job, payment) in zip(jobs, ["1", "2", "3"]) { settler.add(Self.grant(job, .sample(id: payment))) }
            async let settling: Void = settler.run()
            var settled: [String: SettlementResult.Result] = [:]
            for await result in reports.prefix(3) { settled[result.settlement.job.order.id.rawValue] = result.result }
            settler.finish()
            await settling

            #expect(settled.count == 3)
            #expect(!settled.values.contains(.leaseLost))
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.rejected, .grantedToAnotherAccount))
            #expect(try await queue.order("c") == OrderFacts(.cancelled, .orderCancelled))
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.count("counterfoil.unclaimed_transactions where transaction_id = '3'") == 1)
        }
    }

    /// A proof that shows a payment as refunded, in the same turn as one that asks for its grant.
    @Test(.timeLimit(.minutes(1))) func aRefundOfTheSameTurnComesFirst() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "MII 1")
            let jobs = try await queue.claim()
            let (reports, continuation) = AsyncStream.makeStream(of: SettlementResult.self)
            let settler = Settler(
                store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: WorkerConfiguration(),
                logger: .test, report: { continuation.yield($0) })

            settler.add(Self.grant(jobs[0], .sample(id: "1")))
            settler.add(
                Settlement(
                    jobs[1], .end(.rejected(.wrongProduct, nil)), payments: .init(revoked: [.sample(id: "1", revoked: Date())])))
            async let settling: Void = settler.run()
            for await _ in reports.prefix(2) {}
            settler.finish()
            await settling

            #expect(try await queue.count("counterfoil.payments where granted_at is not null") == 0)
            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 0)
            #expect(try await queue.count("counterfoil.changes where kind = 'order_fulfilled'") == 0)
            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    /// Two workers that claimed the same payment for two orders: one is granted it, whichever comes first.
    @Test func twoWorkersGrantOnePaymentOnce() async throws {
        try await QueueFixture.run { queue in
            for round in 1...10 {
                try await queue.submit("a\(round)", "eyJ 1")
                try await queue.submit("b\(round)", "eyJ 1")
                let jobs = try await queue.claim()
                let store = SettlementStore(pool: queue.pool, workerID: queue.worker)
                let granted = await withTaskGroup(of: Int.self) { group in
                    for job in jobs {
                        group.addTask {
                            let settlement = Self.grant(job, .sample(id: "\(round)000"))
                            return (try? await store.grantFirst([settlement]).results.count) ?? 0
                        }
                    }
                    return await group.reduce(0, +)
                }
                #expect(granted == 1)
                #expect(try await queue.count("counterfoil.grants where transaction_id = '\(round)000'") == 1)
                for job in jobs { _ = try await queue.settle(Self.grant(job, .sample(id: "\(round)000"))) }
            }
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }
}
