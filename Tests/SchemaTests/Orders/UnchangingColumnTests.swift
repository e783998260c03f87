// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What never changes of an order or a job is checked where it is written, however it is written, and no constraint does it.
@Suite struct UnchangingColumnTests {
    /// Columns of a row that is right but for them, each with its text or nil for null, and the rule that they break.
    struct BrokenRule: Sendable, CustomTestStringConvertible {
        let table: String
        let rule: String
        let columns: [String: String?]

        init(_ table: String, _ rule: String, _ columns: [String: String?]) {
            self.table = table
            self.rule = rule
            self.columns = columns
        }

        var testDescription: String {
            let lengths = columns.sorted { $0.key < $1.key }.map { "\($0.key) of \($0.value.map { "\($0.count)" } ?? "null")" }
            return "\(rule): \(lengths.joined(separator: ", "))"
        }

        /// The assignments of an update.
        var changes: String { columns.map { "\($0.key) = \(literal($0.value))" }.joined(separator: ", ") }

        /// The whole row, by column.
        func row(lane: Int32) -> [(column: String, text: String?)] {
            let order: [(String, String?)] = [
                ("order_id", "b"), ("bundle_id", Shop.bundle), ("product_id", "coins"), ("account_id", "ann"), ("quantity", "1"),
            ]
            let job: [(String, String?)] = [
                ("lane", "\(lane)"), ("kind", "verify"), ("order_id", "a"), ("transaction_id", nil), ("proof", "eyJ"),
                ("notification_id", nil),
            ]
            return (table == "jobs" ? job : order).map { ($0, columns[$0] ?? $1) }
        }

        func literal(_ text: String?) -> String { text.map { "'\($0)'" } ?? "null" }
    }

    private static let tooLong = String(repeating: "x", count: 201)

    static let rules = [
        BrokenRule("orders", "order_id_has_1_to_200_characters", ["order_id": ""]),
        BrokenRule("orders", "order_id_has_1_to_200_characters", ["order_id": tooLong]),
        BrokenRule("orders", "ordered_product_id_has_1_to_200_characters", ["product_id": ""]),
        BrokenRule("orders", "ordered_product_id_has_1_to_200_characters", ["product_id": tooLong]),
        BrokenRule("orders", "account_id_has_1_to_200_characters", ["account_id": ""]),
        BrokenRule("orders", "account_id_has_1_to_200_characters", ["account_id": tooLong]),
        BrokenRule("orders", "quantity_is_1_to_10", ["quantity": "0"]),
        BrokenRule("orders", "quantity_is_1_to_10", ["quantity": "11"]),
        BrokenRule("jobs", "follow_ups_name_a_transaction", ["kind": "finish", "proof": nil]),
        BrokenRule("jobs", "hinted_transaction_id_has_1_to_64_characters", ["transaction_id": ""]),
        BrokenRule("jobs", "hinted_transaction_id_has_1_to_64_characters", ["transaction_id": tooLong]),
        BrokenRule("jobs", "job_kind_is_known", ["kind": "other"]),
        BrokenRule("jobs", "jobs_have_an_order_or_a_notification", ["notification_id": "1"]),
        BrokenRule("jobs", "proof_has_1_byte_to_4_mib", ["proof": ""]),
        BrokenRule("jobs", "proofs_are_of_jobs_that_verify", ["proof": nil]),
        BrokenRule("jobs", "proofs_are_of_jobs_that_verify", ["kind": "finish", "transaction_id": "1"]),
    ]

    /// Order `a` has a job, and order `c` none.
    private func fill(_ shop: Shop) async throws {
        try await shop.order("a")
        try await shop.upload("a")
        try await shop.order("c")
    }

    private func run(_ statement: String, _ shop: Shop) async throws -> Refusal? {
        try await Refusal.of { try await shop.run(statement) }
    }

    /// The owner's, too. BadInputTests has those of a backend.
    @Test(arguments: rules)
    func anInsertIsChecked(_ rule: BrokenRule) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let row = rule.row(lane: try await shop.lane())
            try await shop.run("set role counterfoil_owner")

            let refusal = try await run(
                """
                insert into counterfoil.\(rule.table) (\(row.map(\.column).joined(separator: ", ")))
                values (\(row.map { rule.literal($0.text) }.joined(separator: ", ")))
                """, shop)

            #expect(refusal == Refusal("23514", rule.rule))
            #expect(try await shop.value("select about from counterfoil.rules where name = '\(rule.rule)'") == rule.table)
        }
    }

    @Test(arguments: rules)
    func aCopyIsChecked(_ rule: BrokenRule) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let row = rule.row(lane: try await shop.lane())
            let line = row.map { $0.text ?? #"\\N"# }.joined(separator: #"\t"#)

            let refusal = try await run(
                """
                copy counterfoil.\(rule.table) (\(row.map(\.column).joined(separator: ", ")))
                from program $$printf '\(line)\\n'$$
                """, shop)

            #expect(refusal == Refusal("23514", rule.rule))
        }
    }

    /// Nobody else may change these columns.
    @Test(arguments: rules)
    func aChangeByTheOwnerIsChecked(_ rule: BrokenRule) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.run("set role counterfoil_owner")

            let refusal = try await run(
                "update counterfoil.\(rule.table) set \(rule.changes) where order_id = '\(rule.table == "jobs" ? "a" : "c")'",
                shop)

            #expect(refusal == Refusal("23514", rule.rule))
        }
    }

    @Test func aRightChangeByTheOwnerPasses() async throws {
        try await Shop.open { shop in
            try await fill(shop)

            try await shop.run(
                """
                set role counterfoil_owner;
                update counterfoil.orders set order_id = 'd', product_id = 'pro', account_id = 'bob', quantity = 10
                where order_id = 'c';
                update counterfoil.jobs set proof = 'eyK', transaction_id = '1'
                """)

            #expect(
                try await shop.rows("select order_id, product_id, account_id, quantity from counterfoil.orders order by 1")
                    == ["(a,coins,ann,1)", "(d,pro,bob,10)"])
            #expect(try await shop.rows("select proof, transaction_id from counterfoil.jobs") == ["(eyK,1)"])
        }
    }

    /// Each update of a table evaluates all its constraints, and each statement compiles them.
    @Test func constraintsAreOfWhatChanges() async throws {
        try await Shop.open { shop in
            let names = try await shop.rows(
                """
                select c.conname from pg_constraint c
                where c.conrelid in ('counterfoil.orders'::regclass, 'counterfoil.jobs'::regclass) and c.contype = 'c'
                and not exists (
                    select from pg_attribute a
                    where a.attrelid = c.conrelid and a.attnum = any (c.conkey)
                        and has_column_privilege('counterfoil_worker', c.conrelid, a.attnum, 'update')
                )
                """)

            #expect(names == [])
        }
    }
}
