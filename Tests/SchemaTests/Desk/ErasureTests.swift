// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// An account that was forgotten: no word of it is left, nothing that it was granted can be granted again, and nobody delivers to
/// it.
@Suite struct ErasureTests {
    private static let name = "marker-7f3a-account"

    /// Columns that may hold an account's name, which an erasure takes out.
    private static let named: Set<String> = [
        "accesses.account_id", "changes.details", "consumption_answers.who", "consumption_answers.why", "erasures.who", "erasures.why", "jobs.account_id", "moved_accounts.account_id",
        "moved_accounts.account_now", "moved_orders.account_id", "moves.from_account", "moves.to_account", "moves.who", "moves.why",
        "notifications.message", "notifications.payload", "order_events.who", "order_events.why", "orders.account_id",
        "other_attempts.message", "payments.account_id", "payments.customer_id", "proofs.account_id", "proofs.proof",
        "sandbox_accounts.account_id", "suspicion_minutes.account_id", "told_payments.account_id", "told_subscriptions.state",
        "unfound_payments.account_id", "webhook_events.body", "webhook_events.key",
    ]

    /// Columns that hold none: ids and words of Apple's, of the shop's catalogue, of workers and of installations. The shop's own
    /// ids of orders stay, and the preview lists those that hold the name. A job is over before.
    private static let unnamed: Set<String> = [
        "accesses.ownership", "accesses.product_kind", "apps.absent_token_policy", "apps.receipt_route", "apps.refund_preference",
        "apps.sandbox_policy",
        "budgets.endpoint", "catch_ups.failure", "changes.kind", "changes.reason", "consumption_answers.delivery_status",
        "consumption_answers.error", "consumption_answers.refund_preference", "consumption_answers.state",
        "consumption_requests.reason", "definitions.checksum",
        "definitions.name", "definitions.text_checksum", "definitions.written_by", "erasures.pseudonym", "feed.server", "gates.closed_by",
        "gates.closed_for", "gates.route", "gates.state", "gates.why", "gateway_keys.bundle_ids", "gateway_keys.made_by",
        "gateway_keys.name", "gateway_keys.prefix", "gateway_keys.revoked_by", "gateway_keys.scopes", "gateway_keys.why",
        "jobs.found_by", "jobs.kind", "jobs.proof", "jobs.reason", "jobs.state", "migrations.checksum", "migrations.name",
        "notifications.outcome", "notifications.source", "notifications.subtype", "notifications.type", "order_events.kind",
        "orders.reason", "orders.state", "orders_in_review.app_version", "other_attempts.app_version",
        "other_attempts.disposition", "other_attempts.proof_kind", "other_attempts.reason",
        "other_attempts.shown_transaction_ids", "payments.additional_reason", "payments.currency", "payments.payment_key",
        "payments.product_kind", "payments.proof_kind", "payments.purchase_reason", "payments.reason", "payments.terms",
        "privileges.column_name", "privileges.object", "privileges.privilege", "privileges.role", "products.kind", "proofs.reason",
        "refused_notifications.reason", "revocations.kind", "revocations.revocation_type", "subscriptions.renews_as",
        "suspicion_minutes.reason", "told_payments.name", "unreadable_notifications.kind", "webhook_acts.about",
        "webhook_acts.kind", "webhook_acts.who", "webhook_acts.why", "webhook_endpoints.bundle_ids", "webhook_endpoints.cursor",
        "webhook_endpoints.kinds", "webhook_endpoints.last_error", "webhook_endpoints.made_by", "webhook_endpoints.name",
        "webhook_endpoints.off_because", "webhook_endpoints.url", "webhook_events.error", "webhook_events.event_id",
        "workers.host", "workers.name", "workers.version",
    ]

    /// Ids and facts that all tables share, and counts by the minute.
    private static func isShared(_ column: String) -> Bool {
        let parts = column.split(separator: ".")
        return ["bundle_id", "environment", "order_id", "product_id", "transaction_id", "original_transaction_id", "web_order_line_item_id"]
            .contains(parts[1]) || parts[0].hasSuffix("_hours") || parts[0].hasSuffix("_minutes") && parts[1] != "account_id"
    }

