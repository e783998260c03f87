// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The functions by which people find something, and learn the next step.
@Suite struct DeskTests {
    private static let token = UUID(uuidString: "6F9619FF-8B86-4011-B42D-00C04FC964FF")

    private func find(_ id: String, _ shop: Shop) async throws -> [String] {
        try await shop.rows("select f.kind, f.id, f.state, f.order_id, f.account_id from counterfoil.find_anything('\(id)') f")
    }

    private func next(_ order: String, _ shop: Shop) async throws -> (step: String, command: String?) {
        let row = try await shop.admin.execute("select n.step, n.command from counterfoil.next_step($1::text) n", [.text(order)])[0]
        return (try row.string(0), try row.optionalString(1))
    }

    @Test func whateverACustomerCanNameIsFound() async throws {
        try await Shop.open { shop in
            try await shop.order("paid", token: Self.token)
            try await shop.order("short")
            try #require(try await shop.insertGrant("paid", Payment(id: "11", token: Self.token)))
            try await shop.insertUnclaimed(
                [
                    ("short", Payment(id: "12")),
                    ("short", Payment(id: "13", webOrderLineItem: "w13", product: "plus", kind: "auto_renewable")),
                ],
                reason: "quantity_short")
            let job = try await shop.upload("short")

            #expect(try await find("paid", shop) == ["(order,paid,fulfilled,paid,ann)"])
            #expect(try await find("11", shop) == ["(transaction,11,granted,paid,ann)"])
            #expect(try await find("12", shop).contains("(transaction,12,unclaimed,short,ann)"))
            #expect(try await find("w13", shop) == ["(\"line item\",13,unclaimed,short,ann)"])
            #expect(try await find("ann", shop).contains { $0.hasPrefix("(account,ann,") })
            #expect(try await find("6f9619ff-8b86-4011-b42d-00c04fc964ff", shop).contains { $0.contains(",paid,ann)") })
            #expect(try await find("\(job)", shop).contains { $0.hasPrefix("(job,\(job),available,short,") })
            #expect(try await find("nothing", shop) == [])
            #expect(try await find("%", shop) == [])
        }
    }

    @Test func pagesOfAListAreTheListWithoutAGapOrARepetition() async throws {
        try await Shop.open { shop in
            for number in 1...23 {
                try await shop.order(
                    "o\(number)", product: number % 3 == 0 ? "pro" : "coins", account: number % 2 == 0 ? "ann" : "bob")
            }
            try await shop.run("update counterfoil.orders set state = 'review', reason = 'quantity_short' where account_id = 'ann'")
            for filter in ["null, null", "'ann', null", "null, 'review'"] {
                func page(_ before: String?, _ most: Int) async throws -> [String] {
                    let last = before.map { "'\($0)'" } ?? "null"
                    return try await shop.admin.execute(
                        "select o.order_id from counterfoil.desk_orders(\(filter), null, null, null, null, \(last), \(most)) o"
                    ).map { try $0.string(0) }
                }
                let whole = try await page(nil, 100)
                var paged: [String] = []
                while true {
                    let next = try await page(paged.last, 4)
                    if next.isEmpty { break }
                    paged += next
                    try #require(paged.count <= whole.count)
                }

                #expect(paged == whole, "\(filter)")
                #expect(whole.count == (filter == "null, null" ? 23 : 11), "\(filter)")
            }
        }
    }

    @Test func aSearchThatEndsAtItsBoundReturnsHowFarItCame() async throws {
        try await Shop.open { shop in
            for number in 1...9 { try await shop.order("o\(number)") }
            func search(depth: Int) async throws -> [String?] {
                try await shop.admin.execute(
                    "select o.order_id from counterfoil.desk_orders(null, null, 'pro', null, null, null, null, 5, \(depth)) o"
                ).map { try $0.optionalString(0) }
            }

            #expect(try await search(depth: 4) == [nil])
            #expect(try await search(depth: 10) == [])
        }
    }

    @Test func ordersAroundAPaymentAreTheNearestThatItMayStillPayFor() async throws {
        try await Shop.open { shop in
            for order in ["near", "nearer", "other product", "far", "paid", "two"] {
                try await shop.order(order, product: order == "other product" ? "pro" : "coins")
            }
            try #require(try await shop.insertGrant("paid", Payment(id: "1")))
            try await shop.run(
                """
                set session_replication_role = replica;
                update counterfoil.orders set created_at = now() - interval '30 min' where order_id = 'near';
                update counterfoil.orders set created_at = now() - interval '5 min' where order_id = 'nearer';
                update counterfoil.orders set created_at = now() - interval '70 min' where order_id = 'far';
                update counterfoil.orders set quantity = 2 where order_id = 'two';
                reset session_replication_role
                """)

            let found = try await shop.rows(
                "select o.order_id from counterfoil.orders_around('\(Shop.bundle)', 'coins', 1, now() - interval '1 min', 5) o")

            #expect(found == ["(nearer)", "(near)"])
        }
    }

