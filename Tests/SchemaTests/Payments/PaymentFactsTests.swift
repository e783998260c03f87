// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// The facts of a payment, and the rules about payments that stand in SQL and in Swift.
@Suite struct PaymentFactsTests {
    private static let token = UUID()

    // MARK: What is clear

    /// `insert_grants` spares the look-ups of most payments. Where it does, no fact stands against them.
    @Test(arguments: InsertGrantsTests.obstacles + InsertGrantsTests.allowed)
    func whatIsUnheardOfIsClear(_ obstacle: InsertGrantsTests.Obstacle) async throws {
        let text = SQLFile.insertGrants.text
        let start = try #require(text.firstRange(of: "(e.app_account_token is null"))
        let end = try #require(text.firstRange(of: " as is_unheard_of"))
        let isUnheardOf = text[start.lowerBound..<end.lowerBound]
        try await obstacle.open { shop in
            let payment = obstacle.payment
            let row = try await shop.worker.execute(
                """
                select \(isUnheardOf), f.is_clear
                from counterfoil.orders o
                cross join lateral (
                    select
                        o.bundle_id, o.app_account_token as order_token, $1::text as environment, $2::text as transaction_id,
                        $3::text as original_transaction_id, $4::text as payment_key, $5::uuid as app_account_token
                ) e
                cross join lateral counterfoil.payment_facts(
                    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, $6::text, e.payment_key, $7::text,
                    $8::timestamptz, e.app_account_token, o.account_id, o.app_account_token) f
                where o.order_id = 'b'
                """,
                [
                    .text(payment.environment), .text(payment.id), .text(payment.original ?? payment.id), .text(payment.key),
                    .uuid(payment.token), .text(payment.item), .text(payment.kind), .timestamp(payment.timestamp),
                ])[0]

            let isClear = try row.bool(1)
            #expect(try isClear || !row.bool(0))
            let facts = obstacle.facts
            let isTakenBack = facts.isRevoked || facts.isPartlyRefunded
            let isDoubtful = facts.isAnotherAccounts || facts.isAddition || facts.isBoughtAgain
            #expect(isClear == (facts.holder == nil && !isTakenBack && !isDoubtful))
        }
    }

    /// The short path leaves out what `insert_grants` looks closer at, by the same condition: so the test above is of both.
    @Test func bothStatementsThatGrantLookForTheSameWords() throws {
        func condition(_ file: SQLFile, to next: String, named name: String) throws -> [Substring] {
            let text = file.text
            let start = try #require(text.firstRange(of: "(\(name).app_account_token is null"))
            let end = try #require(text[start.lowerBound...].firstRange(of: next))
            return text[start.lowerBound..<end.lowerBound].replacing(" \(name).", with: " e.")
                .replacing("(\(name).", with: "(e.").split(whereSeparator: \.isWhitespace)
        }
        let careful = try condition(.insertGrants, to: " as is_unheard_of", named: "e")
        let short = try condition(.grantFirstPayments, to: "\n), ended as (", named: "u")

        #expect(short == careful)
    }

    // MARK: Rules that stand in Swift too

    @Test func aPaymentHasOneKeyInSQLAndInSwift() async throws {
        try await Shop.open { shop in
            for kind in ProductKind.allCases {
                for item in ["9", nil] {
                    let transaction = Transaction(
                        bundleID: BundleID(rawValue: Shop.bundle), environment: .production, id: TransactionID(rawValue: "2"),
                        originalID: TransactionID(rawValue: "1"), webOrderLineItemID: item, productID: ProductID(rawValue: "pro"),
                        purchaseDate: Date())

                    let key = try await shop.worker.execute(
                        "select counterfoil.payment_key($1, '1', $2)", [.text(kind.rawValue), .text(item)])[0].optionalString(0)

                    #expect(key == GrantKey(transaction, kind: kind).shared, "\(kind) \(item ?? "-")")
                }
            }
            // What has a line item, and isn't of a known kind, is a period.
            #expect(try await shop.value("counterfoil.payment_key(null, '1', '9')") == "web_order:9")
            #expect(try await shop.value("counterfoil.payment_key(null, '1', null)") == nil)
        }
    }

    @Test func anOrderWaitsForAPaymentInSQLAsInSwift() async throws {
        try await Shop.open { shop in
            for state in OrderState.allCases {
                let waits = try await shop.worker.execute(
                    "select counterfoil.waits_for_payment($1)", [.text(state.rawValue)])[0].bool(0)

                #expect(waits == state.canBeFulfilled, "\(state)")
            }
        }
    }

