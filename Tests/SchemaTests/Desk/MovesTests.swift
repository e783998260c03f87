// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// One person with two accounts: nothing is granted again, and nothing is lost, before a move and after it.
@Suite struct MovesTests {
    private static let token = UUID()

    private static func period(_ id: String, at seconds: Int64, token: UUID? = nil, reason: String? = "renewal") -> Payment {
        Payment(
            id: id, original: id == "1" ? nil : "1", webOrderLineItem: "w" + id, product: "plus", kind: "auto_renewable",
            purchasedAt: seconds, token: token, reason: reason, expiresAt: seconds + 10)
    }

    private func move(_ from: String, to: String, only: String = "null", _ shop: Shop) async throws -> String {
        try await shop.rows("select m.* from counterfoil.move_account('\(from)', '\(to)', 'eve', 'a test', \(only)) m").joined()
    }

    private func transfer(_ order: String, to account: String, _ shop: Shop) async throws -> String {
        try await shop.rows("select t.* from counterfoil.transfer_order('\(order)', '\(account)', 'eve', 'a test') t").joined()
    }

    private func orders(of account: String, _ shop: Shop) async throws -> [String] {
        try await shop.rows("select o.order_id, o.account_id from counterfoil.orders_of('\(account)') o order by o.order_id", as: shop.backend)
    }

    private func refusal(_ statement: String, _ shop: Shop) async throws -> String? {
        try await Refusal.of { _ = try await shop.admin.execute(statement) }?.constraint
    }

    // MARK: Accounts

