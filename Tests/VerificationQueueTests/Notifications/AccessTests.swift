// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What somebody else paid for, and a family member or the holder of a seat has: access with an end, and no payment.
@Suite struct AccessTests {
    private static let now = Date()

    private static func at(_ hours: Double) -> Date { now.addingTimeInterval(hours * 3600) }

    private static func shared(
        _ id: String = "7", original: String? = nil, _ ownership: Transaction.Ownership = .familyShared, from begin: Double = -10,
        until end: Double? = 90, product: String = "plus", kind: ProductKind? = .autoRenewable,
        environment: AppStoreEnvironment = .production, endedAt: Double? = nil
    ) -> Transaction {
        var shared = Transaction.sample(
            id: id, original: original ?? "7", product: product, environment: environment, kind: kind, purchased: at(begin),
            webOrder: kind == .autoRenewable ? "w\(id)" : nil)
        shared.ownership = ownership
        shared.expiresDate = end.map(at)
        shared.revocation = endedAt.map { .whole(at($0), by: .signedTransaction, asOf: at($0)) }
        return shared
    }

    /// As an attempt settles a proof that shows it.
    private func upload(
        _ queue: QueueFixture, _ order: String, account: String = "ann", _ shared: Transaction, signed: Double
    ) async throws {
        let shown = ShownPayment(shared, signedAt: Self.at(signed))
        try await queue.submit(order, "eyJ \(shared.id.rawValue)", account: account, product: shared.productID.rawValue)
        let job = try #require(try await queue.claim().first { $0.work.kind == .verify })
        let reason: Reason = shared.ownership == .assigned ? .assignedSeat : .familyShared
        _ = try await queue.settle(Settlement(job, .end(.rejected(reason, shared.id)), shared: [shown]))
    }

    /// "status ownership account transaction", as a backend asks for an account.
    private func access(_ queue: QueueFixture, _ id: String = "7", of account: String = "ann") async throws -> String? {
        let backend = PostgresPool(
            configuration: try PostgresConfiguration(url: queue.url.replacing("counterfoil_worker", with: "counterfoil_backend")),
            size: 1, logger: .test)
        let row = try await backend.execute(
            """
            select concat_ws(' ', s.status, s.ownership, s.account_id, s.transaction_id)
            from counterfoil.subscription_status_of($1, null, $2, $3) s
            """, [.text(QueueFixture.bundle), .text(id), .text(account)]
        ).first?.string(0)
        await backend.close()
        return row
    }

    /// Nothing is granted, the client may finish, and whoever showed it has access. Another account has no row.
    @Test(arguments: [Transaction.Ownership.familyShared, .assigned])
    func whatAFamilyMemberShowsIsAccessAndNoPayment(ownership: Transaction.Ownership) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await queue.submit("a", "eyJ 7", product: "plus")
            try await queue.work { _ in Self.shared("7", ownership) }

            let reason: Reason = ownership == .assigned ? .assignedSeat : .familyShared
            #expect(try await queue.order("a") == OrderFacts(.rejected, reason, by: "7"))
            #expect(try await queue.text("select client_action from counterfoil.order_status where order_id = 'a'") == "finish")
            #expect(try await access(queue) == "active \(ownership.rawValue) ann 7")
            #expect(try await access(queue, of: "bob") == nil)
            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// The text counts that Apple signed last, whenever it comes.
    @Test(arguments: [
        ["upload", "revoke"], ["revoke", "upload"], ["revoke", "upload", "upload"], ["upload", "revoke", "upload"],
    ])
    func itsEndCountsInAnyOrder(acts: [String]) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            for (number, act) in acts.enumerated() {
                if act == "upload" {
                    try await upload(queue, "o\(number)", Self.shared(), signed: -9)
                } else {
                    try await queue.tell(Told("REVOKE", Self.shared(endedAt: -1), signedAt: Self.at(-1)))
                }
            }

            #expect(try await access(queue) == "revoked family_shared ann 7")
            #expect(
                try await queue.text(
                    "select round(extract(epoch from access_until - now()) / 3600) from counterfoil.subscription_status")
                    == "-1")
            #expect(try await queue.count("counterfoil.accesses") == 1)
            // It is told, by its transaction.
            #expect(
                try await queue.text(
                    "select string_agg(concat_ws(' ', details ->> 'type', transaction_id), ';') from counterfoil.changes where details is not null"
                )
                    == "REVOKE 7")
        }
    }

    /// Shared anew after its end.
    @Test func aNewerTextGivesItBack() async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await queue.tell(Told("REVOKE", Self.shared(endedAt: -3), signedAt: Self.at(-3)))

            try await upload(queue, "a", Self.shared(), signed: -1)

            #expect(try await access(queue) == "active family_shared ann 7")
        }
    }

    /// A renewal of the member's is the account's that showed an earlier period. Each transaction is answered for.
    @Test func theLatestPeriodAnswersForTheMember() async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await upload(queue, "a", Self.shared(from: -110, until: -10), signed: -109)
            var told = Told("DID_RENEW", Self.shared("8", original: "7"), signedAt: Self.at(-10))
            told.renewal = Renewal(originalID: TransactionID(rawValue: "7"), willRenew: false, signedAt: Self.at(-10))

            try await queue.tell(told)

            #expect(try await access(queue) == "active family_shared ann 8")
            #expect(try await access(queue, "8") == "active family_shared ann 8")
            #expect(try await access(queue, "8", of: "bob") == nil)
            #expect(try await queue.text("select will_renew from counterfoil.subscription_status") == "false")
        }
    }

    /// What is bought for good has no end. A consumable is shared with nobody; of an unknown kind only an end shows that it is
    /// none.
    @Test(
        arguments: [
            ("plus", nil, nil, true), ("pro", ProductKind.nonConsumable, nil, true), ("coins", nil, nil, false),
            ("coins", nil, 90.0, false), ("new", nil, nil, false), ("new", nil, 90, true),
        ] as [(String, ProductKind?, Double?, Bool)])
    func onlyWhatIsNoConsumableIsShared(product: String, kind: ProductKind?, end: Double?, isKept: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.shared(until: end, product: product, kind: kind)))

            #expect(try await queue.count("counterfoil.accesses") == (isKept ? 1 : 0))
            #expect(try await access(queue)?.hasPrefix("active") == (isKept ? true : nil))
        }
    }

    /// The app's policy holds as for what is paid.
    @Test(arguments: [("deny", "ann", 0), ("listed", "bob", 0), ("listed", "ann", 1), ("allow", "bob", 1)])
    func aSandboxAccessCountsAsThePolicySays(policy: String, listed: String, kept: Int) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = $1", [.text(policy)])
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', $1)",
                [.text(listed)])

            try await upload(queue, "a", Self.shared(environment: .sandbox), signed: -9)
            var told = Told("DID_CHANGE_RENEWAL_STATUS", Self.shared(environment: .sandbox), signedAt: Self.at(-8))
            told.renewal = Renewal(originalID: TransactionID(rawValue: "7"), willRenew: false, signedAt: Self.at(-8))
            try await queue.tell(told)

            #expect(try await queue.count("counterfoil.accesses") == kept)
            // Nor what renews.
            #expect(try await queue.count("counterfoil.subscriptions") == kept)
        }
    }
}
