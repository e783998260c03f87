// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Apple's question about a refund, from its notification to the answer that Apple has.
@Suite struct ConsumptionCommandTests {
    private func tell(_ notification: SimulatedNotification, _ shop: Shop) async throws {
        let body = #"{"signedPayload":"\#(try notification.signedPayload(by: shop.authority, appleID: 1))"}"#
        try await shop.database.withConnection(as: "counterfoil_backend") { backend in
            _ = try await backend.execute("select counterfoil.receive_notification($1::text)", [.text(body)])
        }
    }

    /// Apple's question about an order that was paid, past the worker; the notification's uuid.
    private func ask(_ order: String, transaction: String, account: String = "ann", _ shop: Shop) async throws -> String {
        let uuid = UUID().uuidString.lowercased()
        try await shop.review(order, transaction: transaction, account: account)
        try await shop.succeed(["orders", "assign", transaction, "--why", "x", "--", order])
        try await shop.execute(
            """
            with n as (
                insert into counterfoil.notifications (
                    notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app, outcome,
                    processed_at, transaction_id
                )
                values (
                    '\(uuid)', '\(Shop.bundle)', 'production', 'CONSUMPTION_REQUEST', 'push', 'x', sha256('\(uuid)'), true, 'recorded',
                    now(), '\(transaction)'
                )
                returning id
            )
            insert into counterfoil.consumption_requests (
                notification_id, bundle_id, environment, transaction_id, reason, requested_at, deadline
            )
            select n.id, '\(Shop.bundle)', 'production', '\(transaction)', 'UNINTENDED_PURCHASE', now(), now() + interval '12 hours'
            from n
            """)
        return uuid
    }

    /// From the customer's wish to what Apple has, and then Apple's refund.
    @Test(.timeLimit(.minutes(3)))
    func anAnswerReachesAppleAfterALook() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                var asked = SimulatedNotification("CONSUMPTION_REQUEST", about: bought)
                asked.consumptionRequestReason = "UNINTENDED_PURCHASE"
                let question = asked
                let uuid = question.notificationUUID.uuidString.lowercased()

                try await shop.whileWorking(shop.serverAPI(simulator)) { _ in
                    try await shop.submit("o", proof: try bought.signedTransaction(by: shop.authority))
                    try await shop.wait(until: "exists (select from counterfoil.orders where state = 'fulfilled')")
                    try await tell(question, shop)
                    try await shop.wait(until: "exists (select from counterfoil.consumption_requests)")

                    let list = try await shop.succeed(["consumption", "list"])
                    let next = try await shop.succeed(["orders", "show", "o"])
                    let look = try await shop.succeed(
                        ["consumption", "answer", uuid, "--consented", "true", "--preference", "decline", "--dry-run"])
                    #expect(simulator.consumptionReports.isEmpty)
                    let done = try await shop.succeed(
                        [
                            "consumption", "answer", uuid, "--consented", "true", "--preference", "decline", "--consumed", "100",
                            "--why", "all coins are spent", "--operator", "eve",
                        ])
                    try await shop.wait(until: "exists (select from counterfoil.consumption_answers where state = 'sent')")

                    #expect(list.contains(uuid) && list.contains("UNINTENDED_PURCHASE"), "\(list)")
                    #expect(next.contains("counterfoil consumption answer --why WHY \(uuid)"), "\(next)")
                    #expect(next.contains("--consented"), "\(next)")
                    #expect(look.contains("delivered") && look.contains("decline"), "\(look)")
                    #expect(done.hasPrefix("a worker sends the answer; Apple takes it until "), "\(done)")
                    let report = try #require(simulator.consumptionReports.first)
                    #expect(simulator.consumptionReports.count == 1 && report.transactionID == bought.transactionId)
                    #expect(report.deliveryStatus == "DELIVERED" && report.refundPreference == "DECLINE")
                    #expect(report.consumptionPercentage == 100_000 && !report.sampleContentProvided)

                    try await tell(SimulatedNotification("REFUND_DECLINED", about: bought, date: Date().addingTimeInterval(1)), shop)
                    try await shop.wait(until: "exists (select from counterfoil.consumption_requests where closed_at is not null)")
                }

