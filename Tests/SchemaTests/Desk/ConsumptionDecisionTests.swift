// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What the shop decides about Apple's questions about refunds: what is filled in, and what is refused by which name.
@Suite struct ConsumptionDecisionTests {
    /// Apple asks about a transaction.
    private func ask(
        _ transaction: String, ago: String = "1 hour", bundle: String = Shop.bundle, _ shop: Shop
    ) async throws -> UUID {
        let uuid = UUID()
        _ = try await shop.admin.execute(
            """
            with n as (
                insert into counterfoil.notifications (
                    notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app, outcome,
                    processed_at, transaction_id
                )
                values (
                    $1::uuid, $2::text, 'production', 'CONSUMPTION_REQUEST', 'push', 'x', sha256($1::uuid::text::bytea), true,
                    'recorded', now(), $3::text
                )
                returning id
            )
            insert into counterfoil.consumption_requests (
                notification_id, bundle_id, environment, transaction_id, reason, requested_at, deadline
            )
            select
                n.id, $2::text, 'production', $3::text, 'UNINTENDED_PURCHASE', now() - $4::text::interval,
                now() - $4::text::interval + interval '12 hours'
            from n
            """, [.uuid(uuid), .text(bundle), .text(transaction), .text(ago)])
        return uuid
    }

    /// A payment that order `o` was granted, and Apple's question about it.
    private func askAboutAGrant(_ shop: Shop) async throws -> UUID {
        try await shop.order("o")
        try #require(try await shop.insertGrant("o", Payment(id: "1")))
        return try await ask("1", shop)
    }

    /// As the shop's backend sends it; the rule that it breaks.
    private func answer(
        _ question: UUID, with more: String = ", customer_consented => true", _ shop: Shop
    ) async throws -> String? {
        try await Refusal.of {
            _ = try await shop.backend.execute(
                "select * from counterfoil.answer_consumption_request($1::uuid, 'a test'\(more))", [.uuid(question)])
        }?.constraint
    }

    private func decline(_ question: UUID, with more: String = "", _ shop: Shop) async throws -> String? {
        try await Refusal.of {
            _ = try await shop.backend.execute(
                "select * from counterfoil.decline_consumption_request($1::uuid, 'a test'\(more))", [.uuid(question)])
        }?.constraint
    }

    private func answers(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select state, delivery_status, consumed_share, refund_preference, sample_content_provided
            from counterfoil.consumption_answers order by id
            """)
    }

    // MARK: What is filled in

    /// What the ledger has of a payment, and what follows of it.
    @Test func theLedgerFillsInWhatItKnows() async throws {
        try await Shop.open { shop in
            for order in ["o", "refused", "early"] { try await shop.order(order) }
            try await shop.order("plus", product: "plus")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            let plus = Payment(
                id: "2", webOrderLineItem: "w2", product: "plus", kind: "auto_renewable", reason: "purchase", expiresAt: 10)
            try #require(try await shop.insertGrant("plus", plus))
            try await shop.insertTold(
                Payment(
                    id: "3", original: "2", webOrderLineItem: "w3", product: "plus", kind: "auto_renewable", purchasedAt: 10,
                    reason: "renewal"), reason: "renewal")
            try await shop.insertUnclaimed([("refused", Payment(id: "4"))], reason: "quantity_short")
            try await shop.insertUnclaimed([("early", Payment(id: "5"))], reason: "before_ledger")

            for transaction in ["1", "2", "3", "4"] {
                #expect(try await answer(try await ask(transaction, shop), shop) == nil, "\(transaction)")
            }
            for transaction in ["5", "unheard of"] {
                let refusal = try await answer(try await ask(transaction, shop), shop)
                #expect(refusal == "answers_name_a_delivery_status", "\(transaction)")
            }

            #expect(
                try await answers(shop) == [
                    "(waiting,delivered,,,f)", "(waiting,delivered,,,f)", "(waiting,delivered,,,f)", "(waiting,undelivered_other,0,,f)",
                ])
        }
    }

    @Test func theAppsDefaultsFillInTheRestAndWordsGoBeforeBoth() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                update counterfoil.apps
                set consumption_consented = true, sample_content_provided = true, refund_preference = 'decline'
                """)
            for order in ["o", "p"] { try await shop.order(order) }
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            try #require(try await shop.insertGrant("p", Payment(id: "2")))

