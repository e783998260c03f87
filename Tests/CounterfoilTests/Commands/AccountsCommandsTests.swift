// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import counterfoil

/// Acts on whose something is: each with a look before it, a reason, and a trace.
@Suite struct AccountsCommandsTests {
    /// Orders of the account that are paid, as an operator gives them their payments.
    private func pay(_ orders: [String], account: String = "ann", _ shop: Shop) async throws {
        for (number, order) in orders.enumerated() {
            try await shop.review(order, transaction: "\(7700 + number)", account: account)
            try await shop.succeed(["orders", "assign", "\(7700 + number)", "--why", "x", "--", order])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrderIsTransferredAfterALookAndBack() async throws {
        try await Shop.run { shop in
            try await pay(["o"], shop)
            try await shop.execute(
                "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ('open', '\(Shop.bundle)', 'coins', 'ann')")

            let look = try await shop.succeed(["orders", "transfer", "o", "bob", "--dry-run"])
            let unnamed = try await shop.run(["orders", "transfer", "o", "bob"])
            let done = try await shop.succeed(["orders", "transfer", "o", "bob", "--why", "a gift", "--operator", "eve"])
            let again = try await shop.succeed(["orders", "transfer", "o", "bob", "--why", "a gift"])
            let unpaid = try await shop.run(["orders", "transfer", "open", "bob", "--why", "x"])
            let unknown = try await shop.run(["orders", "transfer", "none", "bob", "--why", "x"])
            let story = try await shop.succeed(["orders", "show", "o"])
            let page = try await shop.succeed(["customers", "show", "bob"])
            let back = try await shop.succeed(["orders", "transfer", "o", "ann", "--why", "she gave it back"])

            #expect(look.contains("from_account") && look.contains(/to_account_is_known +no/), "\(look)")
            #expect(unnamed.status == .exited(64))
            #expect(done == "order o is account bob's; it was ann's\n")
            #expect(again == "order o was account bob's before: nothing changed\n")
            #expect(unpaid.status == .exited(1) && unpaid.errors.contains("(transferred_orders_are_paid)"), "\(unpaid.errors)")
            #expect(unknown.status == .exited(1) && unknown.errors.contains("(transferred_orders_are_known)"), "\(unknown.errors)")
            #expect(story.contains("transferred by eve") && story.contains("a gift"), "\(story)")
            #expect(page.contains("order transferred"), "\(page)")
            #expect(back == "order o is account ann's; it was bob's\n")
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAccountIsMovedAsItWasLookedAt() async throws {
        try await Shop.run { shop in
            try await pay(["o"], account: "guest", shop)
            let file = shop.folder.path + "/orders.txt"
            func move(_ options: String...) async throws -> Program.Ended {
                try await shop.run(["accounts", "move", "guest", "ann"] + options)
            }

            let look = try await move("--dry-run", "--save", file)
            try await shop.execute(
                "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ('late', '\(Shop.bundle)', 'coins', 'guest')")
            let others = try await move("--only", file, "--why", "x")
            let done = try await move("--why", "one person", "--operator", "eve")
            let again = try await move("--why", "one person")
            let circle = try await shop.run(["accounts", "move", "ann", "guest", "--why", "x"])
            let late = try await shop.run(
                ["submit", "--order", "new", "--bundle", Shop.bundle, "--product", Shop.product, "--account", "guest"], input: "eyJ")

            #expect(look.status == .exited(0) && look.output.contains("guest") && look.errors.contains("1 orders"), "\(look.errors)")
            #expect(FileManager.default.contents(atPath: file) == Data("\"o\"\n".utf8))
            #expect(others.status == .exited(1) && others.errors.contains("(moves_are_as_previewed)"), "\(others.errors)")
            #expect(done.output == "account guest is moved: all that it had is ann's\n", "\(done.errors)")
            #expect(again.output == "account guest was moved to ann before: nothing changed\n")
            #expect(circle.status == .exited(1) && circle.errors.contains("(moves_make_no_circle)"), "\(circle.errors)")
            #expect(late.status != .exited(0) && late.errors.contains("account_was_moved"), "\(late.errors)")
            let old = try await shop.succeed(["customers", "show", "guest"])
            let new = try await shop.succeed(["customers", "show", "ann"])
            #expect(old.contains(/moved_to +ann/), "\(old)")
            #expect(new.contains("late") && new.contains("account moved"), "\(new)")
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAccountIsForgottenAfterALook() async throws {
        try await Shop.run { shop in
            try await pay(["o", "order of ann.lee"], account: "ann.lee", shop)

            let look = try await shop.succeed(["accounts", "forget", "ann.lee", "--dry-run"])
            let unnamed = try await shop.run(["accounts", "forget", "ann.lee"])
            let done = try await shop.succeed(["accounts", "forget", "ann.lee", "--why", "ann.lee asked", "--operator", "eve"])
            let again = try await shop.run(["accounts", "forget", "ann.lee", "--why", "x"])
            let page = try await shop.run(["customers", "show", "ann.lee"])
            let order = try await shop.succeed(["orders", "show", "o"])

            #expect(look.contains("orders_whose_ids_stay") && look.contains("order of ann.lee") && look.contains("paid_orders"), "\(look)")
            #expect(unnamed.status == .exited(64))
            #expect(done.contains("forgotten-") && done.contains("in 2 orders and 2 payments"), "\(done)")
            #expect(again.status == .exited(1) && again.errors.contains("(forgotten_accounts_are_known)"), "\(again.errors)")
            #expect(page.status == .exited(1))
            #expect(order.contains("forgotten-") && !order.contains("ann.lee"), "\(order)")
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    /// What a terminal would obey is written as it is spelled, in JSON too.
    @Test(.timeLimit(.minutes(3)), arguments: ["<script>", "\u{1B}[31mred", "a\u{202E}b", String(repeating: "x", count: 200)])
    func aHostileNameIsShownAndNotObeyed(_ name: String) async throws {
        try await Shop.run { shop in
            try await pay(["o"], shop)

            var pages = [
                try await shop.succeed(["orders", "transfer", "o", name, "--dry-run"]),
                try await shop.succeed(["orders", "transfer", "o", name, "--why", "x"]),
                try await shop.succeed(["customers", "show", name]), try await shop.succeed(["accounts", "forget", name, "--dry-run"]),
                try await shop.succeed(["accounts", "move", name, "bob", "--dry-run", "--json"]),
                try await shop.succeed(["accounts", "move", name, "bob", "--why", name, "--operator", "eve"]),
            ]
            pages += [try await shop.succeed(["customers", "show", "bob"]), try await shop.succeed(["orders", "show", "o", "--json"])]

            for page in pages {
                #expect(!page.contains("\u{1B}") && !page.contains("\u{202E}"), "\(page)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aListOfJobsGoesOnBehindItsLastRow() async throws {
        try await Shop.run { shop in
            for order in ["a", "b", "c"] { try await shop.submit(order, proof: "eyJhbGciOiJ") }

            let first = try await shop.run(["jobs", "list", "--limit", "2"])
            let next = try #require(first.errors.firstMatch(of: /--after='([0-9]+)'/)).1
            let second = try await shop.succeed(["jobs", "list", "--limit", "2", "--after=\(next)"])

            #expect(first.output.contains("a ") && first.output.contains("b ") && !first.output.contains("\nc"))
            #expect(second.contains(" c ") && second.matches(of: /available/).count == 1, "\(second)")
        }
    }
}