    private func columns(_ shop: Shop) async throws -> [String] {
        try await shop.admin.execute(
            """
            select c.relname || '.' || a.attname
            from pg_class c
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace = 'counterfoil'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
            """
        ).map { try $0.string(0) }
    }

    /// The columns that hold the name somewhere.
    private func found(_ shop: Shop) async throws -> [String] {
        var found: [String] = []
        for column in try await columns(shop) {
            let parts = column.split(separator: ".")
            if try await shop.count("counterfoil.\(parts[0]) t where t.\(parts[1])::text like '%\(Self.name)%'") > 0 { found.append(column) }
        }
        return found.sorted()
    }

    private func forget(_ account: String, _ shop: Shop) async throws -> String? {
        try await shop.database.withConnection(as: "counterfoil_support") { support in
            try await Refusal.of {
                _ = try await support.execute(
                    "select * from counterfoil.forget_account($1, 'eve', $2)", [.text(account), .text("\(account) asked for it")])
            }?.constraint
        }
    }

    /// A customer with all that a customer may have, in each column that may hold her name.
    private func fill(_ shop: Shop) async throws {
        let name = Self.name
        let token = UUID()
        try await shop.order("paid", account: name, token: token)
        try await shop.order("plus", product: "plus", account: name)
        try await shop.order("refused", account: name)
        try await shop.order("open", account: name)
        try await shop.order("gift", account: name)
        try await shop.order("guest's", account: "guest of \(name)")
        try #require(try await shop.insertGrant("paid", Payment(id: "1", token: token)))
        try #require(try await shop.insertGrant("gift", Payment(id: "2", token: token)))
        try await shop.order("given", account: "bob")
        try #require(try await shop.insertGrant("given", Payment(id: "8")))
        let plus = Payment(id: "3", webOrderLineItem: "w3", product: "plus", kind: "auto_renewable", reason: "purchase", expiresAt: 10)
        try #require(try await shop.insertGrant("plus", plus))
        let renewal = Payment(
            id: "4", original: "3", webOrderLineItem: "w4", product: "plus", kind: "auto_renewable", purchasedAt: 10, reason: "renewal")
        try await shop.insertTold(renewal, reason: "renewal")
        try await shop.insertUnclaimed([("refused", Payment(id: "5"))], reason: "quantity_short")
        try await shop.settleOrder("refused", "review", "quantity_short", transaction: "5", environment: "production")
        try await shop.attempt("refused", reason: "quantity_short", transaction: "5", finished: "now()")
        try await shop.run(
            """
            select counterfoil.tell_subscriptions('{3}', '{\(Shop.bundle)}', '{production}', '{3}');
            select counterfoil.move_account('guest of \(name)', '\(name)', 'eve', 'one person: \(name)');
            select counterfoil.transfer_order('gift', 'bob', '\(name)', 'a gift of \(name)');
            select counterfoil.transfer_order('given', '\(name)', 'eve', 'x');
            insert into counterfoil.order_events (order_id, kind, who, why) values ('paid', 'assigned', '\(name)', 'for \(name)');
            insert into counterfoil.sandbox_accounts values ('\(Shop.bundle)', '\(name)');
            insert into counterfoil.suspicion_minutes values (now(), '\(Shop.bundle)', '\(name)', 'owner_mismatch', 1);
            insert into counterfoil.unfound_payments (lane, account_id, transaction_id, credential_digest)
            select min(g.lane), '\(name)', '1', sha256('k') from counterfoil.gates g;
            insert into counterfoil.accesses values (
                '9', '\(Shop.bundle)', 'production', '9', 'plus', 'auto_renewable', 'family_shared', now(), null, null, now(), '\(name)');
            insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
            values (1, 'refused', '\(name)', 'a proof of \(name)', sha256('x'), 'quantity_short');
            insert into counterfoil.notifications (
                notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app, outcome, processed_at,
                message, transaction_id
            )
            values (
                gen_random_uuid(), '\(Shop.bundle)', 'production', 'REFUND', 'push', 'signed for \(name)', sha256('n'), true, 'recorded',
                now(), 'about \(name)', '1'
            );
            insert into counterfoil.consumption_requests (
                notification_id, bundle_id, environment, transaction_id, requested_at, deadline, closed_at
            )
            select n.id, n.bundle_id, n.environment, '1', now(), now() + interval '12 hours', now() from counterfoil.notifications n;
            insert into counterfoil.consumption_answers (notification_id, state, who, why, ended_at)
            select n.id, 'declined', '\(name)', 'as \(name) wished', now() from counterfoil.notifications n;
            set session_replication_role = replica;
            update counterfoil.other_attempts set message = 'eve: \(name) wrote';
            update counterfoil.payments set customer_id = 'customer \(name)' where account_id = '\(name)';
            reset session_replication_role
            """)
        try await shop.addWebhook()
        _ = try await shop.takeWebhooks()
    }