            #expect(try await answer(try await ask("1", shop), with: "", shop) == nil)
            #expect(
                try await answer(
                    try await ask("2", shop),
                    with: """
                    , delivery_status => 'undelivered_wrong_item', consumed_share => 33.333, refund_preference => 'grant_prorated',
                    sample_content_provided => false
                    """, shop) == nil)

            #expect(
                try await answers(shop) == [
                    "(waiting,delivered,,decline,t)", "(waiting,undelivered_wrong_item,33333,grant_prorated,f)",
                ])
            // Consent that is denied isn't the app's.
            #expect(
                try await answer(try await ask("1", shop), with: ", customer_consented => false", shop)
                    == "answers_need_the_customers_consent")
        }
    }

    /// The preview and the act are one: what the one shows the other sends.
    @Test func aPreviewShowsWhatStandsAgainstIt() async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)
            func preview(_ consented: Bool?) async throws -> String {
                let rows = try await shop.admin.execute(
                    SQLFile.previewConsumptionAnswer.statement,
                    [
                        .text(question.uuidString), .text(nil), .bool(consented), .text(nil), .double(12.5), .text(nil), .bool(nil),
                        .bool(false),
                    ])
                let row = try #require(rows.first)
                return try [6, 10, 12, 13, 16].map { try row.optionalString($0) ?? "-" }.joined(separator: " ")
            }

            #expect(try await preview(nil) == "o - delivered 12.5 answers_need_the_customers_consent")
            #expect(try await preview(true) == "o - delivered 12.5 -")
            _ = try await answer(question, shop)
            #expect(try await preview(true) == "o waiting delivered 12.5 questions_are_answered_once")
            #expect(try await shop.count("counterfoil.consumption_answers") == 1)
        }
    }

    // MARK: What is refused

    @Test(arguments: [
        ("", "answers_need_the_customers_consent"),
        (", customer_consented => true, bundle_id => 'com.example.other'", "answered_questions_are_known"),
        (", customer_consented => true, refund_preference => 'grant_prorated'", "prorated_refunds_need_a_consumed_share"),
        (", customer_consented => true, refund_preference => 'grant_prorated', consumed_share => 0", "prorated_refunds_need_a_consumed_share"),
        (", customer_consented => true, consumed_share => 100.001", "consumed_share_is_a_part"),
        (", customer_consented => true, consumed_share => -0.001", "consumed_share_is_a_part"),
        (", customer_consented => true, consumed_share => 1e300", "consumed_share_is_a_part"),
        (", customer_consented => true, consumed_share => 'NaN'", "consumed_share_is_a_part"),
        (", customer_consented => true, delivery_status => 'lost'", "delivery_status_is_known"),
        (", customer_consented => true, delivery_status => E'delivered\\u202E'", "delivery_status_is_known"),
        (", customer_consented => true, refund_preference => E'\\u001B[31mdecline'", "refund_preference_is_known"),
    ])
    func aWrongAnswerIsRefusedByName(more: String, rule: String) async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)

            #expect(try await answer(question, with: more, shop) == rule)
            #expect(try await answers(shop) == [])
            #expect(try await answer(question, shop) == nil)
        }
    }

    @Test func aPeriodHasNoShare() async throws {
        try await Shop.open { shop in
            try await shop.order("plus", product: "plus")
            let plus = Payment(
                id: "1", webOrderLineItem: "w1", product: "plus", kind: "auto_renewable", reason: "purchase", expiresAt: 10)
            try #require(try await shop.insertGrant("plus", plus))
            let question = try await ask("1", shop)

            #expect(
                try await answer(question, with: ", customer_consented => true, consumed_share => 1", shop)
                    == "periods_have_no_consumed_share")
            // Apple knows how much of a period is over.
            #expect(
                try await answer(question, with: ", customer_consented => true, refund_preference => 'grant_prorated'", shop) == nil)
        }
    }

    @Test func anUnknownQuestionAndAReasonWithoutWordsAreRefused() async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)

            #expect(try await answer(UUID(), shop) == "answered_questions_are_known")
            #expect(try await decline(UUID(), shop) == "answered_questions_are_known")
            #expect(try await decline(question, with: ", 'com.example.other'", shop) == "answered_questions_are_known")
            for why in ["", String(repeating: "x", count: 1001)] {
                let refusal = try await Refusal.of {
                    _ = try await shop.backend.execute(
                        "select * from counterfoil.decline_consumption_request($1::uuid, $2::text)", [.uuid(question), .text(why)])
                }
                #expect(refusal == Refusal("23514", "why_of_an_answer_has_1_to_1000_characters"))
            }
            #expect(try await answers(shop) == [])
        }
    }

    /// Another notification about the payment is no question.
    @Test func whatIsNoQuestionIsNotAnswered() async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)
            try await shop.run("delete from counterfoil.consumption_requests")

            #expect(try await answer(question, shop) == "answered_questions_are_known")
        }
    }

    @Test func nobodyAnswersTooLate() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            let late = try await ask("1", ago: "12 hours", shop)
            let decided = try await ask("1", shop)
            _ = try await shop.admin.execute(
                """
                update counterfoil.consumption_requests c set closed_at = now()
                from counterfoil.notifications n where n.id = c.notification_id and n.notification_uuid = $1::uuid
                """, [.uuid(decided)])

            for question in [late, decided] {
                let rule = question == late ? "answers_come_before_the_deadline" : "answers_come_before_apple_decides"
                #expect(try await answer(question, shop) == rule)
                #expect(try await decline(question, shop) == rule)
            }
            #expect(try await answers(shop) == [])
        }
    }

    // MARK: Once

    @Test func theSameDecisionAgainIsHarmlessAndAnotherIsRefused() async throws {
        try await Shop.open { shop in
            let answered = try await askAboutAGrant(shop)
            let declined = try await ask("1", shop)
            for _ in 1...2 {
                #expect(try await answer(answered, shop) == nil)
                #expect(try await decline(declined, shop) == nil)
            }

            #expect(
                try await answer(answered, with: ", customer_consented => true, refund_preference => 'decline'", shop)
                    == "questions_are_answered_once")
            #expect(try await decline(answered, shop) == "questions_are_answered_once")
            #expect(try await answer(declined, shop) == "questions_are_answered_once")
            #expect(try await answers(shop) == ["(waiting,delivered,,,f)", "(declined,,,,)"])
            #expect(
                try await shop.rows(
                    "select decision, decided_at is not null from counterfoil.consumption_request_status order by decision",
                    as: shop.backend) == ["(declined,t)", "(waiting,t)"])
        }
    }

    /// Two at once: the second waits for the first, and finds its answer.
    @Test func twoAnswersAtOnceAreOne() async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)
            func act(_ preference: String) async throws -> String? {
                try await shop.database.withConnection(as: "counterfoil_support") { support in
                    try await Refusal.of {
                        _ = try await support.execute(
                            """
                            select * from counterfoil.decide_consumption_request(
                                $1::uuid, null, false, 'eve', 'a test', true, null, null, '\(preference)', null)
                            """, [.uuid(question)])
                    }?.constraint
                }
            }

            async let one = act("decline")
            async let other = act("grant_full")
            let refusals = try await [one, other]

            #expect(refusals.count { $0 == nil } == 1 && refusals.contains("questions_are_answered_once"))
            #expect(try await answers(shop).count == 1)
        }
    }

    /// Nobody's consent is needed to say nothing.
    @Test func whatMayNotBeAnsweredMayBeDeclined() async throws {
        try await Shop.open { shop in
            let question = try await ask("unheard of", shop)

            #expect(try await decline(question, shop) == nil)
            #expect(try await answers(shop) == ["(declined,,,,)"])
        }
    }

    // MARK: What is seen of it

    @Test func theOrdersStoryAndNextStepKnowIt() async throws {
        try await Shop.open { shop in
            let question = try await askAboutAGrant(shop)
            func next() async throws -> String? {
                try await shop.value("select command from counterfoil.next_step('o')")
            }

            #expect(
                try await next() == "counterfoil consumption answer --why WHY \(question.uuidString.lowercased())")
            _ = try await answer(question, shop)

            #expect(try await next() == nil)
            let story = try await shop.rows(
                "select event, who, detail from counterfoil.order_story where order_id = 'o' and event like 'question%'")
            #expect(story.count == 1 && story[0].contains("delivered") && story[0].contains("waiting: a test"), "\(story)")
            #expect(try await shop.faults() == [])
        }
    }

    /// What is over for long costs nothing.
    @Test func aWorkersLookAndAnOperatorsListAreLookUps() async throws {
        try await Shop.open { shop in
            let take = try await shop.plan(.takeConsumptionAnswer, "60", isGeneric: true)
            let list = try await shop.plan(.listConsumption, "null, false, 51, null", isGeneric: true)

            #expect(take.contains("waiting_consumption_answers") && take.contains("consumption_requests_pkey"), "\(take)")
            #expect(!take.contains("open_consumption_requests") && !take.contains("Seq Scan"), "\(take)")
            // Questions whose deadline is to come, by whichever of both.
            #expect(list.contains(/(open_consumption_requests|consumption_requests_by_deadline)/), "\(list)")
            #expect(!list.contains("Seq Scan"), "\(list)")
        }
    }
}