    @Test func eachStateHasItsNextStep() async throws {
        try await Shop.open { shop in
            for order in ["open", "paid", "refunded", "short", "unread", "stolen", "cancelled", "waiting", "parked", "it's -odd"] {
                try await shop.order(order, account: order == "stolen" ? "bob" : order)
            }
            try #require(try await shop.insertGrant("paid", Payment(id: "1")))
            try #require(try await shop.insertGrant("refunded", Payment(id: "2")))
            try await shop.insertRevocation(Payment(id: "2"), at: 10)
            try await shop.insertUnclaimed([("short", Payment(id: "3"))], reason: "quantity_short")
            try await shop.settleOrder("short", "review", "quantity_short", transaction: "3", environment: "production")
            try await shop.insertUnclaimed([("it's -odd", Payment(id: "4"))], reason: "quantity_short")
            try await shop.settleOrder("it's -odd", "review", "quantity_short", transaction: "4", environment: "production")
            try await shop.order("another's", account: "eve")
            try await shop.insertUnclaimed([("another's", Payment(id: "5"))], reason: "owner_mismatch")
            try await shop.settleOrder("another's", "review", "owner_mismatch", transaction: "5", environment: "production")
            try await shop.settleOrder("unread", "rejected", "malformed_proof")
            try await shop.settleOrder(
                "stolen", "rejected", "granted_to_another_account", transaction: "1", environment: "production")
            try await shop.run("select counterfoil.cancel_order('cancelled', 'gone')")
            _ = try await shop.upload("waiting")
            _ = try await shop.upload("parked", "MII")
            try await shop.run(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'operator', why = 'a test', closed_at = now()
                where route = 'verify_receipt'
                """)
            try await shop.run(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                values (99, 'unread', 'unread', 'null', sha256('null'), 'malformed_proof')
                """)

            #expect(try await next("paid", shop).command == nil)
            #expect(try await next("refunded", shop).command == "counterfoil orders refund --reversed --why WHY refunded")
            #expect(try await next("short", shop).command == "counterfoil orders assign --why WHY 3 short")
            #expect(try await next("it's -odd", shop).command == "counterfoil orders assign --why WHY 4 'it'\\''s -odd'")
            // Nobody is led to grant a stranger's payment.
            #expect(try await next("another's", shop).command == "counterfoil find 5")
            #expect(try await next("unread", shop).command == "counterfoil proofs get --why WHY --output proof.txt 99")
            #expect(try await next("stolen", shop).command == "counterfoil find 1")
            #expect(try await next("cancelled", shop).command == nil)
            #expect(
                try await next("open", shop).command == "counterfoil orders look-up --bundle \(Shop.bundle) APPLE_ORDER_ID")
            let waiting = try await next("waiting", shop).command ?? ""
            let parked = try await next("parked", shop).command ?? ""
            #expect(waiting.hasPrefix("counterfoil jobs show "))
            #expect(parked.hasPrefix("counterfoil gates open --why WHY "))
            #expect(try await shop.rows("select * from counterfoil.next_step('nothing')") == [])
        }
    }

    @Test(arguments: [
        ("array['a', 'b.c']", "a b.c"), ("array['a b']", "'a b'"), ("array['it''s']", "'it'\\''s'"),
        ("array['$(reboot)']", "'$(reboot)'"),
        ("array['a', '-x']", "-- a -x"), ("array['']", "''"),
    ])
    func aWordOfACommandIsOneWord(words: String, line: String) async throws {
        try await Shop.open { shop in
            let found = try await shop.value("select counterfoil.shell_words(variadic \(words))")
            #expect(found == line)
        }
    }

    @Test func aProofLeavesTheDatabaseWithANameAndAReason() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            let job = try await shop.upload("o", "eyJsecret")

            try await shop.database.withConnection(as: "counterfoil_support") { support in
                let taken = try await support.execute(
                    "select t.proof from counterfoil.take_proof($1::bigint, 'eve', 'a test') t", [.int8(job)])
                let none = try await support.execute("select t.proof from counterfoil.take_proof(0, 'eve', 'a test') t")

                let proofs = try taken.map { try $0.string(0) }
                #expect(proofs == ["eyJsecret"])
                #expect(none.isEmpty)
            }
            #expect(
                try await shop.rows("select e.kind, e.who, e.why from counterfoil.order_events e")
                    == ["(proof_read,eve,\"the proof of job \(job): a test\")"])
        }
    }

    @Test func everyUploadIsInTheStory() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try await shop.attempt("o", reason: "malformed_proof", finished: "now()", number: 1)
            try await shop.run(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                select a.job_id, 'o', 'ann', 'data:text/plain,x', sha256('x'), 'malformed_proof' from counterfoil.other_attempts a
                """)
            try await shop.order("damaged")
            try await shop.attempt("damaged", job: 2, reason: "malformed_proof", finished: "now()", number: 1)
            try await shop.run(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                select a.job_id, 'damaged', 'ann', 'eyJhbGciOiJF', sha256('y'), 'malformed_proof'
                from counterfoil.other_attempts a
                where a.order_number = (select o.number from counterfoil.orders o where o.order_id = 'damaged')
                """)
            _ = try await shop.upload("o", "eyJ")

            let uploads = try await shop.rows(
                "select s.detail from counterfoil.order_story s where s.order_id = 'o' and s.event = 'uploaded' order by s.detail")

            #expect(uploads.count == 2)
            #expect(uploads.contains { $0.contains("17 bytes are kept, beginning with data:tex") }, "\(uploads)")
            #expect(uploads.contains { $0.contains("available, 3 bytes") }, "\(uploads)")
            // A proof's own letters are shown to nobody.
            let damaged = try await shop.rows(
                "select s.detail from counterfoil.order_story s where s.order_id = 'damaged' and s.event = 'uploaded'")
            #expect(damaged.count == 1 && damaged.allSatisfy { $0.hasSuffix(", over, 12 bytes are kept\")") }, "\(damaged)")
        }
    }

    /// The story doesn't say of one moment that the payment was taken back and that nothing changed.
    @Test func anAttemptThatRecordsARefundSaysSo() async throws {
        try await Shop.open { shop in
            try await shop.order("o")
            try #require(try await shop.insertGrant("o", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.attempt("o", finished: "(select recorded_at from counterfoil.revocations)")
            try await shop.attempt("o", job: 2, finished: "now() + interval '1 second'")

            let events = try await shop.rows(
                """
                select s.event from counterfoil.order_story s
                where s.order_id = 'o' and s.event in ('refund_recorded', 'unchanged', 'revocation')
                order by s.at, s.event
                """)

            #expect(events == ["(refund_recorded)", "(revocation)", "(unchanged)"])
        }
    }

    @Test func reviewsAreGroupedByTheirCause() async throws {
        try await Shop.open { shop in
            for number in 1...7 {
                try await shop.order("o\(number)", product: number == 7 ? "pro" : "coins", account: number <= 2 ? "ann" : "bob")
                try await shop.settleOrder("o\(number)", "review", number == 7 ? "token_missing" : "quantity_short")
            }

            let causes = try await shop.rows(
                """
                select c.reason, c.product_id, c.orders, c.customers, c.last_hour, c.rising
                from counterfoil.review_causes(null) c order by c.orders desc
                """)

            #expect(causes == ["(quantity_short,coins,6,2,6,t)", "(token_missing,pro,1,1,1,f)"])
        }
    }

    /// Whether the orders are counted already or not.
    @Test(arguments: [false, true])
    func reviewsAreGroupedByTheAppsVersion(areCounted: Bool) async throws {
        try await Shop.open { shop in
            for (number, version) in ["41", "42", "42", nil].enumerated() {
                let order = "o\(number)"
                try await shop.order(order)
                try await shop.settleOrder(order, "review", "quantity_short")
                try await shop.attempt(
                    order, job: number + 1, reason: "quantity_short", version: version, finished: "now() - interval '3 minutes'")
            }
            if areCounted {
                let hourAgo = "date_trunc('minute', now()) - interval '1 hour'"
                try await shop.mark(final: hourAgo, counted: hourAgo)
                try await shop.rollUp()
                #expect(try await shop.count("counterfoil.orders_in_review") == 4)
            }

            let causes = try await shop.rows(
                "select c.app_version, c.orders from counterfoil.review_causes(null) c order by c.app_version")

            #expect(causes == ["(41,1)", "(42,2)", "(,1)"])
        }
    }
}