                let story = try await shop.succeed(["orders", "show", "o"])
                #expect(story.contains("question_answered by eve") && story.contains("all coins are spent"), "\(story)")
                #expect(try await shop.succeed(["consumption", "list"]) == "Apple asks about no refund\n")
                #expect(try await shop.succeed(["consumption", "list", "--all"]).contains("sent"))
                #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
            }
        }
    }

    /// Apple is down, then the key is missing: the answer waits, and says why. Nothing else of the worker waits for it.
    @Test(.timeLimit(.minutes(3)))
    func anAnswerWaitsForAppleAndSaysWhy() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                let uuid = try await ask("o", transaction: bought.transactionId, shop)
                simulator.setFaults(.always(.http(code: 503)), for: .sendConsumptionInformation)
                try await shop.succeed(["consumption", "answer", uuid, "--consented", "true", "--why", "x"])

                try await shop.whileWorking(shop.serverAPI(simulator)) { _ in
                    try await shop.wait(until: "exists (select from counterfoil.consumption_answers where error like '%503%')")
                    let list = try await shop.succeed(["consumption", "list", "--json"])
                    #expect(list.contains("waiting") && list.contains("HTTP 503"), "\(list)")
                    #expect(simulator.consumptionReports.isEmpty)

                    simulator.setFaults(FaultPlan(), for: .sendConsumptionInformation)
                    try await shop.execute("update counterfoil.consumption_answers set next_at = now()")
                    try await shop.wait(until: "exists (select from counterfoil.consumption_answers where state = 'sent')")
                }

                #expect(simulator.consumptionReports.map(\.transactionID) == [bought.transactionId])
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDecisionIsMadeOnceAndForAReason() async throws {
        try await Shop.run { shop in
            let uuid = try await ask("o", transaction: "7700", shop)
            let other = try await ask("p", transaction: "7701", shop)
            func answer(_ question: String, _ options: String...) async throws -> Program.Ended {
                try await shop.run(["consumption", "answer", question] + options)
            }

            let unnamed = try await answer(uuid, "--consented", "true")
            let unasked = try await answer(uuid, "--why", "x")
            let denied = try await answer(uuid, "--consented", "false", "--why", "x")
            let ofAnother = try await answer(uuid, "--consented", "true", "--why", "x", "--bundle", "com.example.other")
            let unknown = try await answer(UUID().uuidString, "--consented", "true", "--why", "x")
            let noUUID = try await answer("7700", "--consented", "true", "--why", "x")
            let tooMuch = try await answer(uuid, "--consented", "true", "--consumed", "101", "--why", "x")
            let prorated = try await answer(uuid, "--consented", "true", "--preference", "grant_prorated", "--why", "x")
            let done = try await answer(uuid, "--consented", "true", "--why", "x")
            let again = try await answer(uuid, "--consented", "true", "--why", "x")
            let otherwise = try await answer(uuid, "--consented", "true", "--preference", "decline", "--why", "x")
            let look = try await shop.succeed(["consumption", "decline", other, "--dry-run"])
            let declined = try await shop.succeed(["consumption", "decline", other, "--why", "no consent"])
            let declinedAgain = try await shop.succeed(["consumption", "decline", other, "--why", "no consent"])
            let lookAfter = try await shop.succeed(["consumption", "decline", other, "--dry-run"])
            let late = try await answer(other, "--consented", "true", "--why", "x")
            let story = try await shop.succeed(["orders", "show", "p"])

            #expect(unnamed.status == .exited(64) && unnamed.errors.contains("--why"))
            for (ended, rule) in [
                (unasked, "answers_need_the_customers_consent"), (denied, "answers_need_the_customers_consent"),
                (ofAnother, "answered_questions_are_known"), (unknown, "answered_questions_are_known"),
                (prorated, "prorated_refunds_need_a_consumed_share"), (otherwise, "questions_are_answered_once"),
                (late, "questions_are_answered_once"),
            ] {
                #expect(ended.status == .exited(1) && ended.errors.contains("(\(rule))"), "\(ended.errors)")
            }
            #expect(noUUID.status == .exited(64) && tooMuch.status == .exited(64))
            #expect(done.status.isSuccess, "\(done.errors)")
            #expect(again.output == "the same answer was given before, and is waiting: nothing changed\n")
            #expect(look.contains("7701") && look.contains("UNINTENDED_PURCHASE") && !look.contains("delivery_status"), "\(look)")
            #expect(look.hasSuffix("broken_rule\n") && lookAfter.contains("questions_are_answered_once"), "\(look)\(lookAfter)")
            #expect(declined == "no answer is sent: Apple decides without it\n")
            #expect(declinedAgain == "it was declined before: nothing changed\n")
            #expect(story.contains("question_declined") && story.contains("no consent"), "\(story)")
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theAppsDefaultsAreEchoedAndFillIn() async throws {
        try await Shop.run { shop in
            let added = try await shop.succeed(
                [
                    "apps", "add", Shop.bundle, "--consumption-consent", "true", "--sample-content", "true", "--refund-preference",
                    "grant_full",
                ])
            let uuid = try await ask("o", transaction: "7700", shop)

            let look = try await shop.succeed(["consumption", "answer", uuid, "--dry-run", "--json"])
            let cleared = try await shop.succeed(["apps", "add", Shop.bundle, "--refund-preference", "none"])
            let after = try await shop.succeed(["consumption", "answer", uuid, "--dry-run", "--json"])

            #expect(
                added.contains("consumption-consent true") && added.contains("sample-content true")
                    && added.contains("refund-preference grant_full"), "\(added)")
            #expect(look.contains(#""customer_consented":true,"delivery_status":"delivered""#), "\(look)")
            #expect(look.contains(#""refund_preference":"grant_full","sample_content_provided":true,"broken_rule":null"#), "\(look)")
            #expect(cleared.contains("consumption-consent true") && cleared.contains("refund-preference none"), "\(cleared)")
            #expect(after.contains(#""refund_preference":null"#), "\(after)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aListGoesOnBehindItsLastRow() async throws {
        try await Shop.run { shop in
            var questions: [String] = []
            for number in 1...5 { questions.append(try await ask("o\(number)", transaction: "770\(number)", shop)) }
            // Several may have one deadline.
            try await shop.execute("update counterfoil.consumption_requests set deadline = now() + interval '1 hour' * (1 + notification_id / 2)")
            func pages(_ options: String...) async throws -> [[String]] {
                var pages: [[String]] = []
                var after: [String] = []
                repeat {
                    let page = try await shop.run(["consumption", "list", "--limit", "2"] + options + after)
                    try #require(page.status.isSuccess, "\(page.errors)")
                    pages.append(page.output.matches(of: /[0-9a-f-]{36}/).map { String($0.output) })
                    after = page.errors.firstMatch(of: /--after='(.*)'/).map { ["--after", String($0.1)] } ?? []
                } while !after.isEmpty && pages.count < 9
                return pages
            }

            let open = try await pages()
            let all = try await pages("--all")
            let unknown = try await shop.run(["consumption", "list", "--after", "\(UUID())"])
            let noUUID = try await shop.run(["consumption", "list", "--after", "x"])

            #expect(open.map(\.count) == [2, 2, 1] && Set(open.joined()) == Set(questions))
            #expect(Array(all.joined().reversed()) == Array(open.joined()))
            #expect(unknown.status == .exited(1) && unknown.errors.contains("to go on behind"), "\(unknown.errors)")
            #expect(noUUID.status == .exited(64))
        }
    }

    /// What a terminal would obey is written as it is spelled, in JSON too.
    @Test(.timeLimit(.minutes(3)), arguments: ["<script>", "\u{1B}[31mred", "a\u{202E}b", String(repeating: "x", count: 200)])
    func aHostileNameIsShownAndNotObeyed(_ name: String) async throws {
        try await Shop.run { shop in
            let uuid = try await ask("o", transaction: "7700", account: name, shop)

            let pages = [
                try await shop.succeed(["consumption", "list"]), try await shop.succeed(["consumption", "list", "--json"]),
                try await shop.succeed(["consumption", "answer", uuid, "--dry-run"]),
                try await shop.succeed(["consumption", "answer", uuid, "--consented", "true", "--why", name]),
                try await shop.succeed(["orders", "show", "o"]), try await shop.succeed(["orders", "show", "o", "--json"]),
            ]

            for page in pages {
                #expect(!page.contains("\u{1B}") && !page.contains("\u{202E}"), "\(page)")
            }
            let wide = pages[0].split(separator: "\n").filter { $0.count > 100 }
            #expect(wide.isEmpty, "\(wide)")
        }
    }
}
