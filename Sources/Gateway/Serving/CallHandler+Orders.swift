// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Postgres
import Schema
import Verification
import VerificationQueue

/// Orders, their proofs, and lists of them.
extension CallHandler {
    private static let orderMembers: Set<String> = [
        "bundle_id", "product_id", "quantity", "app_account_token", "recovery", "proof", "transaction_id",
    ]
    /// A proof of 4 MiB, and a quarter more where JSON escapes it.
    private static let longestProofBody = 4_194_304 + 4_194_304 / 4
    private static let longestProof = 4_194_304
    private static let longestBody = 16_384

    func put(order id: String, _ call: Call) async throws -> Answer {
        _ = try QueryItems(call.query, knowing: [])
        let account = try call.account()
        guard call.mediaType == "application/json" else { throw Problem(.unsupportedMediaType, "application/json") }
        return try await bodies.read(
            call.request, upTo: Self.longestProofBody, tooLarge: Problem(.proofTooLarge)
        ) { body in
            let order = try RequestObject(body, knowing: Self.orderMembers)
            let bundle = try order.requiredString("bundle_id")
            try call.key.require(bundle: bundle)
            let product = try order.requiredString("product_id")
            let quantity = PostgresParameter.int4(try order.int32("quantity") ?? 1)
            let token = PostgresParameter.uuid(try order.uuid("app_account_token"))
            let recovery = PostgresParameter.bool(try order.bool("recovery") ?? false)
            let rows: PostgresResult
            if let proof = try order.string("proof") {
                rows = try await pool.execute(
                    SQLFile.putOrderWithProof.statement,
                    [
                        .text(id), .text(bundle), .text(product), .text(account), .text(proof), quantity, token, recovery,
                        .text(try order.string("transaction_id")),
                    ], timeout: Self.timeout)
            } else {
                guard !order.has("transaction_id") else {
                    throw Problem(
                        .malformedRequest, "a transaction id goes with a proof", facts: ["member": .string("transaction_id")])
                }
                rows = try await pool.execute(
                    SQLFile.putOrder.statement,
                    [.text(id), .text(bundle), .text(product), .text(account), quantity, token, recovery], timeout: Self.timeout)
            }
            guard let row = rows.first else { throw Problem(.internalError) }
            return Answer(OrderAnswer(row), try row.bool(row.columnCount - 1) ? 201 : 200, requestID: call.requestID)
        }
    }

    func read(order id: String, _ call: Call) async throws -> Step {
        let items = try QueryItems(call.query, knowing: ["wait"])
        let account = try call.account()
        let seconds = try call.wait(items)
        let tags = call.ifNoneMatch
        let order = try await status(of: id, account, call)
        guard seconds > 0, order.isWaiting, tags.map({ order.isKnown($0) }) ?? true, !isStopping else {
            return .answer(Answer(order, to: tags, waited: seconds, requestID: call.requestID))
        }
        // Those who began together don't end together.
        let wait = Duration.seconds(Double(seconds) * Double.random(in: 0.9...1))
        return .wait(
            OrderWait(
                order: id, account: account, tags: tags, known: tags.map { _ in order.eTag }, seconds: seconds,
                deadline: .now + wait))
    }

    func add(proofOf id: String, _ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["transaction_id"])
        let account = try call.account()
        try await requireBundle(ofOrder: id, account, call)
        let (isJSON, type) = (call.mediaType == "application/json", call.mediaType)
        guard isJSON || type == "text/plain" || type == "application/jose" else {
            throw Problem(.unsupportedMediaType, "text/plain, application/jose or application/json")
        }
        return try await bodies.read(
            call.request, upTo: isJSON ? Self.longestProofBody : Self.longestProof, tooLarge: Problem(.proofTooLarge)
        ) { body in
            var proof: String
            var transaction = items["transaction_id"]
            if isJSON {
                let upload = try RequestObject(body, knowing: ["proof", "transaction_id"])
                proof = try upload.requiredString("proof")
                if let named = try upload.string("transaction_id") {
                    guard transaction == nil else { throw Problem(.malformedRequest, "the transaction id comes twice") }
                    transaction = named
                }
            } else {
                guard !body.contains(0), let text = String(validating: body, as: UTF8.self) else {
                    throw Problem(.malformedRequest, "a proof is text without a NUL")
                }
                proof = text
            }
            let rows = try await pool.execute(
                SQLFile.callAddProof.statement, [.text(id), .text(account), .text(proof), .text(transaction)], timeout: Self.timeout
            )
            guard let row = rows.first else { throw Problem(.internalError) }
            let order = OrderAnswer(row)
            let job = order.json["job_id"] ?? .null
            var answer = Answer(202, .object(["job_id": job, "order": order.json]), requestID: call.requestID)
            if let job = job.text { answer.fields[.location] = "/v1/uploads/\(job)" }
            return answer
        }
    }

    func cancel(order id: String, _ call: Call) async throws -> Answer {
        _ = try QueryItems(call.query, knowing: [])
        let account = try call.account()
        try await requireBundle(ofOrder: id, account, call)
        guard call.mediaType == "application/json" else { throw Problem(.unsupportedMediaType, "application/json") }
        return try await bodies.read(call.request, upTo: Self.longestBody, tooLarge: Problem(.bodyTooLarge)) { body in
            let why = try RequestObject(body, knowing: ["why"]).requiredString("why")
            let rows = try await pool.execute(
                SQLFile.callCancelOrder.statement, [.text(id), .text(why), .text(account)], timeout: Self.timeout)
            guard let row = rows.first else { throw Problem(.internalError) }
            return Answer(OrderAnswer(row), 200, requestID: call.requestID)
        }
    }

    func listOrders(_ call: Call) async throws -> Answer {
        let items = try QueryItems(call.query, knowing: ["state", "product_id", "payable", "limit", "before"])
        let account = try call.account()
        if let state = items["state"], OrderState(rawValue: state) == nil {
            throw Problem(.malformedRequest, "a state of an order", facts: ["member": .string("state")])
        }
        let limit = try items.number("limit", in: 1...1000) ?? 100
        var before: String?
        if let text = items["before"] { before = try PathID.decode(text) }
        let bundles = call.key.bundleIDs.map { PostgresParameter.textArray(Array($0)) } ?? .typedNull(.textArray)
        let rows = try await pool.execute(
            SQLFile.callOrdersOf.statement,
            [
                .text(account), .int4(Int32(limit)), .text(before), .text(items["state"]), .text(items["product_id"]),
                .bool(try items.bool("payable")), bundles,
            ], timeout: Self.timeout)
        let orders = rows.map { OrderAnswer($0).json }
        let last = orders.count == limit ? orders.last?["order_id"]?.text.map { JSONValue.string(PathID.encode($0)) } : nil
        return Answer(200, .object(["orders": .array(orders), "next": last ?? .null]), requestID: call.requestID)
    }

    // MARK: Shared steps

    /// - Throws: `order_unknown`, also of another account's order, and of an app that isn't the key's.
    private func status(of id: String, _ account: String, _ call: Call) async throws -> OrderAnswer {
        let rows = try await pool.execute(
            SQLFile.callOrderStatuses.statement, [.textArray([id]), .textArray([account])], timeout: Self.timeout)
        guard let row = rows.first else { throw Problem(.orderUnknown) }
        let order = OrderAnswer(row)
        guard call.key.isFor(order.bundleID) else { throw Problem(.orderUnknown) }
        return order
    }

    /// A key for all apps needs no look.
    private func requireBundle(ofOrder id: String, _ account: String, _ call: Call) async throws {
        if call.key.bundleIDs != nil { _ = try await status(of: id, account, call) }
    }
}
