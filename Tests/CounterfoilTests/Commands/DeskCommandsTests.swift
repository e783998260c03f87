// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import CommandSupport
import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import counterfoil

/// Support's day: to find what a customer names, to learn the next step, and to take it.
@Suite struct DeskCommandsTests {
    /// The command that the page names, as a person gives it: with a reason in place of WHY.
    private func nextCommand(_ page: String) throws -> [String] {
        let line = try #require(page.split(separator: "\n").last { $0.hasPrefix("    counterfoil ") }, "\(page)")
        return line.split(separator: " ").dropFirst().map { $0 == "WHY" ? "a test" : String($0) }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrdersPageIsFoundByAnyIdAndItsNextStepHelps() async throws {
        try await Shop.run { shop in
            try await shop.review("o", transaction: "770001")

            let page = try await shop.succeed(["orders", "show", "770001"])
            let granted = try await shop.succeed(nextCommand(page))
            let after = try await shop.succeed(["orders", "show", "o"])

            #expect(page.contains("story:") && page.contains("\nNext:\n"))
            #expect(granted == "transaction 770001 is granted to order o\n")
            #expect(after.contains("Nothing: the order is paid."))
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anIdThatLeadsNowhereSaysWhereElseToLook() async throws {
        try await Shop.run { shop in
            let mail = try await shop.run(["find", "MK2JQ5X4LN"])
            let nothing = try await shop.run(["orders", "show", "nothing"])
            let account = try await shop.run(["customers", "show", "nobody"])
            let product = try await shop.run(["find", Shop.product])
            let day = try await shop.run(["find", "2026-03-01"])

            #expect(mail.status == .exited(1))
            #expect(mail.errors.contains("counterfoil orders look-up MK2JQ5X4LN --bundle \(Shop.bundle)"), "\(mail.errors)")
            #expect(nothing.status == .exited(1) && nothing.errors.contains("counterfoil orders list"), "\(nothing.errors)")
            #expect(account.status == .exited(1) && account.errors.contains("counterfoil find"), "\(account.errors)")
            #expect(product.errors.contains("counterfoil orders list --product \(Shop.product) --since DAY"), "\(product.errors)")
            #expect(day.errors.contains("counterfoil orders list --since 2026-03-01"), "\(day.errors)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anIdOfSeveralOrdersListsThem() async throws {
        try await Shop.run { shop in
            let token = UUID()
            try await shop.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
                values ('one', '\(Shop.bundle)', 'coins', 'ann', '\(token)'), ('two', '\(Shop.bundle)', 'coins', 'ann', '\(token)')
                """)

            let ended = try await shop.run(["orders", "show", "\(token)"])

            #expect(ended.status == .exited(1))
            #expect(ended.output.contains("one") && ended.output.contains("two"), "\(ended.output)")
            #expect(ended.errors.contains("several orders"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aCustomersPageHasOrdersPaymentsAndRefunds() async throws {
        try await Shop.run { shop in
            try await shop.review("o", transaction: "1")
            try await shop.review("p", transaction: "2")
            try await shop.review("bobs", transaction: "3", account: "bob")
            try await shop.succeed(["orders", "assign", "2", "p", "--why", "x"])
            try await shop.succeed(["orders", "refund", "p", "--why", "x"])

            let page = try await shop.succeed(["customers", "show", "ann"])

            #expect(page.contains("unclaimed_payments  1"), "\(page)")
            #expect(page.contains("refunds             1"), "\(page)")
            #expect(page.contains("orders:") && page.contains("payments:"))
            // The page has the action of each order.
            #expect(page.contains("client_action"), "\(page)")
            #expect(!page.contains("bobs"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrderIsCancelledOnceWithWhoAndWhy() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ('o', '\(Shop.bundle)', 'coins', 'ann')"
            )
            try await shop.review("paid", transaction: "1")
            try await shop.succeed(["orders", "assign", "1", "paid", "--why", "x"])

            let unnamed = try await shop.run(["orders", "cancel", "o"])
            let cancelled = try await shop.succeed(["orders", "cancel", "o", "--why", "ordered twice", "--operator", "eve"])
            let again = try await shop.succeed(["orders", "cancel", "o", "--why", "ordered twice", "--operator", "eve"])
            let paid = try await shop.run(["orders", "cancel", "paid", "--why", "x"])

            #expect(unnamed.status == .exited(64))
            #expect(cancelled == "order o is cancelled\n" && again == cancelled)
            #expect(paid.status == .exited(1) && paid.errors.contains("(paid_orders_are_not_cancelled)"), "\(paid.errors)")
            #expect(try await shop.succeed(["orders", "show", "o"]).contains("eve: ordered twice"))
            try await shop.wait(until: "(select count(*) = 1 from counterfoil.order_events where order_id = 'o')")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aProofIsWrittenIntoAFileOfItsOwnAndThatIsRecorded() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJhbGciOiJ")
            let job = try #require(try await shop.order("o").jobs.first).id
            let file = shop.folder.path + "/proof.txt"
            func get(_ job: Int64, _ options: String...) async throws -> Program.Ended {
                try await shop.run(["proofs", "get", "\(job)", "--output", file] + options)
            }

            let unnamed = try await get(job)
            let unknown = try await get(1, "--why", "x")
            let isLeft = FileManager.default.fileExists(atPath: file)
            let taken = try await get(job, "--why", "she says it is broken", "--operator", "eve")
            let again = try await get(job, "--why", "x")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int

            #expect(unnamed.status == .exited(64))
            #expect(unknown.status == .exited(1) && !isLeft)
            #expect(taken.output == "the proof of order o is in \(file)\n", "\(taken.errors)")
            #expect(!taken.output.contains("eyJ"))
            #expect(FileManager.default.contents(atPath: file) == Data("eyJhbGciOiJ".utf8))
            #expect(mode == 0o600)
            #expect(again.status == .exited(1) && again.errors.contains("can't be made"))
            let story = try await shop.succeed(["orders", "show", "o"])
            #expect(story.contains("proof_read by eve") && story.contains("she says it is broken"), "\(story)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func appleIsAskedAboutOnePayment() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                var bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                func ask(_ arguments: String...) async throws -> Program.Ended {
                    try await Program.run(["payments", "ask"] + arguments, environment: environment)
                }

                let unnamed = try await ask(bought.transactionId)
                let paid = try await ask(bought.transactionId, "--bundle", Shop.bundle)
                bought.revocationDate = Date()
                simulator.remember([bought])
                let refunded = try await ask(bought.transactionId)
                let unknown = try await ask("999999", "--bundle", Shop.bundle)

                #expect(unnamed.status == .exited(64) && unnamed.errors.contains("--bundle"), "\(unnamed.errors)")
                #expect(paid.status.isSuccess && paid.output.contains("unclaimed"), "\(paid.output) \(paid.errors)")
                #expect(
                    refunded.status.isSuccess && refunded.output.contains("taken_back"), "\(refunded.output) \(refunded.errors)")
                #expect(unknown.status == .exited(1) && unknown.errors.contains("Apple doesn't know it"), "\(unknown.errors)")
                #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
            }
        }
    }

    /// Apple's mail is all that there is: the order of that product that was made a moment before is a candidate.
    @Test(.timeLimit(.minutes(3)))
    func aLookUpShowsTheOrdersAroundThePayment() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                simulator.setOrder("MK2JQ5X4LN", transactions: [bought.transactionId])
                try await shop.execute(
                    """
                    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                    values ('candidate', '\(Shop.bundle)', 'coins', 'ann'), ('of another product', '\(Shop.bundle)', 'gems', 'ann')
                    """)

                let ended = try await Program.run(
                    ["orders", "look-up", "MK2JQ5X4LN", "--bundle", Shop.bundle, "--json"],
                    environment: shop.environment.merging(shop.serverAPI(simulator)) { $1 })

                #expect(
                    ended.output.contains(#""orders_that_fit":null,"orders_near":"candidate""#), "\(ended.output) \(ended.errors)")
            }
        }
    }

    /// Whatever a customer or a client calls itself: nothing moves a terminal, and no list is wide.
    @Test(.timeLimit(.minutes(3)))
    func hostileNamesAreShownAsText() async throws {
        try await Shop.run { shop in
            let names = ["<script>alert(1)</script>", "\u{1B}[2J\u{1B}]0;x\u{7}", "a\u{202E}b", String(repeating: "x", count: 200)]
            for (index, name) in names.enumerated() {
                try await shop.database.withConnection { connection in
                    _ = try await connection.execute(
                        """
                        insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, state, reason)
                        values ($1::text, '\(Shop.bundle)', $1::text, $1::text, 'review', 'quantity_short')
                        """, [.text(name)])
                    _ = try await connection.execute(
                        """
                        insert into counterfoil.order_events (order_id, kind, who, why)
                        values ($1::text, 'judged_again', $1::text, $1::text)
                        """, [.text(name)])
                }
                var outputs: [String] = []
                for arguments in [
                    ["find", name], ["orders", "show", name], ["orders", "list"], ["customers", "show", name],
                    ["orders", "reviews"],
                    ["orders", "list", "--account", name, "--json"], ["orders", "show", name, "--json"],
                ] {
                    let ended = try await shop.run(arguments)
                    #expect(ended.status.isSuccess, "\(index) \(arguments[0]): \(ended.errors)")
                    outputs.append(ended.output)
                }
                let nothing = try await shop.run(["find", name + "?"])
                outputs.append(nothing.errors)

                for output in outputs {
                    let moving = output.unicodeScalars.filter { $0 != "\n" && $0.properties.generalCategory == .control }
                    #expect(moving.isEmpty && !output.contains("\u{202E}"), "\(index)")
                }
                let lists = outputs[0] + outputs[2] + outputs[4]
                let wide = lists.split(separator: "\n").filter { $0.count > 100 }
                #expect(wide.isEmpty, "\(wide)")
            }
        }
    }

    /// Runs a command in a terminal of this width.
    ///
    /// - Returns: its output and its errors, as the terminal has them.
    private func terminal(
        _ command: String, on shop: Shop, columns: Int = 80, _ variables: [String: String] = [:]
    ) async throws -> String {
        let line = "stty cols \(columns); '\(Program.Name.counterfoil.path)' \(command)"
        let environment = shop.administration.merging(["TERM": "xterm"]) { $1 }.merging(variables) { $1 }
        let assignments = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        return try await Program.run(shell: "export \(assignments); script -qec \"\(line)\" /dev/null").output
    }

    /// Two hundred wide characters in whatever a customer, a shop, Apple or an operator wrote.
    @Test(.timeLimit(.minutes(5)), arguments: [80, 100])
    func everyListFitsItsTerminal(columns: Int) async throws {
        try await Shop.run { shop in
            let long = String(repeating: "漢", count: 200)
            let who = String(repeating: "漢", count: 100)
            let app = "com." + String(repeating: "x", count: 150)
            try await shop.succeed(["apps", "add", app])
            try await shop.succeed(["products", "add", app, long, "--kind", "consumable"])
            try await shop.succeed(["keys", "add", who, "--bundle", app])
            try await shop.succeed(["webhooks", "add", "w", "https://example.com/" + String(repeating: "x", count: 300)])
            try await shop.succeed(["webhooks", "disable", "w", "--why", long + long, "--operator", who])
            try await shop.succeed(["gates", "close", "1", "--why", long + long, "--operator", who])
            try await shop.review("paid", transaction: "7700", account: long)
            try await shop.succeed(["orders", "assign", "7700", "paid", "--why", "x"])
            try await shop.succeed(["orders", "transfer", "paid", "bob", "--why", long, "--operator", who])
            try await shop.succeed(["orders", "transfer", "paid", long, "--why", long, "--operator", who])
            for statement in [
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, state, reason)
                values ('\(long)', '\(app)', '\(long)', '\(long)', 'review', 'bought_again_after_revocation')
                """,
                "insert into counterfoil.orders_in_review (order_id, since, app_version) values ('\(long)', now(), '\(long)')",
                "insert into counterfoil.jobs (order_id, proof) values ('\(long)', 'eyJ')",
                """
                with n as (
                    insert into counterfoil.notifications (
                        notification_uuid, bundle_id, environment, type, subtype, source, payload, payload_hash, is_of_an_app, outcome,
                        processed_at, transaction_id, message, order_id
                    )
                    values (
                        gen_random_uuid(), '\(Shop.bundle)', 'production', 'CONSUMPTION_REQUEST', 'OF_A_LATER_VERSION_OF_APPLES', 'push', 'x',
                        sha256('x'), true, 'recorded', now(), '7700', '\(long) \(long)', '\(long)'
                    )
                    returning id
                )
                insert into counterfoil.consumption_requests (
                    notification_id, bundle_id, environment, transaction_id, reason, requested_at, deadline
                )
                select n.id, '\(Shop.bundle)', 'production', '7700', '\(long)', now(), now() + interval '12 hours' from n
                """,
            ] { try await shop.execute(statement) }

            for command in [
                "find \(long)", "orders list", "orders list --account \(long)", "orders reviews", "orders reviews --bundle \(app)", "jobs list",
                "jobs retry --all --dry-run --why x", "gates", "notifications list", "notifications list --order \(long)", "apps list",
                "products list", "keys list", "webhooks list", "webhooks show w", "consumption list", "consumption list --all",
                "customers show \(long)", "accounts move \(long) bob --dry-run", "accounts forget \(long) --dry-run",
                "changes --from oldest",
            ] {
                let output = try await terminal(command, on: shop, columns: columns, ["NO_COLOR": "1"])

                let lines = output.split(whereSeparator: \.isNewline)
                // Facts of the one thing that was asked for stand whole, and so does the cursor that one copies.
                let whole = ["account_id ", "account_now ", "url ", "    --after "]
                let wide = lines.filter { line in line.columns > columns && !whole.contains { line.hasPrefix($0) } }
                #expect(!lines.isEmpty && wide.isEmpty, "\(command): \(output)")
            }
        }
    }

    /// By a terminal of 80 columns: ages, colours and no wide line; none of that where NO_COLOR is set, or in a pipe.
    @Test(.timeLimit(.minutes(3)))
    func aTerminalGetsAgesAndColours() async throws {
        try await Shop.run { shop in
            try await shop.review("o", transaction: "1")
            let coloured = try await terminal("orders list", on: shop)
            let plain = try await terminal("orders list", on: shop, ["NO_COLOR": "1"])
            let piped = try await shop.succeed(["orders", "list"])

            #expect(coloured.contains("\u{1B}[33mreview"), "\(coloured)")
            #expect(coloured.contains("ago") || coloured.contains("now"), "\(coloured)")
            #expect(plain.contains("review") && !plain.contains("\u{1B}[33m"), "\(plain)")
            #expect(plain.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 80 }, "\(plain)")
            #expect(!piped.contains("ago") && piped.contains("Z"), "\(piped)")
        }
    }
}
