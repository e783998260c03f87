// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Postgres
import Schema
import VerificationQueue

/// Uploads, transactions, subscriptions and the feed.
extension CallHandler {
    func read(upload job: Int64, _ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["wait"])
        let account = try call.account()
        let deadline = ContinuousClock.now + .seconds(try call.wait(items))
        var looks = 0
        while true {
            let turn = feed.news.turn
            let rows = try await pool.execute(
                SQLFile.callUploadStatus.statement, [.int8(job), .text(account)], timeout: Self.timeout
            ).map { JSONValue($0) }
            let isOfKey = rows.allSatisfy { row in row["bundle_id"]?.text.map { call.key.isFor($0) } ?? true }
            guard !rows.isEmpty, isOfKey else { throw Problem(.uploadUnknown) }
            let isPending = rows.contains { $0["state"]?.text == "pending" }
            guard isPending, .now < deadline, !isStopping else {
                return Answer(200, .object(["uploads": .array(rows)]), requestID: call.requestID)
            }
            let due = min(deadline, .now + WaitHeap.delay(afterLooks: looks))
            await feed.news.wait(since: turn, of: rows.first?["order_id"]?.text, until: due)
            looks += 1
        }
    }

    func readTransaction(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["bundle_id", "transaction_id"])
        return try await look(SQLFile.callTransactionStatus, "transactions", by: try items.required("transaction_id"), items, call)
    }

    /// One subscription, or those of the account.
    func readSubscriptions(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["bundle_id", "original_transaction_id"])
        if let id = items["original_transaction_id"], !id.isEmpty {
            return try await look(SQLFile.callSubscriptionStatus, "subscriptions", by: id, items, call)
        }
        let bundle = try items.required("bundle_id")
        try call.key.require(bundle: bundle)
        let account = try call.account()
        let rows = try await pool.execute(
            SQLFile.callSubscriptionsOf.statement, [.text(account), .text(bundle)], timeout: Self.timeout)
        return Answer(200, .object(["subscriptions": .array(rows.map { JSONValue($0) })]), requestID: call.requestID)
    }

    /// What Apple asks about refunds, of all accounts of the key's apps.
    func listConsumptionRequests(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["state", "bundle_id", "limit"])
        guard items["state"] ?? "open" == "open" else {
            throw Problem(.malformedRequest, "open ones alone are listed", facts: ["member": .string("state")])
        }
        let limit = try items.number("limit", in: 1...1000) ?? 100
        var bundles = call.key.bundleIDs.map(Array.init)
        if let bundle = items["bundle_id"] {
            try call.key.require(bundle: bundle)
            bundles = [bundle]
        }
        let rows = try await pool.execute(
            SQLFile.listConsumptionRequests.statement,
            [bundles.map { .textArray($0) } ?? .typedNull(.textArray), .int4(Int32(limit))], timeout: Self.timeout)
        return Answer(200, .object(["consumption_requests": .array(rows.map { JSONValue($0) })]), requestID: call.requestID)
    }

    private func look(_ file: SQLFile, _ name: String, by id: String, _ items: QueryItems, _ call: Call) async throws -> Answer {
        let bundle = try items.required("bundle_id")
        try call.key.require(bundle: bundle)
        let account = try call.account()
        let rows = try await pool.execute(file.statement, [.text(bundle), .text(id), .text(account)], timeout: Self.timeout)
        return Answer(200, .object([name: .array(rows.map { JSONValue($0) })]), requestID: call.requestID)
    }

    // MARK: The feed

    /// A cursor as it stands in answers and in URLs.
    private static func json(ofCursor cursor: String) -> JSONValue { .string(PathID.encodeBase64URL(Array(cursor.utf8))) }

    func startChanges(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["from"])
        let from = try items.required("from")
        let time: String
        switch from {
        case "now": time = "infinity"
        case "oldest": time = "-infinity"
        default:
            guard RFC3339.isTime(from) else {
                throw Problem(
                    .malformedRequest, "now, oldest, or a time such as 2026-03-01T09:30:00Z", facts: ["member": .string("from")])
            }
            time = from
        }
        let rows = try await pool.execute(SQLFile.callChangesFrom.statement, [.text(time)], timeout: Self.timeout)
        let cursor = try rows.first?.string(0) ?? ""
        return Answer(200, .object(["next": Self.json(ofCursor: cursor)]), requestID: call.requestID)
    }

    func readChanges(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["after", "limit", "wait", "kinds", "bundle_id"])
        guard var cursor = PathID.decodeBase64URL(try items.required("after")) else {
            throw Problem(name: "cursor_unknown", status: 410)
        }
        let limit = try items.number("limit", in: 1...1000) ?? 500
        let kinds = items.list("kinds")
        if let bundle = items["bundle_id"] { try call.key.require(bundle: bundle) }
        let deadline = ContinuousClock.now + .seconds(try call.wait(items))
        while true {
            let turn = feed.news.turn
            let rows = try await page(after: cursor, atMost: limit)
            if let next = try rows.last?.string(13) { cursor = next }
            let changes = rows.map { JSONValue($0, without: ["next_cursor"]) }.filter { change in
                let bundle = change["bundle_id"]?.text
                return kinds.map { $0.contains(change["kind"]?.text ?? "") } ?? true
                    && items["bundle_id"].map { $0 == bundle } ?? true && bundle.map { call.key.isFor($0) } ?? (call.key.bundleIDs == nil)
            }
            let isMore = rows.count == limit
            if !changes.isEmpty || isMore || .now >= deadline || isStopping {
                return Answer(
                    200,
                    .object([
                        "changes": .array(changes), "next": Self.json(ofCursor: cursor),
                        "more": .bool(isMore),
                    ]), requestID: call.requestID)
            }
            await feed.news.wait(since: turn, until: min(deadline, .now + .seconds(1)))
        }
    }

    /// - Throws: `cursor_unknown`; what the database throws.
    private func page(after cursor: String, atMost limit: Int) async throws -> PostgresResult {
        do {
            return try await pool.execute(
                SQLFile.callChangesSince.statement, [.text(cursor), .int4(Int32(limit))], timeout: Self.timeout)
        } catch {
            if error.constraint == "cursor_unknown" { throw await beginAnew(cursor, error) }
            throw error
        }
    }

    /// The cursor is unknown here: with it goes one that begins anew and misses nothing, unless it never was one.
    private func beginAnew(_ cursor: String, _ error: PostgresError) async -> Problem {
        var problem = Problem(name: "cursor_unknown", status: 410, detail: error.message)
        problem.rule = error.constraint
        problem.code = error.sqlState?.rawValue
        let rows = try? await pool.execute(SQLFile.callChangesFromCursor.statement, [.text(cursor)], timeout: Self.timeout)
        if let next = try? rows?.first?.string(0) { problem.facts["next"] = Self.json(ofCursor: next) }
        return problem
    }
}