    /// A new column says whether an erasure has to look at it.
    @Test func eachColumnIsKnownToHoldANameOrNone() async throws {
        try await Shop.open { shop in
            for column in try await columns(shop) where !Self.isShared(column) {
                #expect(Self.named.contains(column) != Self.unnamed.contains(column), "\(column)")
            }
        }
    }

    @Test func noWordOfAForgottenAccountIsLeft() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            // The act's own row and a job's are made later.
            let missing = Self.named.subtracting(try await found(shop)).subtracting(["erasures.who", "erasures.why", "jobs.account_id"])
            try #require(missing == [])

            #expect(try await forget(Self.name, shop) == nil)

            // Once, and dropped with its partition.
            #expect(try await found(shop) == ["changes.details"])
            #expect(
                try await shop.rows("select c.kind from counterfoil.changes c where c.details::text like '%\(Self.name)%'")
                    == ["(account_forgotten)", "(account_forgotten)"])
            #expect(try await shop.count("counterfoil.orders where app_account_token is not null") == 0)
            #expect(try await shop.count("counterfoil.payments where app_account_token is not null") == 0)
            #expect(try await shop.count("counterfoil.erasures where database_transaction is not null") == 0)
            // One name stands in all places, and a gift stays a gift.
            let pseudonym = try #require(try await shop.value("select pseudonym from counterfoil.erasures"))
            #expect(pseudonym.wholeMatch(of: /forgotten-[0-9a-f]{32}/) != nil)
            #expect(try await shop.rows("select distinct o.account_id from counterfoil.orders o order by 1") == ["(bob)", "(\(pseudonym))"])
            #expect(try await shop.rows("select m.account_id from counterfoil.moved_orders m order by 1") == ["(bob)", "(\(pseudonym))"])
            #expect(try await shop.rows("select o.order_id from counterfoil.orders_of('bob') o") == ["(gift)"])
            #expect(try await shop.rows("select o.state from counterfoil.orders o where o.order_id = 'open'") == ["(cancelled)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatAForgottenAccountWasGrantedIsGrantedToNobody() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try #require(try await forget(Self.name, shop) == nil)
            // The same name again is a new account.
            try await shop.order("again", account: Self.name)
            try await shop.order("eve's", account: "eve")

            for order in ["again", "eve's"] {
                #expect(try await !shop.insertGrant(order, Payment(id: "1")), "\(order)")
                #expect(try await shop.readLedger(order, Payment(id: "1")).holder?.accountID.rawValue.hasPrefix("forgotten-") == true)
            }
            #expect(try await shop.rows("select * from counterfoil.order_status_of('paid', '\(Self.name)')") == [])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aLaterPeriodIsTheAccountsThatShowsItFirst() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try #require(try await forget(Self.name, shop) == nil)
            try await shop.order("b", product: "plus", account: "bob")
            try await shop.order("e", product: "plus", account: "eve")
            func period(_ id: String, at seconds: Int64) -> Payment {
                Payment(
                    id: id, original: "3", webOrderLineItem: "w" + id, product: "plus", kind: "auto_renewable", purchasedAt: seconds,
                    reason: "renewal", expiresAt: seconds + 10)
            }

            #expect(try await shop.insertGrant("b", period("6", at: 20)))
            #expect(try await !shop.insertGrant("e", period("7", at: 30)))
        }
    }

    @Test func jobsAreOverBeforeAnAccountIsForgotten() async throws {
        try await Shop.open { shop in
            try await shop.order("o", account: Self.name)
            try await shop.upload("o")
            let pending = try await forget(Self.name, shop)
            let job = try #require(try await shop.claim().first)
            let running = try await forget(Self.name, shop)
            try await shop.putBack(job, discards: true, reason: "unknown_answer")
            let givenUp = try await forget(Self.name, shop)
            try await shop.run("delete from counterfoil.jobs")

            #expect([pending, running, givenUp] == Array(repeating: "forgotten_accounts_have_no_jobs", count: 3))
            #expect(try await forget(Self.name, shop) == nil)
            #expect(try await forget(Self.name, shop) == "forgotten_accounts_are_known")
            #expect(try await forget("nobody", shop) == "forgotten_accounts_are_known")
            let pseudonym = try #require(try await shop.value("select pseudonym from counterfoil.erasures"))
            #expect(try await forget(pseudonym, shop) == "forgotten_accounts_stay_so")
        }
    }

    /// An upload that isn't committed yet holds its order: the erasure waits for it, and finds its job.
    @Test func anUploadInTheMiddleIsNotMissed() async throws {
        try await Shop.open { shop in
            try await shop.order("o", account: Self.name)
            try await shop.database.withConnection(as: "counterfoil_backend") { uploading in
                _ = try await uploading.execute("begin")
                _ = try await uploading.execute("insert into counterfoil.jobs (order_id, proof) values ('o', 'eyJ')")

                async let refusal = forget(Self.name, shop)
                try await shop.admin.waitUntilALockIsWaitedFor("transactionid")
                _ = try await uploading.execute("commit")

                #expect(try await refusal == "forgotten_accounts_have_no_jobs")
            }
            #expect(try await shop.count("counterfoil.orders where account_id = '\(Self.name)'") == 1)
            #expect(try await shop.count("counterfoil.erasures") == 0)
        }
    }

    @Test func aMovedAccountIsForgottenWithTheOneThatItIs() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: Self.name)
            try await shop.run("select counterfoil.move_account('ann', '\(Self.name)', 'eve', 'x')")

            #expect(try await forget("ann", shop) == "account_was_moved")
            #expect(try await forget(Self.name, shop) == nil)
            #expect(try await shop.count("counterfoil.orders where account_id like 'forgotten-%'") == 2)
            #expect(try await shop.count("counterfoil.moved_accounts") == 0)
            #expect(try await Refusal.of { try await shop.order("new") } == nil)
        }
    }

    /// Also where a reader begins anew.
    @Test func theFeedHasNothingToDeliverToAForgottenAccount() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try #require(try await forget(Self.name, shop) == nil)

            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            let changes = try await reader.read("kind, account_id, details is null")

            #expect(changes.contains("(account_forgotten,\(Self.name),f)"), "\(changes)")
            #expect(changes.contains("(order_fulfilled,bob,t)"), "\(changes)")
            let others = Set(changes).subtracting(["(account_forgotten,\(Self.name),f)", "(account_forgotten,\"guest of \(Self.name)\",f)"])
            #expect(others.allSatisfy { $0 == "(forgotten,,t)" || $0.contains(",bob,") }, "\(others)")
        }
    }

    /// What is another's now is still told, in its order; all else of the account's isn't.
    @Test func webhooksThatWaitedLoseNothingOfOthers() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let waited = try await shop.takeWebhooks()
            try #require(waited.contains("(\"payment com.example.game production 4\",subscription_renewed,\(Self.name))"), "\(waited)")
            try #require(waited.contains("(\"order paid\",order_fulfilled,\(Self.name))"), "\(waited)")

            try #require(try await forget(Self.name, shop) == nil)

            let pseudonym = try #require(try await shop.value("select pseudonym from counterfoil.erasures"))
            #expect(try await shop.listWebhooks() == [
                "(\"order gift\",order_fulfilled,bob)", "(\"order gift\",order_transferred,bob)",
                "(\"account bob\",order_transferred,bob)",
            ])
            #expect(
                try await shop.rows(
                    "select v.body::json #>> '{data,details,to_account}' from counterfoil.webhook_events v where v.key = 'account bob'")
                    == ["(\(pseudonym))"])
            let told = try await shop.takeWebhooks()
            #expect(told.contains("(\"account \(Self.name)\",account_forgotten,\(Self.name))"), "\(told)")
        }
    }

    /// Of everybody's moves in the feed only the account's own are written anew.
    @Test func anErasureWritesNothingOfOthers() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.order("c", account: "cat")
            try await shop.order("d", account: "dan")
            try await shop.run("select counterfoil.move_account('cat', 'dan', 'eve', 'x')")
            func places(_ condition: String) async throws -> [String] {
                try await shop.rows("select c.id, c.ctid from counterfoil.changes c where c.details is not null and \(condition) order by c.id")
            }
            let others = try await places("c.details::text not like '%\(Self.name)%'")
            let own = try await places("c.details::text like '%\(Self.name)%'")

            try #require(try await forget(Self.name, shop) == nil)

            let after = Set(try await places("true"))
            #expect(others.count >= 2 && after.isSuperset(of: others), "\(others)")
            #expect(!own.isEmpty && after.isDisjoint(with: own), "\(own)")
        }
    }

    /// The exception is the act's own database transaction, and no other.
    @Test func afterAnErasureTheLedgerIsAppendOnlyAgain() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try #require(try await forget(Self.name, shop) == nil)

            for statement in [
                "update counterfoil.payments set account_id = 'x' where transaction_id = '1'", "update counterfoil.moves set why = 'x'",
                "update counterfoil.order_events set why = 'x'", "update counterfoil.changes set details = null",
            ] {
                let refusal = try await Refusal.of { _ = try await shop.admin.execute(statement) }
                #expect(refusal == Refusal("23001", "the_ledger_is_append_only"), "\(statement)")
            }
        }
    }

    /// Even within the act no fact of a payment changes.
    @Test(arguments: ["quantity = 2", "order_number = null, granted_at = null, reason = 'x'", "purchased_at = now()"])
    func anErasureChangesNoFactOfAPayment(_ change: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            func inAnErasure(_ change: String) async throws -> Refusal? {
                try await Refusal.of {
                    try await shop.admin.withTransaction { connection in
                        _ = try await connection.execute(
                            """
                            insert into counterfoil.erasures (pseudonym, who, why, database_transaction)
                            values ('forgotten-x', 'eve', 'x', pg_current_xact_id())
                            """)
                        _ = try await connection.execute("update counterfoil.payments set \(change) where transaction_id = '1'")
                    }
                }
            }

            #expect(try await inAnErasure(change) == Refusal("23001", "the_ledger_is_append_only"))
            #expect(try await inAnErasure("account_id = 'forgotten-x'") == nil)
        }
    }

    @Test(arguments: [
        ("ann", "for ann, not for anna: ann@x", "for F, not for anna: F@x"), ("a.b", "a.b axb a.b.c", "F axb F.c"),
        ("long-account", "xlong-accountx", "xFx"), ("(", "( and ()", "F and F)"),
    ])
    func anAccountsNameIsTakenOutOfATextAsAWord(account: String, text: String, left: String) async throws {
        try await Shop.open { shop in
            let found = try await shop.admin.execute(
                "select counterfoil.without_accounts($1, array[$2], 'F')", [.text(text), .text(account)])[0].string(0)
            #expect(found == left)
        }
    }
}