    @Test func allThatAMovedAccountHasIsTheOthers() async throws {
        try await Shop.open { shop in
            try await shop.order("paid")
            try await shop.order("open")
            try await shop.order("b", account: "bob")
            try #require(try await shop.insertGrant("paid", Payment(id: "1")))

            #expect(try await move("ann", to: "bob", shop) == "(t,bob)")
            #expect(try await move("ann", to: "bob", shop) == "(f,bob)")

            #expect(try await orders(of: "bob", shop) == ["(b,bob)", "(open,bob)", "(paid,bob)"])
            let open = try await shop.rows("select o.order_id from counterfoil.open_orders('bob', 'coins') o order by 1", as: shop.backend)
            #expect(open == ["(b)", "(open)"])
            #expect(
                try await shop.rows(
                    "select t.order_id, t.account_id from counterfoil.transaction_status_of('\(Shop.bundle)', null, '1', 'bob') t",
                    as: shop.backend) == ["(paid,bob)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// Clients that are signed in with the old account meet nothing else for thirty days.
    @Test func theOldAccountIsAnsweredForThirtyDays() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            _ = try await move("ann", to: "bob", shop)
            func poll() async throws -> [String] {
                try await shop.rows("select s.account_id from counterfoil.order_status_of('o', 'ann') s", as: shop.backend)
            }

            #expect(try await poll() == ["(bob)"])
            try await shop.run("update counterfoil.moved_accounts set moved_at = now() - interval '30 days'")
            #expect(try await poll() == [])
            #expect(try await orders(of: "ann", shop) == [])
            #expect(try await shop.rows("select s.account_id from counterfoil.order_status_of('o', 'eve') s", as: shop.backend) == [])
        }
    }

    @Test func aMovedAccountOrdersNothingNewAndRepeatsWhatItOrdered() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            _ = try await move("ann", to: "bob", shop)

            let inserted = try await Refusal.of { try await shop.order("new") }
            let placed = try await refusal("select counterfoil.place_order('new', '\(Shop.bundle)', 'coins', 'ann')", shop)
            let again = try await refusal("select counterfoil.place_order('o', '\(Shop.bundle)', 'coins', 'ann')", shop)
            let byTheOther = try await refusal("select counterfoil.place_order('o', '\(Shop.bundle)', 'coins', 'bob')", shop)
            let byAStranger = try await refusal("select counterfoil.place_order('o', '\(Shop.bundle)', 'coins', 'eve')", shop)
            let uploaded = try await Refusal.of {
                _ = try await shop.backend.execute(
                    "insert into counterfoil.jobs (order_id, account_id, proof) values ('o', 'ann', 'eyJ'), ('o', 'bob', 'eyJ')")
            }

            #expect(inserted == Refusal("23514", "account_was_moved"))
            #expect(placed == "account_was_moved")
            #expect(again == nil && byTheOther == nil && byAStranger == "order_ids_are_unique")
            #expect(uploaded == nil)
            let named = try await shop.rows(
                "select account_now from counterfoil.moved_accounts where account_id = 'ann'", as: shop.backend)
            #expect(named == ["(bob)"])
        }
    }

    @Test func movesMakeATree() async throws {
        try await Shop.open { shop in
            for account in ["ann", "bob", "cat"] { try await shop.order(account, account: account) }
            _ = try await move("ann", to: "bob", shop)

            #expect(try await refusal("select counterfoil.move_account('bob', 'ann', 'eve', 'x')", shop) == "moves_make_no_circle")
            #expect(try await refusal("select counterfoil.move_account('bob', 'bob', 'eve', 'x')", shop) == "moves_lead_elsewhere")
            #expect(try await refusal("select counterfoil.move_account('ann', 'cat', 'eve', 'x')", shop) == "account_was_moved")
            #expect(try await refusal("select counterfoil.move_account('dan', 'cat', 'eve', 'x')", shop) == "moved_accounts_have_orders")
            #expect(try await move("bob", to: "cat", shop) == "(t,cat)")
            #expect(try await refusal("select counterfoil.move_account('cat', 'ann', 'eve', 'x')", shop) == "moves_make_no_circle")
            #expect(try await orders(of: "cat", shop).count == 3)
            #expect(try await orders(of: "ann", shop).count == 3)
            #expect(try await shop.count("counterfoil.moves") == 2)
            #expect(try await shop.faults() == [])
        }
    }

    /// Two sessions at once: the second waits for the first, and finds the circle.
    @Test func aCircleOfMovesAtOnceIsRefused() async throws {
        try await Shop.open { shop in
            for account in ["ann", "bob"] { try await shop.order(account, account: account) }
            func move(_ from: String, _ to: String) async throws -> String? {
                try await shop.database.withConnection(as: "counterfoil_support") { support in
                    try await Refusal.of {
                        _ = try await support.execute("select counterfoil.move_account('\(from)', '\(to)', 'eve', 'a test')")
                    }?.constraint
                }
            }

            async let one = move("ann", "bob")
            async let other = move("bob", "ann")
            let refusals = try await [one, other]

            #expect(refusals.count { $0 == nil } == 1)
            #expect(refusals.contains("moves_make_no_circle"))
        }
    }

    @Test func onlyTheOrdersThatWereLookedAtAreMoved() async throws {
        try await Shop.open { shop in
            try await shop.order("one")
            try await shop.order("line\nbreak")
            let seen = try await shop.admin.execute(SQLFile.callOrdersOfAccount.statement, [.text("ann"), .int4(10), .int8(0)])
                .map { try $0.string(0) }
            try await shop.order("came since")
            func act(_ lines: [String]) async throws -> String? {
                try await Refusal.of {
                    _ = try await shop.admin.execute(
                        SQLFile.callMoveAccount.statement, [.text("ann"), .text("bob"), .text("eve"), .text("x"), .textArray(lines)])
                }?.constraint
            }

            #expect(seen == ["\"one\"", "\"line\\nbreak\""])
            #expect(try await act(seen) == "moves_are_as_previewed")
            #expect(try await act([]) == "moves_are_as_previewed")
            #expect(try await act(seen + ["\"came since\""]) == nil)
        }
    }

    /// What the old account's client showed is the other's.
    @Test func aPaymentThatTheOldAccountShowedPaysForTheOther() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")
            try await shop.order("e", account: "eve")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "purchase_before_order")
            #expect(try await !shop.insertGrant("b", Payment(id: "1")))

            _ = try await move("ann", to: "bob", shop)

            #expect(try await shop.readLedger("e", Payment(id: "1")).isAnotherAccounts)
            #expect(try await !shop.insertGrant("e", Payment(id: "1")))
            #expect(try await shop.insertGrant("b", Payment(id: "1")))
            #expect(try await !shop.insertGrant("a", Payment(id: "1")))
            #expect(try await shop.faults() == [])
        }
    }

    /// Both accounts' uploads of one payment, after the move.
    @Test func aPaymentThatWasGrantedIsGrantedToNeitherAgain() async throws {
        try await Shop.open { shop in
            for order in ["a", "a2"] { try await shop.order(order) }
            try await shop.order("b", account: "bob")
            try await shop.order("e", account: "eve")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            _ = try await move("ann", to: "bob", shop)

            for order in ["a2", "b", "e"] {
                #expect(try await !shop.insertGrant(order, Payment(id: "1")), "\(order)")
            }
            // Each learns of it under the account of its own order: its client finishes. A stranger's doesn't.
            #expect(try await shop.readLedger("a2", Payment(id: "1")).holder?.accountID.rawValue == "ann")
            #expect(try await shop.readLedger("b", Payment(id: "1")).holder?.accountID.rawValue == "bob")
            #expect(try await shop.readLedger("e", Payment(id: "1")).holder?.accountID.rawValue == "bob")
        }
    }

    @Test func aTokenOfBothAccountsSpeaksForTheOneThatTheyAre() async throws {
        try await Shop.open { shop in
            try await shop.order("a", token: Self.token)
            try await shop.order("b", account: "bob", token: Self.token)
            func speaks() async throws -> [String] {
                try await shop.rows("select t.account_id from counterfoil.account_of_token('\(Shop.bundle)', '\(Self.token)') t")
            }
            #expect(try await speaks() == [])

            _ = try await move("ann", to: "bob", shop)
            #expect(try await speaks() == ["(bob)"])
            // A third account's order, by its name between them.
            try await shop.order("c", account: "azra", token: Self.token)
            #expect(try await speaks() == [])
        }
    }

    @Test func aSubscriptionGoesOnForTheAccountThatItIsNow() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus", account: "bob")
            try await shop.order("e", product: "plus", account: "eve")
            try #require(try await shop.insertGrant("a", Self.period("1", at: 0, reason: "purchase")))
            #expect(try await !shop.insertGrant("b", Self.period("2", at: 10)))

            _ = try await move("ann", to: "bob", shop)

            #expect(try await !shop.insertGrant("e", Self.period("2", at: 10)))
            #expect(try await shop.readLedger("b", Self.period("2", at: 10)).renewedAccount?.rawValue == "bob")
            #expect(try await shop.insertGrant("b", Self.period("2", at: 10)))
            let status = try await shop.rows(
                "select s.account_id, s.transaction_id from counterfoil.subscription_status_of('\(Shop.bundle)', null, '1', 'ann') s",
                as: shop.backend)
            #expect(status == ["(bob,2)"])
            #expect(try await shop.faults() == [])
        }
    }

    // MARK: Orders

    @Test func aTransferredOrderIsSeenByTheNewAccountAlone() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try await shop.order("mine")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))

            #expect(try await transfer("o", to: "bob", shop) == "(t,ann,bob)")
            #expect(try await transfer("o", to: "bob", shop) == "(f,bob,bob)")

            #expect(try await orders(of: "bob", shop) == ["(o,bob)"])
            #expect(try await orders(of: "ann", shop) == ["(mine,ann)"])
            #expect(try await shop.rows("select * from counterfoil.order_status_of('o', 'ann')", as: shop.backend) == [])
            #expect(try await shop.rows("select g.account_id from counterfoil.grants g") == ["(bob)"])
            #expect(try await shop.rows("select s.who, s.detail from counterfoil.order_story s where s.event = 'transferred'")
                == ["(eve,\"from account ann to bob: a test\")"])
            // Back.
            #expect(try await transfer("o", to: "ann", shop) == "(t,bob,ann)")
            #expect(try await orders(of: "ann", shop) == ["(mine,ann)", "(o,ann)"])
            #expect(try await orders(of: "bob", shop) == [])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func onlyAPaidOrderIsTransferred() async throws {
        try await Shop.open { shop in
            try await shop.order("open")

            #expect(try await refusal("select counterfoil.transfer_order('open', 'bob', 'eve', 'x')", shop) == "transferred_orders_are_paid")
            #expect(try await refusal("select counterfoil.transfer_order('none', 'bob', 'eve', 'x')", shop) == "transferred_orders_are_known")
            #expect(try await refusal("select counterfoil.transfer_order('open', '', 'eve', 'x')", shop) == "account_id_has_1_to_200_characters")
        }
    }

    @Test func aTransferredPaymentIsGrantedToNeitherAgain() async throws {
        try await Shop.open { shop in
            for order in ["o", "again"] { try await shop.order(order, token: Self.token) }
            try await shop.order("b", account: "bob")
            try #require(try await shop.insertGrant("o", Payment(id: "1", token: Self.token)))
            _ = try await transfer("o", to: "bob", shop)

            #expect(try await !shop.insertGrant("again", Payment(id: "1", token: Self.token)))
            #expect(try await !shop.insertGrant("b", Payment(id: "1", token: Self.token)))
            #expect(try await shop.readLedger("again", Payment(id: "1")).holder?.accountID.rawValue == "bob")
            // The account that made the order keeps its token: its next purchase is its own.
            #expect(try await shop.insertGrant("again", Payment(id: "2", token: Self.token)))
            #expect(try await shop.faults() == [])
        }
    }

    /// Whatever token the later periods inherited.
    @Test(arguments: [nil, MovesTests.token])
    func laterPeriodsFollowTheOneThatWasTransferred(_ token: UUID?) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus", token: token)
            try await shop.order("a2", product: "plus", token: token)
            try await shop.order("b", product: "plus", account: "bob")
            try #require(try await shop.insertGrant("a", Self.period("1", at: 0, token: token, reason: "purchase")))
            try await shop.insertTold(Self.period("2", at: 10, token: token), reason: "renewal")
            var reader = try await ChangeReader(shop.backend)

            _ = try await transfer("a", to: "bob", shop)

            let told = try await reader.read("kind, order_id, account_id, details ->> 'from_account'")
            #expect(told.contains("(order_transferred,a,bob,ann)") && told.contains("(order_transferred,,ann,ann)"), "\(told)")
            #expect(told.contains("(payment_renamed,,bob,)"), "\(told)")
            #expect(told.contains("(subscription_changed,,bob,)"), "\(told)")
            #expect(try await !shop.insertGrant("a2", Self.period("3", at: 20, token: token)))
            #expect(try await shop.insertGrant("b", Self.period("3", at: 20, token: token)))
            #expect(try await shop.faults() == [])
        }
    }

    /// The token of a purchase after it says whose that is.
    @Test func aPurchaseAfterATransferBeginsAnew() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus", token: Self.token)
            try await shop.order("a2", product: "plus", token: Self.token)
            try #require(try await shop.insertGrant("a", Self.period("1", at: 0, token: Self.token, reason: "purchase")))
            _ = try await transfer("a", to: "bob", shop)

            #expect(try await !shop.insertGrant("a2", Self.period("2", at: 20, token: Self.token)))
            #expect(try await shop.insertGrant("a2", Self.period("3", at: 30, token: Self.token, reason: "purchase")))
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundOfATransferredOrderIsToldToTheNewAccount() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            _ = try await transfer("o", to: "bob", shop)
            var reader = try await ChangeReader(shop.backend)

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await reader.read("kind, order_id, account_id") == ["(order_refunded,o,bob)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// A transfer holds the order, and a move waits for it: whoever comes second finds what the first one did.
    @Test func twoActsAtOnceOnOneOrderFollowEachOther() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            func act(_ statement: String) async throws {
                try await shop.database.withConnection(as: "counterfoil_support") { support in
                    _ = try await support.execute("select \(statement)")
                }
            }

            async let one: Void = act("counterfoil.transfer_order('o', 'bob', 'eve', 'x')")
            async let other: Void = act("counterfoil.transfer_order('o', 'cat', 'eve', 'x')")
            async let moved: Void = act("counterfoil.move_account('ann', 'dan', 'eve', 'x')")
            _ = try await (one, other, moved)

            let seen = try await [orders(of: "bob", shop), orders(of: "cat", shop), orders(of: "ann", shop), orders(of: "dan", shop)]
            #expect(seen.map(\.count).sorted() == [0, 0, 0, 1])
            #expect(seen[0].count + seen[1].count == 1)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aMoveIsToldToBothAccounts() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            var reader = try await ChangeReader(shop.backend)

            _ = try await move("ann", to: "bob", shop)

            #expect(
                try await reader.read("kind, account_id, details ->> 'from_account', details ->> 'to_account'")
                    == ["(account_moved,ann,ann,bob)", "(account_moved,bob,ann,bob)"])
            // What the feed has of the orders is the other's from now on.
            #expect(try await shop.faults() == [])
        }
    }

    /// An event that waits is sent after the move is told.
    @Test func whatWebhooksStillHaveToSayIsOfTheAccountThatItIsNow() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("e", account: "eve")
            try await shop.addWebhook()
            for order in ["a", "e"] { try await shop.settleOrder(order, "rejected", "wrong_product") }
            _ = try await shop.takeWebhooks()

            _ = try await move("ann", to: "bob", shop)
            _ = try await move("bob", to: "cat", shop)

            #expect(try await shop.takeWebhooks() == [
                "(\"order a\",order_rejected,cat)", "(\"order e\",order_rejected,eve)", "(\"account ann\",account_moved,ann)",
                "(\"account bob\",account_moved,bob)", "(\"account bob\",account_moved,bob)", "(\"account cat\",account_moved,cat)",
            ])
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\u{1B}[31mred", "a\u{202E}b", String(repeating: "x", count: 200), "it's; drop table", "a\nb",
    ])
    func anyNameIsANameLikeOthers(_ name: String) async throws {
        try await Shop.open { shop in
            try await shop.order(name, account: name)
            try #require(try await shop.insertGrant(name, Payment(id: "1")))
            let other = String(name.dropLast()) + "z"
            func value(_ statement: String, _ parameters: [String]) async throws -> String {
                try await shop.admin.execute(statement, parameters.map { .text($0) })[0].string(0)
            }

            let transferred = try await value("select (counterfoil.transfer_order($1, $2, 'eve', 'x')).account_now", [name, "bob"])
            let back = try await value("select (counterfoil.transfer_order($1, $2, 'eve', 'x')).account_now", [name, name])
            let moved = try await value("select (counterfoil.move_account($1, $2, 'eve', 'x')).account_now", [name, other])
            let again = try await value("select (counterfoil.forget_account($1, 'eve', 'x')).orders::text", [moved])
            let tooLong = try await Refusal.of {
                _ = try await shop.admin.execute(
                    "select counterfoil.transfer_order($1, $2, 'eve', 'x')", [.text(name), .text(String(repeating: "x", count: 201))])
            }

            #expect(transferred == "bob" && back == name && moved == other && again == "1")
            #expect(tooLong?.constraint == "account_id_has_1_to_200_characters")
            #expect(try await shop.faults() == [])
        }
    }
}
