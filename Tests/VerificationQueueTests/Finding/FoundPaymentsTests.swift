// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// Whose a payment is that no client showed, where more than one answer seems right.
@Suite struct FoundPaymentsTests {
    private static func paid(
        _ id: String, minutesAgo: Double, product: String = "coins", token: UUID? = nil, customer: String? = nil
    ) -> Transaction {
        var transaction = Transaction.sample(
            id: id, product: product, purchased: Date(timeIntervalSinceNow: -minutesAgo * 60), token: token)
        transaction.customerID = customer.flatMap { CustomerID($0) }
        return transaction
    }

    private func tell(_ queue: QueueFixture, _ transactions: Transaction...) async throws {
        for _ in transactions { try #require(try await queue.receive(QueueFixture.notificationText()) == "stored") }
        let jobs = try await queue.claim().filter { $0.work.kind == .notification }
        try #require(jobs.count == transactions.count)
        let store = SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 1))
        _ = try await store.settle(
            zip(jobs, transactions).map {
                Settlement($0, recording: Told("ONE_TIME_CHARGE", $1, signedAt: $1.purchaseDate).effects)
            })
    }

    /// Does what waits for later, too.
    private func lookAgain(_ queue: QueueFixture, _ transaction: Transaction) async throws {
        try await queue.admin.execute("update counterfoil.jobs set run_at = now()")
        let job = try #require(try await queue.claim().first)
        try #require(job.work.kind == .notification)
        _ = try await queue.settle(
            Settlement(job, recording: Told("ONE_TIME_CHARGE", transaction, signedAt: transaction.purchaseDate).effects))
    }

    /// The customer was seen with one account, and one order fits: that is a guess. The client's showing is none.
    @Test func withoutATokenAPaymentWaitsForItsClient() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("before", minutesAgo: 5000)
            try await queue.submit("before", "eyJ 1")
            try await queue.work { _ in Self.paid("1", minutesAgo: 4999, customer: "7") }
            try await queue.place("lost", minutesAgo: 101)
            let bought = Self.paid("2", minutesAgo: 100, customer: "7")

            try await tell(queue, bought)

            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.text("select reason from counterfoil.payments where transaction_id = '2'") == "no_order")
            #expect(try await queue.order("lost").state == .open)

            try await queue.submit("lost", "eyJ 2")
            try await queue.work { _ in bought }

            #expect(try await queue.order("lost") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Ann shows what Bob paid for, and is granted nothing: she is the only account that his Apple customer was seen with. What he
    /// buys later isn't hers, and pays none of her orders.
    @Test(arguments: ["another product", "bought before her order", "a period"])
    func aStolenProofMakesNobodyTheOwnerOfWhatFollows(shown: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            let isPeriod = shown == "a period"
            let product = isPeriod ? "plus" : "coins"
            var stolen = Self.paid("1", minutesAgo: 4_999, product: shown == "another product" ? "pro" : product, customer: "7")
            var later = Self.paid("2", minutesAgo: 100, product: product, customer: "7")
            if shown == "another product" { stolen.productKind = .nonConsumable }
            if isPeriod {
                (stolen.productKind, stolen.webOrderLineItemID) = (.autoRenewable, "w1")
                (later.productKind, later.webOrderLineItemID) = (.autoRenewable, "w2")
                (later.originalID, later.purchaseReason) = (stolen.id, .renewal)
            }
            let (shownByAnn, bobs) = (stolen, later)
            try await queue.place("shows", minutesAgo: 4_000)
            try await queue.place("open", product: product, minutesAgo: 101)
            try await queue.place("bob's", account: "bob", product: product, minutesAgo: 101)
            try await queue.submit("shows", "eyJ 1")
            try await queue.work { _ in shownByAnn }
            try #require(try await queue.order("shows").state == .review)
            try #require(try await queue.text("select account_id from counterfoil.payments where transaction_id = '1'") == "ann")

            try await tell(queue, bobs)

            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(
                try await queue.text("select concat_ws(' ', reason, account_id) from counterfoil.ledger where transaction_id = '2'")
                    == "no_order")

            try await queue.submit("bob's", "eyJ 2", account: "bob", product: product)
            try await queue.work { _ in bobs }

            #expect(try await queue.order("bob's") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.order("open") == OrderFacts(.open))
            #expect(try await queue.faults() == [])
        }
    }

    /// In whatever order a stranger, Apple and the rightful client come: the payment goes to the order that its token names, and is
    /// called as if the stranger had not shown it.
    @Test(
        arguments: [
            ["stranger", "Apple"], ["Apple", "stranger"], ["stranger", "client"], ["stranger", "Apple", "client"],
            ["stranger", "stranger", "Apple"], ["Apple", "stranger", "client"],
        ], ["the signed text", "a receipt without its token"])
    func aStrangersShowingTakesNothingAway(acts: [String], shows: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 101)
            let bought = Self.paid("1", minutesAgo: 100, token: token)
            let stolen = shows == "the signed text" ? bought : Self.paid("1", minutesAgo: 100)
            // Without the token, an order for the same product would be paid: first come, first served.
            try await queue.place("bob's", account: "bob", product: shows == "the signed text" ? "coins" : "pro", minutesAgo: 101)

            for (number, act) in acts.enumerated() {
                switch act {
                case "stranger":
                    try await queue.admin.execute(
                        "insert into counterfoil.jobs (order_id, proof) values ($1, $2)", [.text("bob's"), .text("eyJ \(number)")])
                    try await queue.work { _ in stolen }
                case "client":
                    try await queue.admin.execute(
                        "insert into counterfoil.jobs (order_id, proof) values ($1, $2)", [.text("a"), .text("eyJ 1")])
                    try await queue.work { _ in bought }
                default:
                    try await tell(queue, bought)
                    try await queue.work { _ in bought }
                }
                #expect(try await queue.order("bob's").state != .fulfilled)
            }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(
                try await queue.text(
                    "select concat_ws(' ', transaction_id, account_id, order_id, reason) from counterfoil.ledger")
                    == "1 ann a")
            #expect(try await queue.faults() == [])
        }
    }

    /// Its token speaks for an account: whoever else shows it is refused, and the payment is that account's. One whose token speaks
    /// for nobody is kept with the refusal.
    @Test(arguments: [("ann's", "no_order"), ("nobody's", "owner_mismatch")])
    func aRefusalIsTheOrdersReasonWhereThePaymentIsSomebodys(token: String, reason: String) async throws {
        try await QueueFixture.run { queue in
            let (anns, nobodys) = (UUID(), UUID())
            try await queue.place("a", product: "pro", token: anns, minutesAgo: 101)
            try await queue.place("bob's", account: "bob", token: UUID(), minutesAgo: 101)
            let bought = Self.paid("1", minutesAgo: 100, token: token == "ann's" ? anns : nobodys)
            try await queue.admin.execute("insert into counterfoil.jobs (order_id, proof) values ('bob''s', 'eyJ 1')")

            try await queue.work { _ in bought }

            #expect(try await queue.order("bob's") == OrderFacts(.review, .ownerMismatch, by: "1"))
            #expect(
                try await queue.text("select concat_ws(' ', reason, shown_by, account_id) from counterfoil.ledger")
                    == (reason == "no_order" ? reason : "\(reason) bob's bob"))
        }
    }

    /// The customer subscribed again, by an order of its own.
    @Test func aRenewalWhoseTokenNamesAnOpenOrderPaysForIt() async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            @Sendable func period(_ id: String, minutesAgo: Double, token: UUID?) -> Transaction {
                var period = Transaction.sample(
                    id: id, original: "1", product: "plus", kind: .autoRenewable,
                    purchased: Date(timeIntervalSinceNow: -minutesAgo * 60),
                    token: token, webOrder: "w\(id)")
                period.expiresDate = period.purchaseDate.addingTimeInterval(300)
                return period
            }
            let token = UUID()
            try await queue.place("first", product: "plus", minutesAgo: 101)
            try await queue.upload("first", product: "plus")
            try await queue.settle(period("1", minutesAgo: 100, token: nil), for: "first")
            try await queue.place("again", product: "plus", token: token, minutesAgo: 11)
            let again = period("2", minutesAgo: 10, token: token)

            try await tell(queue, again)
            try await queue.work { _ in again }

            #expect(try await queue.order("again") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Both orders bear the account's one token.
    @Test func twoPaymentsOfOneAccountFindTheirTwoOrders() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 12)
            try await queue.place("b", token: token, minutesAgo: 11)
            let first = Self.paid("1", minutesAgo: 10, token: token)
            let second = Self.paid("2", minutesAgo: 9, token: token)

            try await tell(queue, first, second)
            #expect(try await queue.count("counterfoil.jobs where kind = 'verify'") == 1)
            try await queue.settle(first, for: "b")
            try await lookAgain(queue, second)
            try await queue.work { _ in second }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// An order whose proofs fill its room holds up nobody's settlement, and is looked at again.
    @Test(arguments: [
        "select 'a', 'MII x' from generate_series(1, 20)", "select 'a', repeat('MII ', 1048576) from generate_series(1, 8)",
    ])
    func anOrderWithoutRoomIsLookedAtAgain(uploads: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 11)
            try await queue.admin.execute("insert into counterfoil.jobs (order_id, proof) \(uploads)")
            try await queue.admin.execute("update counterfoil.jobs set run_at = now() + interval '1 hour'")
            let bought = Self.paid("1", minutesAgo: 10, token: token)

            try await tell(queue, bought)
            #expect(
                try await queue.count("counterfoil.jobs where kind = 'notification' and run_at > now() + interval '9 minutes'") == 1
            )
            try await queue.admin.execute("delete from counterfoil.jobs where kind = 'verify'")
            try await lookAgain(queue, bought)
            try await queue.work { _ in bought }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.faults() == [])
        }
    }

    /// Another system granted it.
    @Test func whatWasBoughtBeforeTheLedgerIsNoOrders() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now() - interval '1 hour'")
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 100)

            try await tell(queue, Self.paid("1", minutesAgo: 90, token: token))

            #expect(try await queue.text("select reason from counterfoil.payments") == "before_ledger")
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.count("counterfoil.changes") == 0)
            #expect(try await queue.count("counterfoil.paid_not_delivered") == 0)
        }
    }

    /// Its app was being added when it came.
    @Test func aRepetitionQueuesWhatWasMissed() async throws {
        try await QueueFixture.run { queue in
            let text = QueueFixture.notificationText()
            try await queue.receive(text)
            try await queue.admin.execute("delete from counterfoil.jobs")
            try await queue.admin.execute("update counterfoil.notifications set is_of_an_app = false")
            #expect(try await queue.faults() != [])

            #expect(try await queue.receive(text) == "known")

            #expect(try await queue.count("counterfoil.jobs where kind = 'notification'") == 1)
            #expect(try await queue.count("counterfoil.notifications where is_of_an_app") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// Anybody may have sent them. Apple's history has what was genuine.
    @Test func whatIsOfUnknownAppsGoesAfterEightDays() async throws {
        try await QueueFixture.run { queue in
            for days in [7, 9] {
                try await queue.receive(QueueFixture.notificationText(bundle: "com.example.unknown"))
                try await queue.admin.execute(
                    "update counterfoil.notifications set received_at = now() - interval '\(days) days' where received_at > now() - interval '1 day'"
                )
            }
            try await queue.receive(QueueFixture.notificationText())
            try await queue.admin.execute(
                "update counterfoil.notifications set received_at = now() - interval '9 days' where is_of_an_app")

            try await NotificationStore(pool: queue.pool).prune(olderThan: .seconds(400 * 86_400))

            #expect(try await queue.count("counterfoil.notifications") == 2)
            #expect(try await queue.count("counterfoil.notifications where is_of_an_app") == 1)
        }
    }
}
