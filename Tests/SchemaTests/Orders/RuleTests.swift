// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The rules by which routines refuse what a backend sends: one table, one function that raises them, one page that lists them.
@Suite struct RuleTests {
    private struct Rule: Hashable, CustomStringConvertible {
        let name: String
        let code: String
        let text: String

        var description: String { "| `\(name)` | \(code) | \(text) |" }
    }

    /// Where backends meet routines.
    private static let folders = ["orders", "notifications", "feed", "desk"]

    private func routines() throws -> [String: String] {
        var texts: [String: String] = [:]
        for folder in Self.folders {
            let path = Repository.root.appending(path: "sql/\(folder)").path
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                texts[name] = try Repository.text("sql/\(folder)/\(name)")
            }
        }
        return texts
    }

    private func rules(_ shop: Shop) async throws -> [Rule] {
        try await shop.admin.execute("select name, code, message from counterfoil.rules").map { row in
            Rule(name: try row.string(0), code: try row.string(1), text: try row.string(2))
        }
    }

    @Test func anErrorEndsWithTheNameOfItsRule() async throws {
        try await Shop.open { shop in
            let rules = try await rules(shop)
            try #require(!rules.isEmpty)

            for rule in rules {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await shop.admin.execute("select counterfoil.refuse($1::text)", [.text(rule.name)])
                }
                #expect(error?.message == "\(rule.text) [\(rule.name)]")
                #expect(error?.constraint == rule.name)
                #expect(error?.sqlState?.rawValue == rule.code)
            }
            #expect(try await shop.count("counterfoil.rules where hint = '' or hint is null or about = ''") == 0)
        }
    }

    @Test func aRuleThatIsNotListedCanNotBeRaised() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of { _ = try await shop.admin.execute("select counterfoil.refuse('nothing')") }

            #expect(refusal == Refusal("P0002"))
        }
    }

    /// A request that breaks a rule without a row would be answered as a bug.
    @Test func theGatewayHasAProblemForEachRuleAndConstraint() async throws {
        let routines = ["orders", "settling", "notifications", "finding", "payments", "gates", "workers", "feed", "counting"]
            + ["operator", "migrating", "roles", "gateway"]
        var named: Set<String> = []
        for folder in routines {
            let path = Repository.root.appending(path: "sql/\(folder)").path
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                named.formUnion(
                    try Repository.text("sql/\(folder)/\(name)").matches(of: /constraint = '([a-z0-9_]+)'/).map { String($0.1) })
            }
        }
        let raised = named
        try #require(raised.contains("the_ledger_is_append_only"))

        try await Shop.open { shop in
            let listed = try await shop.admin.execute("select rule from counterfoil.problems").map { try $0.string(0) }
            let constraints = try await shop.admin.execute(
                """
                select c.conname::text from pg_constraint c
                where c.connamespace = 'counterfoil'::regnamespace and c.contype not in ('n', 't') and c.conparentid = 0 and c.conislocal
                """
            ).map { try $0.string(0) }
            let rules = try await rules(shop).map(\.name)

            #expect(Set(listed) == Set(constraints).union(rules).union(raised))
            #expect(Set(listed).count == listed.count)
            #expect(try await shop.count("counterfoil.problems where status not in (400, 404, 409, 410, 413, 429, 500, 503)") == 0)
        }
    }

    @Test func thePageListsTheRulesAsTheDatabaseHasThem() async throws {
        let rows = try Repository.text("sql/docs/rules.md")
            .matches(of: #/(?m)^\| `([a-z0-9_]+)` \| ([0-9A-Z]{5}) \| (.+?) \| /#)
            .map { Rule(name: String($0.1), code: String($0.2), text: String($0.3)) }

        try await Shop.open { shop in
            let rules = try await rules(shop)

            #expect(Set(rows).symmetricDifference(rules) == [])
            #expect(rows.count == rules.count)
        }
    }

    /// An import is the owner's. A serialization failure has PostgreSQL's own code, by which drivers try again.
    @Test func routinesOfBackendsRaiseNothingButRules() throws {
        let raising = try routines().filter { $0.key != "import_grants.sql" }.flatMap { name, text in
            text.split(separator: "\n")
                .filter { $0.contains("raise exception") && !$0.contains("errcode = 'serialization_failure'") }
                .map { _ in name }
        }

        #expect(raising == ["refuse.sql"])
    }

    @Test func eachRuleIsRaisedByARoutine() async throws {
        let texts = try routines().filter { $0.key != "rules.sql" }
        let raised = Set(texts.values.flatMap { $0.matches(of: /refuse\('([a-z0-9_]+)'\)/).map { String($0.1) } })
        // The limits of an order's jobs are named by a query. What never changes, and what an answer to Apple has, is checked by a
        // list of cases.
        let cases = ["prepare_job.sql", "refuse_order.sql", "rule_broken_by_job.sql", "consumption_answer_of.sql"]
            .compactMap { texts[$0] }
        let named = Set(cases.flatMap { $0.matches(of: /then '([a-z0-9]+(?:_[a-z0-9]+){3,})'/).map { String($0.1) } })

        try await Shop.open { shop in
            let listed = Set(try await rules(shop).map(\.name))

            #expect(listed == raised.union(named))
        }
    }
}
