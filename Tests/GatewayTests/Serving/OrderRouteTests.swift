// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Gateway
import TestSupport
import Testing

/// Orders, proofs and lists, from the socket to the table.
@Suite struct OrderRouteTests {
    @Test(.timeLimit(.minutes(2)))
    func anOrderIsMadeOnceAndReadByItsAccount() async throws {
        try await GatewayHost.with { host in
            let made = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let again = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order(#","quantity":1"#))
            let read = try await host.call("GET", "/v1/orders/a")

            #expect(made.status == 201)
            #expect(made.json["client_action"] == .string("upload_proof"))
            #expect(again.status == 200)
            #expect(read.status == 200)
            #expect(read.json["order_id"] == .string("a"))
            #expect(read.headers["etag"] == made.headers["etag"])
            #expect(read.headers["cache-control"] == "no-store")
            #expect(try await host.value("select count(*) from counterfoil.orders") == "1")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aProofInTheOrderIsAnUploadOnce() async throws {
        try await GatewayHost.with { host in
            let made = try await host.call(
                "PUT", "/v1/orders/a", json: GatewayHost.order(#","proof":"eyJ 1","transaction_id":"7""#))
            let again = try await host.call(
                "PUT", "/v1/orders/a", json: GatewayHost.order(#","proof":"eyJ 1","transaction_id":"7""#))

            #expect(made.status == 201)
            #expect(again.status == 200)
            #expect(made.json["job_id"]?.text != nil)
            #expect(again.json["job_id"] == made.json["job_id"])
            #expect(made.headers["poll-after"] != nil)
            #expect(try await host.value("select string_agg(proof || transaction_id, ',') from counterfoil.jobs") == "eyJ 17")
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["a/b", "..", "ä%2Fö", String(repeating: "%", count: 200), "日本 語"])
    func anOddIDIsAnID(id: String) async throws {
        try await GatewayHost.with { host in
            let path = "/v1/orders/" + PathID.encode(id)
            let account = PathID.encode("account " + id.prefix(50))

            let made = try await host.call("PUT", path, json: GatewayHost.order(), account: account)
            let read = try await host.call("GET", path, account: account)
            let list = try await host.call("GET", "/v1/orders?limit=1", account: account)

            #expect(made.status == 201)
            #expect(read.json["order_id"] == .string(id))
            #expect(list.json["next"] == .string(PathID.encode(id)))
            #expect(try await host.value("select order_id from counterfoil.orders") == id)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func proofsComeAsTextOrJSON() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())

            let text = try await host.call(
                "POST", "/v1/orders/a/proofs?transaction_id=9", body: Array("eyJ 2".utf8),
                headers: ["content-type": "text/plain; charset=utf-8"])
            let json = try await host.call("POST", "/v1/orders/a/proofs", json: #"{"proof":"eyJ 2","transaction_id":"9"}"#)
            let jose = try await host.call(
                "POST", "/v1/orders/a/proofs", body: Array("eyJ 3".utf8), headers: ["content-type": "application/jose"])

            #expect([text.status, json.status, jose.status] == [202, 202, 202])
            #expect(json.json["job_id"] == text.json["job_id"])
            #expect(jose.json["job_id"] != text.json["job_id"])
            let job = try #require(text.json["job_id"]?.text)
            #expect(text.headers["location"] == "/v1/uploads/\(job)")
            let upload = try await host.call("GET", "/v1/uploads/\(job)")
            #expect(upload.status == 200)
            guard case .array(let rows)? = upload.json["uploads"] else { throw Problem(.internalError) }
            #expect(rows.first?["state"] == .string("pending"))
            #expect(try await host.call("GET", "/v1/uploads/\(job)", account: "bob").problem == "upload_unknown")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anotherAccountsOrderIsAnsweredAsAnUnknownOne() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let why = #"{"why":"x"}"#
            for (method, path, json) in [
                ("GET", "", nil), ("GET", "?wait=1", nil), ("POST", "/proofs", #"{"proof":"x"}"#), ("POST", "/cancel", why),
            ] as [(String, String, String?)] {
                let others = try await host.call(method, "/v1/orders/a\(path)", json: json, account: "bob")
                let unknown = try await host.call(method, "/v1/orders/b\(path)", json: json, account: "bob")

                #expect(others.status == 404)
                #expect(others.problem == "order_unknown")
                #expect(unknown.status == others.status)
                #expect(unknown.problem == others.problem)
                #expect(unknown.json["detail"] == others.json["detail"])
            }
            #expect(
                try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order(), account: "bob").problem == "order_differs")
            #expect(try await host.value("select state from counterfoil.orders") == "open")
            #expect(try await host.value("select count(*) from counterfoil.jobs") == "0")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anOrderIsCancelledForAReason() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())

            #expect(try await host.call("POST", "/v1/orders/a/cancel", json: "{}").problem == "malformed_request")
            #expect(
                try await host.call("POST", "/v1/orders/a/cancel", json: #"{"why":""}"#).problem == "why_has_1_to_1000_characters")
            let cancelled = try await host.call("POST", "/v1/orders/a/cancel", json: #"{"why":"changed my mind"}"#)

            #expect(cancelled.status == 200)
            #expect(cancelled.json["state"] == .string("cancelled"))
            #expect(try await host.value("select who from counterfoil.order_events") == "counterfoil_gateway")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anAccountsOrdersComeInPages() async throws {
        try await GatewayHost.with { host in
            for number in 1...5 { try await host.call("PUT", "/v1/orders/o\(number)", json: GatewayHost.order()) }
            var found: [String] = []
            var next: String? = ""
            while let before = next {
                let page = try await host.call("GET", "/v1/orders?limit=2" + (before.isEmpty ? "" : "&before=\(before)"))
                guard case .array(let orders)? = page.json["orders"] else { throw Problem(.internalError) }
                found += orders.compactMap { $0["order_id"]?.text }
                next = page.json["next"]?.text
            }

            #expect(found == ["o5", "o4", "o3", "o2", "o1"])
            #expect(try await host.call("GET", "/v1/orders?before=none").problem == "page_begins_at_an_order_of_the_account")
            #expect(try await host.call("GET", "/v1/orders?state=x").problem == "malformed_request")
            let open = try await host.call("GET", "/v1/orders?state=open&payable=true&product_id=coins")
            guard case .array(let orders)? = open.json["orders"] else { throw Problem(.internalError) }
            #expect(orders.count == 5)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func whatIsNotThereHasNoRow() async throws {
        try await GatewayHost.with { host in
            let bundle = GatewayHost.bundle
            let transaction = try await host.call("GET", "/v1/transactions?bundle_id=\(bundle)&transaction_id=1")
            let subscription = try await host.call("GET", "/v1/subscriptions?bundle_id=\(bundle)&original_transaction_id=1")

            #expect(transaction.json == .object(["transactions": .array([])]))
            #expect(subscription.json == .object(["subscriptions": .array([])]))
            #expect(try await host.call("GET", "/v1/transactions?bundle_id=\(bundle)").problem == "malformed_request")
        }
    }

    /// Each refusal by its name; nothing of it stays.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            (#"{"bundle_id":"x","product_id":"coins"}"#, 400, "order_names_a_known_app"),
            (#"{"bundle_id":"com.example.game","product_id":""}"#, 400, "ordered_product_id_has_1_to_200_characters"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","quantity":11}"#, 400, "quantity_is_1_to_10"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","quantitty":2}"#, 400, "unknown_member"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","quantity":"2"}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","quantity":1.5}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","app_account_token":"x"}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","transaction_id":"1"}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game","product_id":"coins","proof":""}"#, 413, "proof_has_1_byte_to_4_mib"),
            (#"{"bundle_id":"com.example.game","product_id":"co\u0000ins"}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game"}"#, 400, "malformed_request"),
            (#"{"bundle_id":"com.example.game","product_id":"coins""#, 400, "malformed_request"),
            ("[]", 400, "malformed_request"),
        ])
    func anOrderThatIsNotTakenIsRefusedByName(body: String, status: Int, name: String) async throws {
        try await GatewayHost.with { host in
            let reply = try await host.call("PUT", "/v1/orders/a", json: body)

            #expect(reply.status == status)
            #expect(reply.problem == name)
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(try await host.value("select count(*) from counterfoil.orders") == "0")
            #expect(try await host.call("GET", "/problems/\(name)", key: .some(nil)).status == 200)
        }
    }
}
