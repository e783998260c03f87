// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What notifications do to the ledger and to orders, from receive_notification to the settlement.
@Suite struct NotificationTests {
    private static let start = Date(timeIntervalSinceNow: -300)

    private static func paid(
        _ id: String = "1", token: UUID? = nil, at: Date = start, customer: String? = nil, quantity: Int = 1
    ) -> Transaction {
        var transaction = Transaction.sample(id: id, quantity: quantity, purchased: at, token: token)
        transaction.customerID = customer.flatMap { CustomerID($0) }
        return transaction
    }

    private static func refunded(_ transaction: Transaction, share: Revocation.Share = .whole, asOf: Date) -> Transaction {
        var refunded = transaction
        refunded.revocation = Revocation(.signedTransaction, date: asOf, share: share, asOf: asOf)
        return refunded
    }

    // MARK: The intake

    @Test func aNotificationIsTakenOnceAndItsTextIsTheSame() async throws {
        try await QueueFixture.run { queue in
            let text = QueueFixture.notificationText()
            let first = try await queue.receive(text)

            #expect(first == "stored")
            #expect(try await queue.receive(text) == "known")
            #expect(try await queue.receive(#"{"signedPayload":"\#(text)"}"#) == "known")
            #expect(try await queue.count("counterfoil.jobs where kind = 'notification' and priority = 1") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// An error would take its count back.
    @Test(arguments: [
        ("", "damaged"), ("x", "damaged"), ("{}", "damaged"), (#"{"signedPayload":1}"#, "damaged"), ("a.b.c", "damaged"),
        ("eyJ.W10.c2ln", "damaged"), ("[1]", "damaged"), (String(repeating: "{", count: 20_000), "damaged"),
        (QueueFixture.notificationText() + ".more", "damaged"), (QueueFixture.notificationText(signature: "ä"), "damaged"),
        (QueueFixture.notificationText(bundle: ""), "damaged"), (QueueFixture.notificationText(""), "damaged"),
        ("eyJ.e30.c2ln", "no_notification"), (QueueFixture.notificationText(environment: "Xcode"), "another_store"),
        (#"{"notification_type":"CANCEL","unified_receipt":{"latest_receipt":"MII"}}"#, "version_1"),
        (#"{"notificationType":"TEST","data":{"bundleId":"com.example.game"}}"#, "wrapped"),
        (#"["\#(longText())","\#(longText())"]"#, "wrapped"),
    ])
    func whatIsNotInApplesFormIsCountedAndNothingIsKept(text: String, kind: String) async throws {
        try await QueueFixture.run { queue in
            let answer = try await queue.receive(text)

            #expect(answer == "unreadable: \(kind)")
            #expect(try await queue.receive(text, source: "history") == "unreadable: \(kind)")

            #expect(try await queue.count("counterfoil.notifications") == 0)
            #expect(
                try await queue.text(
                    "select string_agg(kind || refused, ',') from counterfoil.unreadable_notifications where refused > 0")
                    == "\(kind)2")
            #expect(
                try await queue.text("select level from counterfoil.health where subject = 'unreadable notifications as \(kind)'")
                    == "warning")
        }
    }

    private static func longText() -> String {
        let text = QueueFixture.notificationText(signature: String(repeating: "c2ln", count: 8))
        return String(repeating: "eyJh", count: 8) + text.dropFirst(3)
    }

    /// Nobody waits for the count.
    @Test func whatIsCountedByAnOpenTransactionHoldsNobodyUp() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.withTransaction { connection in
                _ = try await connection.execute(
                    PostgresStatement(name: "count", sql: "select counterfoil.receive_notification('x')"))

                #expect(try await queue.receive("y") == "unreadable: damaged")
            }

            #expect(try await queue.text("select refused from counterfoil.unreadable_notifications where kind = 'damaged'") == "1")
        }
    }

    /// The wrappings of proofs. What has two meanings has none.
    @Test(arguments: [
        "the body", "a byte order mark", "a line break in it", "padding", "a string", "a list", "an object in an object",
        "a string in an object", "Optional", "a quotation", "percent", "a form's field", "references", "escapes", "base64", "hex",
    ])
    func whatIsWrappedIsUnwrapped(by wrapping: String) async throws {
        try await QueueFixture.run { queue in
            let text = QueueFixture.notificationText()
            let body = #"{"signedPayload":"\#(text)"}"#
            let escaped = body.replacing("\"", with: "\\\"")
            let wrapped =
                switch wrapping {
                case "the body": " \(body)\n"
                case "a byte order mark": "\u{FEFF}\(body)"
                case "a line break in it": "\(text.prefix(30))\r\n\(text.dropFirst(30))"
                case "padding": "\(text)=="
                case "a string": "\"\(text)\""
                case "a list": "[\(body)]"
                case "an object in an object": #"{"headers":{"a":"b"},"body":\#(body)}"#
                case "a string in an object": #"{"headers":{"a":"b"},"body":"\#(escaped)"}"#
                case "Optional": "Optional(\"\(text)\")"
                case "a quotation": "b'\(body)'"
                case "percent": "%7B%22signedPayload%22%3A%22\(text)%22%7D"
                case "a form's field": "signedPayload=\(text)"
                case "references": body.replacing("\"", with: "&quot;")
                case "escapes": escaped
                case "base64": Data(body.utf8).base64EncodedString()
                default: body.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                }

            let answer = try await queue.receive(wrapped)

            #expect(answer == "stored")
            #expect(try await queue.text("select payload from counterfoil.notifications") == text)
            #expect(try await queue.receive(text) == "known")
        }
    }

    /// The first may not be committed: if Apple were told that it is known, and it is taken back, nobody had it.
    @Test func aTextThatIsBeingStoredIsAnsweredWithoutWaiting() async throws {
        try await QueueFixture.run { queue in
            let text = QueueFixture.notificationText()
            try await queue.admin.withTransaction { connection in
                _ = try await connection.execute(
                    PostgresStatement(name: "store", sql: "select counterfoil.receive_notification($1::text)"), [.text(text)])

                #expect(try await queue.receive(text) == "being_stored")
                // Another one is taken meanwhile, and the session's own limit stands.
                #expect(try await queue.receive(QueueFixture.notificationText()) == "stored")
            }

            #expect(try await queue.receive(text) == "known")
            #expect(try await queue.count("counterfoil.jobs where kind = 'notification'") == 2)
        }
    }

    /// As the verifier does: `data` counts, then what holds a transaction, then the first by name.
    @Test(arguments: [
        (["appData", "data", "zData"], "data"), (["appData", "unclaimInfo+", "zData"], "unclaimInfo"),
        (["data", "appData+"], "data"), (["summary", "appData"], "appData"),
    ])
    func ofSeveralObjectsThatNameTheAppOneCounts(names: [String], counts: String) async throws {
        try await QueueFixture.run { queue in
            let objects = names.map { name in
                let key = name.replacing("+", with: "")
                let transaction = name.hasSuffix("+") ? #","signedTransactionInfo":"eyJ""# : ""
                return #""\#(key)":{"bundleId":"com.example.\#(key)","environment":"Production"\#(transaction)}"#
            }

            try await queue.receive(QueueFixture.notificationText(objects: objects.joined(separator: ",")))

            #expect(try await queue.text("select bundle_id from counterfoil.notifications") == "com.example.\(counts)")
        }
    }

    @Test func aNotificationHasALimit() async throws {
        try await QueueFixture.run { queue in
            let error = await #expect(throws: PostgresError.self) {
                try await queue.receive(String(repeating: "a", count: 262_145))
            }
            #expect(error?.constraint == "notification_has_at_most_256_kib")
        }
    }

    @Test func twoThousandMayWaitToBeVerifiedOfAnAppAndOfUnknownOnes() async throws {
        try await QueueFixture.run { queue in
            for (bundle, isKnown) in [(QueueFixture.bundle, true), ("com.example.other", false)] {
                try await queue.admin.execute(
                    """
                    insert into counterfoil.notifications (
                        notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app
                    )
                    select gen_random_uuid(), '\(bundle)', 'production', 'TEST', 'push', 'a.b.c', sha256('x'), \(isKnown)
                    from generate_series(1, 2000)
                    """)
                let error = await #expect(throws: PostgresError.self) {
                    try await queue.receive(QueueFixture.notificationText(bundle: bundle))
                }
                #expect(error?.constraint == "at_most_2000_unverified_notifications")
                #expect(error?.sqlState?.rawValue == "53400")
                try await queue.admin.execute(
                    """
                    update counterfoil.notifications set outcome = 'stored', processed_at = now()
                    where id = (select max(id) from counterfoil.notifications)
                    """)
                #expect(
                    try await queue.receive(QueueFixture.notificationText(bundle: bundle)) == (isKnown ? "stored" : "unknown_app"))
            }
        }
    }

    @Test func aNotificationOfAnUnknownAppWaitsForIt() async throws {
        try await QueueFixture.run { queue in
            #expect(try await queue.receive(QueueFixture.notificationText(bundle: "com.example.other")) == "unknown_app")
            #expect(try await queue.claim().isEmpty)

            try await queue.admin.execute("insert into counterfoil.apps (bundle_id) values ('com.example.other')")

            #expect(try await queue.claim().map(\.work.kind) == [.notification])
        }
    }

    /// Who knows Apple's number of a notification, and sends something else under it, doesn't keep Apple's away.
    @Test func aForgedTextDoesNotKeepTheGenuineOneAway() async throws {
        try await QueueFixture.run { queue in
            let uuid = UUID()
            #expect(try await queue.receive(QueueFixture.notificationText(uuid: uuid, signature: "Zm9yZ2Vk")) == "stored")
            #expect(try await queue.receive(QueueFixture.notificationText(uuid: uuid)) == "stored")
            let jobs = try await queue.claim()

            _ = try await queue.settle(
                Settlement(jobs[0], recording: NotificationEffects(refused: .badSignature)),
                Settlement(jobs[1], recording: Told("ONE_TIME_CHARGE", Self.paid()).effects))

            #expect(try await queue.text("select string_agg(outcome, ',') from counterfoil.notifications") == "recorded")
            #expect(
                try await queue.text("select reason || refused from counterfoil.refused_notifications") == "bad_signature1")
            #expect(try await queue.receive(QueueFixture.notificationText(uuid: uuid, signature: "YWdhaW4")) == "known")
            #expect(try await queue.faults() == [])
        }
    }

    /// Apple's history may have another signature of the same notification.
    @Test func twoSignaturesOfOneNotificationHaveOneEffect() async throws {
        try await QueueFixture.run { queue in
            let uuid = UUID()
            try await queue.receive(QueueFixture.notificationText(uuid: uuid))
            try await queue.receive(QueueFixture.notificationText(uuid: uuid, signature: "YWdhaW4"), source: "history")
            for job in try await queue.claim() {
                _ = try await queue.settle(Settlement(job, recording: Told("ONE_TIME_CHARGE", Self.paid()).effects))
            }

            #expect(try await queue.count("counterfoil.notifications") == 1)
            #expect(try await queue.count("counterfoil.payments") == 1)
            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    /// Signed and unreadable: a person hears of it, by its id, and a later version reads it. A forgery is refused, and goes.
    @Test func whatAppleSignedAndNobodyCanReadIsForAPerson() async throws {
        try await QueueFixture.run { queue in
            let uuids = [UUID(), UUID(), UUID()]
            let all = [
                Told(unusable: "its transaction can't be read").effects, NotificationEffects(refused: .badSignature),
                Told("ONE_TIME_CHARGE", Self.paid()).effects,
            ]
            for uuid in uuids { try await queue.receive(QueueFixture.notificationText(uuid: uuid)) }
            for (job, effects) in zip(try await queue.claim(), all) {
                _ = try await queue.settle(Settlement(job, recording: effects))
            }

            #expect(
                try await queue.text("select string_agg(outcome, ',' order by id) from counterfoil.notifications") == "odd,recorded"
            )
            let health = "select concat_ws(' ', level, finding, mend) from counterfoil.health where subject = 'odd notifications'"
            let line = try #require(try await queue.text(health))
            let uuid = uuids[0].uuidString.lowercased()
            #expect(line.hasPrefix("warning 1 within a week can't be read, the last one \(uuid): its transaction can't be read"))
            #expect(line.hasSuffix("counterfoil notifications show \(uuid)"))

            // A later version reads it.
            #expect(try await NotificationStore(pool: queue.pool).replay(uuid, of: nil, since: nil) == (1, 1))
            _ = try await queue.settle(
                Settlement(try await queue.claim()[0], recording: Told("ONE_TIME_CHARGE", Self.paid("2")).effects))

            #expect(
                try await queue.text("select string_agg(outcome, ',' order by id) from counterfoil.notifications")
                    == "recorded,recorded")
            #expect(try await queue.text(health)?.hasPrefix("ok ") == true)
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: Whose order

    @Test func aTokenFindsItsOrderWithoutTheClient() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            try await queue.place("b", minutesAgo: 20)

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            try await queue.work { _ in Self.paid(token: token) }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.open))
            #expect(try await queue.text("select order_id from counterfoil.notifications") == "a")
            let found = try await queue.text("select why from counterfoil.order_events where kind = 'found'")
            #expect(found?.hasSuffix("showed transaction 1: its token names the order") == true)
            #expect(
                try await queue.text("select string_agg(kind, ',' order by id) from counterfoil.changes")
                    == "order_found,order_fulfilled")
            #expect(try await queue.faults() == [])
        }
    }

    /// What is brought to the order of its token is told as unclaimed by the job, if it still is: a forged proof, a refused one, a
    /// job that is given up. What no order's token names is told at once, and once.
    @Test(arguments: ["too few", "forged", "no order"])
    func whatStaysUnclaimedIsToldOnce(_ why: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", quantity: why == "too few" ? 2 : 1, token: why == "no order" ? nil : token, minutesAgo: 20)
            let told = "select string_agg(kind, ',' order by id) from counterfoil.changes where kind <> 'order_found'"

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            let atOnce = try await queue.text(told)
            for job in try await queue.claim() {
                let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
                    why == "forged" ? .refused(.badSignature) : .paid(Self.paid(token: token))
                }
                _ = try await queue.settle(
                    await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60)).settlement)
            }

            #expect(try await queue.count("counterfoil.grants") == 0)
            let isBrought = try await queue.count("counterfoil.order_events where kind = 'found'") == 1
            #expect(atOnce == (isBrought ? nil : "payment_unclaimed"))
            #expect(try await queue.text(told) == "payment_unclaimed")
            #expect(try await queue.faults() == [])
        }
    }

    /// A settlement tells the feed of the payments that it kept, each once. The trigger serves other writers.
    @Test func aSettlementTellsByItselfOfWhatItKept() async throws {
        try await QueueFixture.run { queue in
            try await PostgresConnection.withConnection(to: queue.adminURL) {
                try await $0.executeScript("alter table counterfoil.payments disable trigger unclaimed_payments_are_told")
            }
            for _ in 1...3 {
                let text = QueueFixture.notificationText("ONE_TIME_CHARGE", uuid: UUID(), environment: "Production")
                try #require(try await queue.receive(text) == "stored")
            }
            let jobs = try await queue.claim().filter { $0.work.kind == .notification }
            try #require(jobs.count == 3)

            _ = try await queue.settle(
                Settlement(jobs[0], recording: Told("ONE_TIME_CHARGE", Self.paid("1")).effects),
                Settlement(jobs[1], recording: Told("ONE_TIME_CHARGE", Self.paid("2")).effects),
                Settlement(jobs[2], recording: Told("ONE_TIME_CHARGE", Self.paid("1")).effects))

            #expect(
                try await queue.text("select string_agg(kind || ' ' || transaction_id, ',' order by id) from counterfoil.changes")
                    == "payment_unclaimed 1,payment_unclaimed 2")
            #expect(try await queue.count("counterfoil.told_payments") == 2)
        }
    }

    /// The client comes after all: it may finish the transaction.
    @Test func aClientThatComesLaterMayFinish() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            try await queue.work { _ in Self.paid(token: token) }

            try await queue.submit("a", "eyJ 1", hint: "1")
            try await queue.work { _ in Self.paid(token: token) }

            #expect(try await queue.text("select client_action from counterfoil.order_status where order_id = 'a'") == "finish")
            #expect(try await queue.count("counterfoil.grants") == 1)
        }
    }

    /// An honest upload that lacked the purchase shuts nothing: such an order is found as an open one is. A cancelled one isn't.
    @Test(arguments: [
        ("rejected", "purchase_not_in_receipt", true), ("rejected", "malformed_proof", true), ("review", "unknown_answer", true),
        ("cancelled", "order_cancelled", false),
    ])
    func anOrderThatWasRejectedIsFoundByItsToken(state: String, reason: String, isPaid: Bool) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            try await queue.change("a", "state = '\(state)', reason = '\(reason)'")

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            try await queue.work { _ in Self.paid(token: token) }

            #expect(try await queue.order("a").state == (isPaid ? .fulfilled : .cancelled))
        }
    }

    /// A token that two accounts bear speaks for nobody; a consumable of the wrong product, or of too few, is nobody's.
    @Test func aPaymentThatFitsNoOrderIsUnclaimed() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            try await queue.place("b", account: "bob", token: token, minutesAgo: 20)
            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            let other = UUID()
            try await queue.place("c", account: "carol", product: "pro", token: other, minutesAgo: 20)
            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid("2", token: other)))

            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(
                try await queue.text("select string_agg(state || reason, ',') from counterfoil.payment_states")
                    == "unclaimedno_order,unclaimedno_order")
            // Nobody is told that another's payment is there.
            #expect(
                try await queue.text("select client_action from counterfoil.transaction_status where transaction_id = '1'")
                    == "upload_proof")
        }
    }

    @Test func aTokenOfAnotherOrderFindsTheNewestOpenOneOfItsAccount() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("old", product: "pro", token: token, minutesAgo: 20)
            try await queue.place("first", minutesAgo: 20)
            try await queue.place("second", minutesAgo: 15)
            try await queue.place("later", minutesAgo: 0)

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))
            try await queue.work { _ in Self.paid(token: token) }

            #expect(try await queue.order("second") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("first") == OrderFacts(.open))
        }
    }

    /// Apple's customer isn't the shop's account.
    @Test(arguments: ["one order fits", "two orders fit", "the customer has two accounts", "the customer is new"])
    func withoutATokenNothingIsGuessed(why: String) async throws {
        try await QueueFixture.run { queue in
            let start = Self.start.addingTimeInterval(-7200)
            for (number, account) in ["ann", "bob"].enumerated() where why != "the customer is new" {
                if number == 1, why != "the customer has two accounts" { continue }
                try await queue.submit("known-\(number)", "eyJ \(number)", account: account)
                _ = try await queue.settle(
                    Settlement(
                        try await queue.claim()[0],
                        .grantOne, payments: .init(candidates: [ShownPayment(Self.paid("\(number)", customer: "7"))])))
            }
            try await queue.place("lost", minutesAgo: 150)
            if why == "two orders fit" { try await queue.place("lost too", minutesAgo: 150) }

            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid("9", at: start, customer: "7")))

            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.text("select reason from counterfoil.payments where transaction_id = '9'") == "no_order")
        }
    }

    /// A tester's purchase, with the token of somebody else's order.
    @Test func aSandboxPaymentTouchesNoOrderThatMayNotBePaidThere() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            let transaction = Transaction.sample(id: "1", environment: .sandbox, purchased: Self.start, token: token)

            try await queue.tell(Told("ONE_TIME_CHARGE", transaction))
            try await queue.work { _ in transaction }

            #expect(try await queue.order("a") == OrderFacts(.open))
        }
    }

    /// No order is looked for, though the token names one: a person has to look first.
    @Test(arguments: ["paid before the ledger", "restored since, and paid before the ledger", "of Advanced Commerce"])
    func aFoundPaymentThatADoubtStandsAgainstIsKeptByIt(why: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", product: "pro", token: token, minutesAgo: 20)
            var told = Transaction.sample(
                id: "2", original: "1", product: "pro", kind: .nonConsumable, purchased: Self.start, token: token)
            let isOld = why != "of Advanced Commerce"
            switch why {
            case "paid before the ledger": told.purchaseDate = Self.start.addingTimeInterval(-3_600)
            case "of Advanced Commerce": told.isAdvancedCommerce = true
            default: told.originalPurchaseDate = Self.start.addingTimeInterval(-3_600)
            }
            if isOld {
                try await queue.admin.execute("update counterfoil.apps set ledger_starts_at = now() - interval '30 minutes'")
            }

            try await queue.tell(Told("ONE_TIME_CHARGE", told))

            #expect(
                try await queue.text("select state || ' ' || reason from counterfoil.payment_states")
                    == (isOld ? "unclaimed before_ledger" : "unclaimed unsupported_yet"))
            #expect(try await queue.text("select outcome from counterfoil.notifications") == "recorded")
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.order("a") == OrderFacts(.open))
            #expect(try await queue.faults() == [])
        }
    }

    /// The app's policy holds for what Apple tells, as for what clients upload.
    @Test(arguments: ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"], ["deny", "listed"])
    func aSandboxPaymentThatTheAppDeniesIsKeptAsDeniedAndNothingElse(type: String, policy: String) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = $1", [.text(policy)])
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', 'bob')")
            try await queue.place("a", token: token, minutesAgo: 20)
            let payment = Transaction.sample(id: "1", environment: .sandbox, purchased: Self.start, token: token)
            let told = type == "REFUND" ? Self.refunded(payment, asOf: Self.start.addingTimeInterval(100)) : payment

            try await queue.tell(Told(type, told, signedAt: Self.start.addingTimeInterval(200)))

            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.count("counterfoil.revocations") == 0)
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(
                try await queue.text("select concat_ws(' ', outcome, message) from counterfoil.notifications")
                    == "denied a sandbox purchase that doesn't count for this account")
            #expect(try await queue.faults() == [])
        }
    }

    /// The token says whose it is.
    @Test(arguments: [false, true])
    func aSandboxPaymentOfAListedAccountCounts(isRefunded: Bool) async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = 'listed'")
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', 'ann')")
            // For another product: the payment stays unclaimed.
            try await queue.place("a", product: "pro", token: token, minutesAgo: 20)
            let payment = Transaction.sample(id: "1", environment: .sandbox, purchased: Self.start, token: token)
            let told = isRefunded ? Self.refunded(payment, asOf: Self.start.addingTimeInterval(100)) : payment

            try await queue.tell(Told(isRefunded ? "REFUND" : "ONE_TIME_CHARGE", told))

            #expect(
                try await queue.text("select state || ' ' || reason from counterfoil.payment_states")
                    == (isRefunded ? "taken_back refunded" : "unclaimed no_order"))
            #expect(try await queue.text("select outcome from counterfoil.notifications") == "recorded")
        }
    }

    /// Nobody knew whose they are. The upload of a listed account says it, and what Apple told before counts, whichever path
    /// grants; another original stays denied.
    @Test(arguments: [false, true], [false, true])
    func whatWasDeniedIsJudgedAgainOnceItsAccountIsKnown(isListed: Bool, takesTheShortPath: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = 'listed'")
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', $1)",
                [.text(isListed ? "ann" : "bob")])
            let payment = Transaction.sample(id: "1", environment: .sandbox, purchased: Self.start)
            let other = Transaction.sample(id: "2", environment: .sandbox, purchased: Self.start)
            let refund = Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100)))
            try await queue.tell(Told("ONE_TIME_CHARGE", payment))
            try await queue.tell(refund)
            try await queue.tell(Told("ONE_TIME_CHARGE", other))
            #expect(try await queue.count("counterfoil.notifications where outcome = 'denied'") == 3)
            #expect(try await queue.count("counterfoil.payments") == 0)

            try await queue.submit("a", "eyJ 1")
            let job = try await queue.claim()[0]
            if isListed && takesTheShortPath {
                let shown = ShownPayment(payment, signedAt: Self.start)
                let granted = try await queue.grantFirst(Settlement(job, .grantOne, payments: .init(candidates: [shown])))
                try #require(granted.left.isEmpty)
            } else {
                try await queue.attempt(job) { _ in payment }
            }
            let again = try await queue.claim().filter { $0.work.kind == .notification }
            for (job, told) in zip(again, [Told("ONE_TIME_CHARGE", payment), refund]) {
                _ = try await queue.settle(Settlement(job, recording: told.effects))
            }

            #expect(again.count == (isListed ? 2 : 0))
            #expect(try await queue.order("a").state == (isListed ? .refunded : .rejected))
            #expect(
                try await queue.text("select string_agg(outcome, ',' order by id) from counterfoil.notifications")
                    == (isListed ? "recorded,recorded,denied" : "denied,denied,denied"))
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// The customer bought again: no token, and no renewal. Whose the subscription is, the ledger knows.
    @Test(arguments: ["ann", "bob"])
    func aSandboxResubscriptionIsItsSubscriptionsAccounts(listed: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = 'allow'")
            let first = Self.sandboxPeriod("1", at: Self.start.addingTimeInterval(-3000))
            try await queue.place("a", product: "plus", minutesAgo: 60)
            try await queue.submit("a", "eyJ 1", product: "plus")
            try await queue.work { _ in first }
            try #require(try await queue.order("a").state == .fulfilled)
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = 'listed'")
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', $1)",
                [.text(listed)])
            var again = Self.sandboxPeriod("2", at: Self.start)
            again.purchaseReason = .purchase

            try await queue.tell(Told("SUBSCRIBED", again))

            #expect(
                try await queue.text("select outcome from counterfoil.notifications") == (listed == "ann" ? "recorded" : "denied"))
        }
    }

    private static func sandboxPeriod(_ id: String, at: Date) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: "plus", environment: .sandbox, kind: .autoRenewable, purchased: at, webOrder: "w\(id)")
        period.expiresDate = at.addingTimeInterval(300)
        return period
    }

    /// Without a token, too: the ledger knows who was granted it.
    @Test func aRefundOfAGrantedSandboxPaymentIsItsAccounts() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set sandbox_policy = 'listed'")
            try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ('\(QueueFixture.bundle)', 'ann')")
            let payment = Transaction.sample(id: "1", environment: .sandbox, purchased: Self.start)
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in payment }
            try #require(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))

            try await queue.tell(Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))))

            #expect(try await queue.order("a").state == .refunded)
            #expect(try await queue.text("select outcome from counterfoil.notifications") == "recorded")
            #expect(try await queue.faults() == [])
        }
    }

    /// Nobody uploaded it for this order: an order that it doesn't pay for isn't answered.
    @Test func aFoundPaymentThatIsNotGrantedLeavesItsOrderAsItWas() async throws {
        try await QueueFixture.run { queue in
            let token = UUID()
            try await queue.place("a", token: token, minutesAgo: 20)
            try await queue.tell(Told("ONE_TIME_CHARGE", Self.paid(token: token)))

            // By the time of the attempt it asks for more than was paid: an upload would leave it to a person.
            try await queue.change("a", "quantity = 2")
            try await queue.work { _ in Self.paid(token: token) }

            #expect(try await queue.order("a") == OrderFacts(.open))
            #expect(try await queue.count("counterfoil.proofs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: Refunds

    @Test func aRefundBeforeTheGrantPreventsIt() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.tell(Told("REFUND", Self.refunded(payment, asOf: Date())))

            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in payment }

            #expect(try await queue.order("a").state == .refunded)
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    @Test func aRefundAfterTheGrantTakesTheOrderBackAndAReversalGivesItBack() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in payment }
            let refunded = Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))

            try await queue.tell(Told("REFUND", refunded))
            #expect(try await queue.order("a").state == .refunded)
            try await queue.tell(Told("REFUND_REVERSED", payment, signedAt: Self.start.addingTimeInterval(200)))
            #expect(try await queue.order("a").state == .fulfilled)

            // Apple sends it again, or its history tells it.
            try await queue.tell(Told("REFUND", refunded))
            #expect(try await queue.order("a").state == .fulfilled)
            #expect(
                try await queue.text("select string_agg(kind, ',' order by id) from counterfoil.changes")
                    == "order_fulfilled,order_refunded,refund_reversed")
            #expect(try await queue.faults() == [])
        }
    }

    @Test(arguments: [false, true])
    func aReversalThatComesBeforeItsRefundCounts(isGranted: Bool) async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            if isGranted {
                try await queue.submit("a", "eyJ 1")
                try await queue.work { _ in payment }
            }

            try await queue.tell(Told("REFUND_REVERSED", payment, signedAt: Self.start.addingTimeInterval(200)))
            try await queue.tell(Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))))

            #expect(
                try await queue.text("select state from counterfoil.payment_states") == (isGranted ? "granted" : "unclaimed"))
        }
    }

    /// Apple's servers may sign a transaction without its refund for some seconds.
    @Test func onlyAReversalReverses() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.tell(Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))))

            try await queue.tell(Told("DID_CHANGE_RENEWAL_STATUS", payment, signedAt: Self.start.addingTimeInterval(200)))

            #expect(try await queue.text("select state from counterfoil.payment_states") == "taken_back")
        }
    }

    /// What was refunded when the order showed it, and stands now, ends as if the reversal had come first.
    @Test(arguments: [Revocation.Share.part(33_333), .unknown, .whole], [true, false])
    func theNewestWordLiftsAReview(share: Revocation.Share, isNewer: Bool) async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            let refunded = Self.refunded(payment, share: share, asOf: Self.start.addingTimeInterval(100))
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in refunded }
            #expect(
                try await queue.order("a")
                    == (share == .whole ? OrderFacts(.refunded, .refunded, by: "1") : OrderFacts(.review, .partlyRefunded, by: "1"))
            )

            try await queue.tell(
                Told("REFUND_REVERSED", payment, signedAt: Self.start.addingTimeInterval(isNewer ? 200 : 50)))
            try await queue.work { _ in payment }

            let stays: OrderFacts =
                share == .whole ? OrderFacts(.refunded, .refunded, by: "1") : OrderFacts(.review, .partlyRefunded, by: "1")
            #expect(try await queue.order("a") == (isNewer ? OrderFacts(.fulfilled, by: "1") : stays))
            #expect(try await queue.count("counterfoil.order_events where kind = 'judged_again'") == (isNewer ? 1 : 0))
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// Both showed what was refunded: whose it is, nobody knows.
    @Test func aReviewIsNotLiftedWhereTwoAccountsShowedThePayment() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            let refunded = Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))
            for account in ["ann", "bob"] {
                try await queue.submit(account, "eyJ 1", account: account)
                try await queue.work { _ in refunded }
            }

            try await queue.tell(Told("REFUND_REVERSED", payment, signedAt: Self.start.addingTimeInterval(200)))
            try await queue.work { _ in payment }

            for order in ["ann", "bob"] { #expect(try await queue.order(order) == OrderFacts(.review, .refundReversed, by: "1")) }
            #expect(try await queue.count("counterfoil.grants") == 0)
        }
    }

    /// Of a payment that its proof left in doubt Apple says more since: its kind. Nothing is lifted for who only knew an id, nor
    /// where an order is in review for another reason.
    @Test(arguments: [
        (Reason.unknownProduct, true, true), (.productKindMismatch, true, true), (.tokenMissing, false, false),
        (.purchaseBeforeOrder, true, false), (.discardedByOperator, true, false),
    ])
    func appleSaysMoreOfAPaymentInReview(reason: Reason, isKept: Bool, isLifted: Bool) async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.submit("a", "eyJ 1")
            let job = try await queue.claim()[0]
            let kept = SettledPayment(ShownPayment(payment, signedAt: Self.start), .unclaimed(reason))
            _ = try await queue.settle(
                Settlement(job, .end(.review(reason, payment.id)), payments: isKept ? [kept] : []))

            try await queue.tell(Told("ONE_TIME_CHARGE", payment, signedAt: Self.start))
            try await queue.work { _ in payment }

            #expect(
                try await queue.order("a") == (isLifted ? OrderFacts(.fulfilled, by: "1") : OrderFacts(.review, reason, by: "1")))
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aRefundOfAPartLeavesTheOrderAndIsTold() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in payment }

            try await queue.tell(
                Told("REFUND", Self.refunded(payment, share: .part(33_333), asOf: Self.start.addingTimeInterval(100))))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.text("select refunded_share from counterfoil.order_status") == "33.333")
            #expect(
                try await queue.text("select string_agg(kind, ',' order by id) from counterfoil.changes")
                    == "order_fulfilled,order_partly_refunded")
        }
    }

    @Test func whatSomebodyElsePaidForHasNoEffect() async throws {
        try await QueueFixture.run { queue in
            var shared = Self.refunded(Self.paid(), asOf: Date())
            shared.ownership = .familyShared

            try await queue.tell(Told("REVOKE", shared))

            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.text("select outcome from counterfoil.notifications") == "stored")
        }
    }

    // MARK: Renewals and requests

    private static func period(_ id: String, at: Date) -> Transaction {
        var period = Transaction.sample(
            id: id, original: "1", product: "plus", kind: .autoRenewable, purchased: at, webOrder: "w\(id)")
        period.expiresDate = at.addingTimeInterval(300)
        return period
    }

    /// Whose the subscription is, is known once a period of it is granted.
    @Test func aRenewalThatWasToldBeforeItsSubscriptionWasGrantedIsJudgedAgain() async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            let told = Told(
                "DID_RENEW", Self.period("2", at: Self.start.addingTimeInterval(300)), signedAt: Self.start.addingTimeInterval(301))
            try await queue.tell(told)
            #expect(try await queue.transaction("2") == "unclaimed upload_proof")

            try await queue.upload("a", product: "plus")
            try await queue.settle(Self.period("1", at: Self.start), for: "a")
            let again = try #require(try await queue.claim().first { $0.work.kind == .notification })
            _ = try await queue.settle(Settlement(again, recording: told.effects))

            #expect(
                try await queue.text("select state || account_id from counterfoil.payment_states where transaction_id = '2'")
                    == "renewalann")
            #expect(
                try await queue.text("select string_agg(kind, ',' order by id) from counterfoil.changes")
                    == "payment_unclaimed,subscription_changed,order_fulfilled,payment_renamed,subscription_changed")
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func aRenewalIsItsSubscriptionsAccounts() async throws {
        try await QueueFixture.run { queue in
            try await queue.listPlus()
            try await queue.submit("a", "eyJ 1", product: "plus")
            try await queue.work { _ in Self.period("1", at: Self.start) }
            var told = Told(
                "DID_RENEW", Self.period("2", at: Self.start.addingTimeInterval(300)), signedAt: Self.start.addingTimeInterval(301))
            told.renewal = Renewal(
                originalID: TransactionID(rawValue: "1"), productID: ProductID(rawValue: "plus"), willRenew: true,
                signedAt: Self.start.addingTimeInterval(301))

            try await queue.tell(told)

            #expect(
                try await queue.text("select state || account_id from counterfoil.payment_states where transaction_id = '2'")
                    == "renewalann")
            #expect(
                try await queue.text("select kind || coalesce(reason, '') from counterfoil.changes order by id desc offset 1 limit 1")
                    == "subscription_renewedrenewal")
            #expect(
                try await queue.text(
                    """
                    select concat_ws(' ', status, account_id, transaction_id, will_renew, renews_as) from counterfoil.subscription_status
                    where original_transaction_id = '1'
                    """) == "active ann 2 t plus")

            // What Apple signed earlier changes nothing.
            told.renewal = Renewal(originalID: TransactionID(rawValue: "1"), willRenew: false, signedAt: Self.start)
            try await queue.tell(told)
            #expect(try await queue.text("select will_renew from counterfoil.subscription_status") == "true")
        }
    }

    @Test(arguments: [false, true])
    func aConsumptionRequestIsToldAndClosed(isClosedFirst: Bool) async throws {
        try await QueueFixture.run { queue in
            var asks = Told("CONSUMPTION_REQUEST", Self.paid())
            asks.reason = "UNINTENDED_PURCHASE"
            let declined = Told("REFUND_DECLINED", Self.paid())
            for told in isClosedFirst ? [declined, asks] : [asks, declined] { try await queue.tell(told) }

            #expect(
                try await queue.text(
                    """
                    select concat_ws(' ', reason, deadline - requested_at, closed_at is not null) from counterfoil.consumption_requests
                    """) == "UNINTENDED_PURCHASE 12:00:00 t")
            #expect(try await queue.count("counterfoil.changes where kind = 'consumption_requested'") == (isClosedFirst ? 0 : 1))
        }
    }

    /// Apple's time counts, and not that of the arrival. The backend reads the deadline, and what was granted.
    @Test(arguments: [(1.0, true), (17 * 60.0, false)])
    func aBackendReadsUntilWhenAppleTakesAnAnswer(minutesAgo: Double, isOpen: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in Self.paid() }
            var asks = Told("CONSUMPTION_REQUEST", Self.paid())
            asks.reason = "UNINTENDED_PURCHASE"

            try await queue.receive(
                QueueFixture.notificationText("CONSUMPTION_REQUEST", signedAt: Date(timeIntervalSinceNow: -minutesAgo * 60)))
            _ = try await queue.settle(Settlement(try await queue.claim()[0], recording: asks.effects))

            let backend = PostgresPool(
                configuration: try PostgresConfiguration(
                    url: queue.url.replacing("counterfoil_worker", with: "counterfoil_backend")),
                size: 1, logger: .test)
            let row = try await backend.execute(
                """
                select concat_ws(' ', transaction_id, order_id, account_id, product_id, quantity, reason, deadline - requested_at,
                    deadline > now(), closed_at is null)
                from counterfoil.consumption_request_status
                """)[0].string(0)
            await backend.close()
            #expect(row == "1 a ann coins 1 UNINTENDED_PURCHASE 12:00:00 \(isOpen ? "t" : "f") t")
        }
    }

    /// What Apple tells of something else is told, and the backend reads it. What is recorded, refused, odd or a test isn't told
    /// so.
    @Test func aNotificationWithoutAnEffectIsToldAndReadable() async throws {
        try await QueueFixture.run { queue in
            let uuids = (0..<5).map { _ in UUID() }
            let token = #""externalPurchaseToken":{"bundleId":"\#(QueueFixture.bundle)","externalPurchaseId":"7"}"#
            let all: [(String, NotificationEffects)] = [
                ("EXTERNAL_PURCHASE_TOKEN", Told("EXTERNAL_PURCHASE_TOKEN", nil).effects), ("TEST", Told("TEST", nil).effects),
                ("ONE_TIME_CHARGE", Told("ONE_TIME_CHARGE", Self.paid()).effects),
                ("SOMETHING_NEW", NotificationEffects(refused: .badSignature)),
                ("ONE_TIME_CHARGE", Told(unusable: "its transaction can't be read").effects),
            ]
            for (uuid, told) in zip(uuids, all) {
                try await queue.receive(
                    QueueFixture.notificationText(told.0, uuid: uuid, objects: told.0 == "EXTERNAL_PURCHASE_TOKEN" ? token : nil))
            }
            for (job, told) in zip(try await queue.claim(), all) {
                _ = try await queue.settle(Settlement(job, recording: told.1))
            }
            // Once.
            #expect(try await NotificationStore(pool: queue.pool).replay(uuids[0].uuidString, of: nil, since: nil) == (1, 1))
            _ = try await queue.settle(Settlement(try await queue.claim()[0], recording: all[0].1))

            #expect(
                try await queue.text(
                    "select string_agg(concat_ws(' ', kind, bundle_id, environment, details), ';') from counterfoil.changes where details is not null"
                )
                    == #"notification_stored \#(QueueFixture.bundle) production {"type": "EXTERNAL_PURCHASE_TOKEN", "uuid": "\#(uuids[0].uuidString.lowercased())"}"#
            )
            let backend = PostgresPool(
                configuration: try PostgresConfiguration(
                    url: queue.url.replacing("counterfoil_worker", with: "counterfoil_backend")),
                size: 1, logger: .test)
            let row = try await backend.execute(
                """
                select string_agg(concat_ws(' ', type, contents #>> '{externalPurchaseToken,externalPurchaseId}'), ';' order by type)
                from counterfoil.stored_notifications
                """)[0].string(0)
            await backend.close()
            #expect(row == "EXTERNAL_PURCHASE_TOKEN 7;TEST")
        }
    }

    /// What Apple signed of a payment, told or granted: price, offer, plan, seats. A backend reads it, and no rule does.
    @Test(arguments: [false, true])
    func aBackendReadsTheTermsOfAPurchase(isGranted: Bool) async throws {
        try await QueueFixture.run { queue in
            var paid = Self.paid(quantity: 3)
            paid.price = SignedPrice(milliunits: 4_990, currency: "EUR")
            paid.purchaseReason = .purchase
            paid.terms = SignedTerms(
                storefront: "DEU", offerType: 2, offerID: "spring", offerDiscount: "PAY_UP_FRONT", billingPlan: "MONTHLY",
                payment: (2, 12),
                hasSeats: true)
            let signed = paid
            if isGranted {
                try await queue.submit("a", "eyJ 1")
                try await queue.work { _ in signed }
            } else {
                try await queue.tell(Told("ONE_TIME_CHARGE", paid))
            }
            var seats = Self.refunded(paid, share: .unknown, asOf: Self.start.addingTimeInterval(100))
            seats.revocation = Revocation(
                .signedTransaction, date: nil, share: .unknown, seats: 2, asOf: Self.start.addingTimeInterval(100))
            try await queue.tell(Told("REFUND", seats))

            let backend = PostgresPool(
                configuration: try PostgresConfiguration(
                    url: queue.url.replacing("counterfoil_worker", with: "counterfoil_backend")),
                size: 1, logger: .test)
            let row = try await backend.execute(
                """
                select concat_ws(' ', order_id, ownership, price, currency, purchase_reason, storefront, offer_type, offer_id,
                    offer_discount, billing_plan, payment_number, payment_count, seats_paid, seats_refunded)
                from counterfoil.purchase_terms where transaction_id = '1'
                """)[0].string(0)
            await backend.close()
            #expect(
                row == (isGranted ? "a " : "")
                    + "purchased 4.99 EUR purchase DEU promotional spring PAY_UP_FRONT MONTHLY 2 12 3 2")
        }
    }

    // MARK: Operators

    @Test func aReplayChangesNothing() async throws {
        try await QueueFixture.run { queue in
            let payment = Self.paid()
            try await queue.tell(Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))))
            let store = NotificationStore(pool: queue.pool)

            #expect(try await store.replay(nil, of: QueueFixture.bundle, since: nil) == (1, 1))
            #expect(try await store.replay(nil, of: QueueFixture.bundle, since: nil) == (1, 0))
            _ = try await queue.settle(
                Settlement(
                    try await queue.claim()[0],
                    recording: Told("REFUND", Self.refunded(payment, asOf: Self.start.addingTimeInterval(100))).effects))

            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.count("counterfoil.notifications") == 1)
            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    @Test func payloadsArePrunedAndRowsStay() async throws {
        try await QueueFixture.run { queue in
            try await queue.tell(Told("TEST", nil))
            try await queue.receive(QueueFixture.notificationText())

            try await NotificationStore(pool: queue.pool).prune(olderThan: .zero, batch: 1)

            #expect(
                try await queue.text(
                    "select string_agg(concat(outcome, payload is null), ',' order by id) from counterfoil.notifications")
                    == "storedt,f")
        }
    }

    /// A settlement that the database refuses: the job stays, and the notification isn't lost.
    @Test func aNotificationWhoseSettlementIsRefusedStays() async throws {
        try await QueueFixture.run { queue in
            try await queue.refuse("P0001", on: "counterfoil.revocations", when: "true")
            try await queue.receive(QueueFixture.notificationText("REFUND"))
            let job = try await queue.claim()[0]

            await #expect(throws: PostgresError.self) {
                _ = try await queue.settle(
                    Settlement(job, recording: Told("REFUND", Self.refunded(Self.paid(), asOf: Date())).effects))
            }

            #expect(try await queue.job(job.id) == "running 1 -")
            #expect(try await queue.text("select outcome from counterfoil.notifications") == nil)
        }
    }
}