    // MARK: Facts

    @Test func whatAnyProofShowedIsKnown() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var shown = Payment(id: "1", token: Self.token)
            shown.reason = "purchase"
            shown.paidAt = -60
            shown.isAdvancedCommerce = true
            try await shop.insertUnclaimed([("a", shown)], reason: "unsupported_yet")
            var again = Payment(id: "1")
            again.paidAt = -90
            try await shop.insertUnclaimed([("a", again)])

            let facts = """
                token = '\(Self.token)' as token, purchase_reason, extract(epoch from paid_at) - 1700000000, is_advanced_commerce,
                first_ordered_at = (select o.created_at from counterfoil.orders o where o.order_id = 'a') as ordered
                from counterfoil.payment_facts(
                    '\(Shop.bundle)', 'production', '1', '1', null, null, 'consumable', now(), null, 'ann', null)
                """
            #expect(try await shop.rows("select \(facts)") == ["(t,purchase,-60.000000,t,t)"])
            let ofBob = facts.replacing("'ann'", with: "'bob'")
            #expect(try await shop.rows("select \(ofBob)") == ["(t,purchase,-60.000000,t,)"])
            let ofAnother = facts.replacing("'1', '1'", with: "'2', '2'")
            #expect(try await shop.rows("select \(ofAnother)") == ["(,,,f,)"])
        }
    }

    /// Apple's facts come to light once.
    @Test(arguments: ["paid_at = now()", "paid_at = null", "is_advanced_commerce = null", "is_advanced_commerce = false"])
    func whatAppleSaidNeverChanges(_ change: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var shown = Payment(id: "1")
            shown.paidAt = -60
            shown.isAdvancedCommerce = true
            try await shop.insertUnclaimed([("a", shown)], reason: "unsupported_yet")

            await #expect(throws: PostgresError.self) { try await shop.run("update counterfoil.payments set \(change)") }
        }
    }

    /// Who would pay for a new order is said by the latest proof of its own account.
    @Test func theLatestShowingOfItsAccountSaysWhatFits() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("bob's", account: "bob")
            func show(_ order: String, _ number: Int32?, _ reason: String = "order_cancelled") async throws -> String? {
                var payment = Payment(id: "1")
                payment.fitsUnder = number
                try await shop.insertUnclaimed([(order, payment)], reason: reason)
                return try await shop.value("(select fits_under from counterfoil.payments)")
            }

            #expect(try await show("bob's", 1, "owner_mismatch") == "1")
            // Taken over by its own account.
            #expect(try await show("a", nil) == nil)
            #expect(try await show("a", 2) == "2")
            #expect(try await show("bob's", nil, "owner_mismatch") == "2")
            try await shop.insertNames([Payment(id: "1")])
            #expect(try await shop.value("(select fits_under from counterfoil.payments)") == "2")
            #expect(try await show("a", nil) == nil)
        }
    }

    @Test(arguments: [
        ("sandbox_policy = 'allow'", 2), ("absent_token_policy = 'review'", 2), ("purchase_time_tolerance = '1 hour'", 2),
        ("ledger_starts_at = now()", 2), ("sandbox_policy = sandbox_policy", 1), ("sandbox_open_until = now()", 1),
        ("policy_number = 7", 1), ("policy_number = 7, sandbox_policy = 'allow'", 2),
    ])
    func thePolicysNumberRisesWithWhatPaymentsAreJudgedBy(_ change: String, _ number: Int) async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await shop.run("update counterfoil.apps set \(change)")

            #expect(try await shop.value("(select policy_number from counterfoil.apps)") == "\(number)")
            #expect(try await shop.value("(select policy_number from counterfoil.order_facts)") == "\(number)")
        }
    }

    // MARK: Of a kind that no proof says

    /// A receipt shows, beside the order's own product, what its account has of others, and names no kinds.
    @Test func theListedKindCountsWhereNoProofSaysIt() async throws {
        try await Shop.open { shop in
            try await shop.order("gold", product: "pro")
            try await shop.order("bob's", product: "plus", account: "bob")
            try await shop.order("a")
            let pro = Payment(id: "1", product: "pro", kind: "non_consumable")
            let plus = Payment(id: "11", webOrderLineItem: "w1", product: "plus", kind: "auto_renewable")
            try #require(try await shop.insertGrants([("gold", pro), ("bob's", plus)]).count == 2)
            var restored = pro
            restored.id = "2"
            restored.original = "1"
            var renewal = plus
            renewal.id = "12"
            renewal.original = "11"
            renewal.webOrderLineItem = "w2"
            renewal.purchasedAt = 20
            var name = plus
            name.id = "13"
            name.original = "11"
            // Listed as a consumable, and restored: of no known kind.
            let coins = Payment(id: "22", original: "21")

            for knowsKind in [true, false] {
                let held = try await shop.readPayment("a", restored, knowsKind: knowsKind)
                #expect(try held.optionalString(1) == "gold")
                let renewed = try await shop.readPayment("a", renewal, knowsKind: knowsKind)
                #expect(try renewed.bool(9))
                #expect(try renewed.optionalString(16) == "bob")
                #expect(try await shop.readPayment("a", name, knowsKind: knowsKind).optionalString(1) == "bob's")
                #expect(try await shop.readPayment("a", coins, knowsKind: knowsKind).optionalString(1) == nil)
            }
            try await shop.insertRevocation(pro, at: 10)
            restored.purchasedAt = 30
            #expect(try await shop.readPayment("a", restored, knowsKind: false).bool(8))
            // The shop's list has no say where Apple has.
            restored.kind = "consumable"
            #expect(try await !shop.readPayment("a", restored).bool(8))
        }
    }

    // MARK: Without an order

    /// What only Apple told has the app's policy in place of an order.
    @Test func withoutAnOrderAPaymentHasItsAppsPolicy() async throws {
        try await Shop.open { shop in
            try await shop.run("update counterfoil.apps set ledger_starts_at = '2020-01-01Z'")

            let row = try await shop.readPayment(nil, Payment(id: "1"))

            // Account, state and own order; the listed kind; then the policy.
            for column in 17...19 { #expect(try row.optionalString(column) == nil) }
            #expect(try row.optionalString(15) == "consumable")
            #expect(try row.timestamp(20) == PostgresTimestamp(microsecondsSince1970: 1_577_836_800_000_000))
            #expect(try row.bool(21))
        }
    }

    @Test(arguments: [
        ("sandbox_policy = 'deny'", false), ("sandbox_policy = 'deny', sandbox_open_until = now() - interval '1 hour'", false),
        ("sandbox_policy = 'deny', sandbox_open_until = now() + interval '1 hour'", true), ("sandbox_policy = 'allow'", true),
        ("sandbox_policy = 'listed'", true),
    ])
    func theSandboxIsTakenFromTheAccountThatTheTokenSpeaksFor(_ policy: String, _ isTaken: Bool) async throws {
        try await Shop.open { shop in
            try await shop.run("update counterfoil.apps set \(policy)")
            try await shop.run("insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(Shop.bundle)', 'ann')")
            try await shop.order("a", token: Self.token)
            var payment = Payment(id: "1", environment: "sandbox", token: Self.token)

            #expect(try await shop.readPayment(nil, payment).bool(21) == isTaken)

            payment.token = nil
            let isTakenOfAnybody = isTaken && !policy.contains("listed")
            #expect(try await shop.readPayment(nil, payment).bool(21) == isTakenOfAnybody)
        }
    }

    // MARK: Orders for a payment

    /// Whoever the account is that it is asked for: without the client only a token leads to an order.
    @Test func noOrderIsKnownOfAPaymentThatOnlyAppleToldWithoutAToken() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            func order(_ token: String) async throws -> [String] {
                try await shop.rows(
                    """
                    select order_id, why
                    from counterfoil.orders_for_payment(
                        '\(Shop.bundle)', 'coins', 'consumable', 1, \(token), now() + interval '1 minute', 'ann', null, null)
                    """)
            }

            #expect(try await order("'\(Self.token)'") == [#"(a,"its token names the account")"#])
            #expect(try await order("null") == [])
        }
    }

    /// Apple's kind differs from the listed one: the job that a notification would make could grant nothing.
    @Test func noOrderIsKnownOfAPaymentOfAnotherKind() async throws {
        try await Shop.open { shop in
            try await shop.order("a", token: Self.token)
            func rank(_ kind: String) async throws -> [String] {
                try await shop.rows(
                    """
                    select order_id, rank, why
                    from counterfoil.orders_for_payment(
                        '\(Shop.bundle)', 'coins', \(kind), 1, '\(Self.token)', now(), 'ann', null, null)
                    """)
            }

            #expect(try await rank("'consumable'") == [#"(a,1,"its token names the order")"#])
            #expect(try await rank("null") == [#"(a,1,"its token names the order")"#])
            #expect(try await rank("'non_consumable'") == [])
        }
    }
}
