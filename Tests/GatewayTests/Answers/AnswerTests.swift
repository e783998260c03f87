// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Postgres
import Testing

@testable import Gateway

@Suite struct AnswerTests {
    private func order(_ members: [String: JSONValue]) -> OrderAnswer {
        OrderAnswer(
            .object(["state": .string("open"), "client_action": .string("wait"), "version": .integer(0)].merging(members) { $1 }))
    }

    @Test func aTagIsOfWhatAClientActsBy() {
        let tag = order([:]).eTag

        #expect(tag.wholeMatch(of: /"[A-Za-z0-9_-]{22}"/) != nil)
        #expect(order(["attempts": .integer(3), "updated_at": .string("later"), "job_id": .string("7")]).eTag == tag)
        for member in [
            "state", "reason", "client_action", "transaction_id", "order_again_product_id", "order_again_quantity",
            "order_again_transaction_id", "refunded_share", "version",
        ] {
            #expect(order([member: .string("x")]).eTag != tag, "\(member)")
        }
        // A member's value never passes for another one's.
        #expect(
            order(["reason": .string("a;client_action=b")]).eTag
                != order(["reason": .string("a"), "client_action": .string("b")]).eTag)
    }

    @Test func aClientKnowsItsTags() {
        let answer = order([:])

        #expect(answer.isKnown(answer.eTag))
        #expect(answer.isKnown("\"x\", \(answer.eTag)"))
        #expect(!answer.isKnown(nil))
        #expect(!answer.isKnown("\"x\""))
        #expect(!answer.isKnown("*"))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_772_357_400_250_999, "2026-03-01T09:30:00.250Z"),
            (1_772_357_400_000_001, "2026-03-01T09:30:00.000Z"), (1_772_357_400_120_000, "2026-03-01T09:30:00.120Z"),
        ] as [(Int64, String)])
    func timesHaveMilliseconds(microseconds: Int64, text: String) {
        #expect(RFC3339.text(PostgresTimestamp(microsecondsSince1970: microseconds)) == text)
        #expect(RFC3339.isTime(text))
    }

    @Test(arguments: ["", "now", "2026-03-01", "2026-03-01 09:30:00Z", "2026-03-01T09:30:00", "infinity", "2026-03-01T09:30:00Z'"])
    func aTimeHasAnOffset(text: String) {
        #expect(!RFC3339.isTime(text))
    }

    @Test func anErrorOfARuleIsItsProblem() {
        let table = ProblemTable([
            "order_ids_are_unique": .init(name: "order_differs", status: 409), "inside": .init(name: "internal_error", status: 500),
        ])
        let problem = { (error: PostgresError) in table.problem(error) }
        let rule = PostgresError(.server, message: "an order", sqlState: .uniqueViolation, constraint: "order_ids_are_unique")

        #expect(problem(rule).name == "order_differs")
        #expect(problem(rule).status == 409)
        #expect(problem(rule).detail == "an order")
        #expect(problem(rule).code == "23505")
        for constraint in ["inside", "nobody_knows"] {
            let found = problem(PostgresError(.server, message: "secret", sqlState: .uniqueViolation, constraint: constraint))
            #expect(found.name == "internal_error")
            #expect(found.detail == nil)
        }
    }

    @Test(arguments: [
        ("25006", "not_primary"), ("57014", "database_unavailable"), ("55P03", "database_unavailable"),
        ("53100", "database_unavailable"),
        ("40P01", "database_unavailable"), ("22P02", "malformed_request"), ("22008", "malformed_request"),
        ("42703", "internal_error"),
        ("XX000", "internal_error"),
    ])
    func anErrorWithoutARuleIsOneByItsState(state: String, name: String) {
        let error = PostgresError(.server, message: "quotes what was sent", sqlState: SQLState(rawValue: state))
        let problem = ProblemTable([:]).problem(error)

        #expect(problem.name == name)
        #expect(problem.detail == nil)
        #expect((problem.retryAfter != nil) == (problem.status == 503))
    }

    @Test(arguments: [
        PostgresError.Kind.connectionLost, .connect, .unavailable, .timedOut, .outcomeUnknown, .closed, .connectTimedOut,
    ])
    func aDatabaseThatIsAwayIsOne(kind: PostgresError.Kind) {
        let problem = ProblemTable([:]).problem(PostgresError(kind, message: "x"))

        #expect(problem.name == "database_unavailable")
        #expect(problem.status == 503)
    }

    @Test func aProblemSaysWhichRequest() throws {
        var problem = Problem(.methodNotAllowed, "x", facts: ["member": .string("y")])
        problem.allow = ["GET", "PUT"]
        let answer = Answer(problem, requestID: "r1")

        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"detail":"x","member":"y","request_id":"r1","status":405,"title":"method not allowed","type":"/problems/method_not_allowed"}"#
        )
        #expect(answer.fields[.contentType] == "application/problem+json")
        #expect(answer.fields[.allow] == "GET, PUT")
        #expect(answer.fields[.cacheControl] == "no-store")
    }
}
