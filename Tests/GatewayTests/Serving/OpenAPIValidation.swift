// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Gateway

enum JSONDecoding {
    static func value(_ buffer: ByteBuffer) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(buffer.readableBytesView))
    }
}

/// Holds each answer of the tests against `openapi.json`: its route, its method, its status, its media type and its schema, as far
/// as the document uses JSON Schema.
enum OpenAPIValidation {
    static let document: JSONValue = {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(OpenAPIDocument.text.utf8)) else { return .null }
        return value
    }()

    static func check(_ reply: GatewayHost.Reply, to method: String, _ target: String, at audience: Route.Audience) throws {
        guard let path = try? RequestPath(target), let route = try? Route(path, for: audience), route.methods.contains(method)
        else {
            // No route of ours: a problem in any case.
            #expect(faults(reply.json, schema("Problem"), "problem") == [], "\(method) \(target): \(reply.text)")
            return
        }
        guard let operation = document["paths"]?[route.name]?[method.lowercased()] else {
            Issue.record("\(method) \(route.name) isn't in the document")
            return
        }
        let responses = operation["responses"]
        guard let response = responses?["\(reply.status)"] ?? responses?["default"] else {
            Issue.record("\(method) \(route.name) has no answer \(reply.status)")
            return
        }
        if responses?["\(reply.status)"] == nil { #expect(reply.status >= 400, "\(method) \(target) \(reply.status)") }
        guard case .object(let content)? = response["content"] else {
            #expect(reply.text.isEmpty)
            return
        }
        let type = String((reply.headers["content-type"] ?? "").prefix { $0 != ";" })
        guard let schema = content[type]?["schema"] else {
            Issue.record("\(method) \(route.name) \(reply.status) has no \(type)")
            return
        }
        guard type != "text/plain" else { return }
        #expect(faults(reply.json, schema, type) == [], "\(method) \(target): \(reply.text)")
    }

    static func schema(_ name: String) -> JSONValue { document["components"]?["schemas"]?[name] ?? .null }

    /// What is wrong with a value, a line each.
    static func faults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        if let reference = schema["$ref"]?.text {
            return faults(value, self.schema(String(reference.split(separator: "/").last ?? "")), place)
        }
        var faults: [String] = []
        let types: [String] =
            switch schema["type"] {
            case .string(let type)?: [type]
            case .array(let list)?: list.compactMap(\.text)
            default: []
            }
        if !types.isEmpty, !types.contains(where: { isOf($0, value) }) { faults.append("\(place) is no \(types)") }
        if case .array(let allowed)? = schema["enum"], !allowed.contains(value) { faults.append("\(place) is none of its list") }
        if schema["format"]?.text == "date-time", let text = value.text, !RFC3339.isTime(text) {
            faults.append("\(place) is no time")
        }
        switch value {
        case .object(let members):
            var known: [String: JSONValue] = [:]
            if case .object(let properties)? = schema["properties"] { known = properties }
            if case .array(let required)? = schema["required"] {
                faults += required.compactMap(\.text).filter { members[$0] == nil }.map { "\(place) lacks \($0)" }
            }
            for (name, member) in members {
                if let schema = known[name] {
                    faults += self.faults(member, schema, "\(place).\(name)")
                } else if schema["additionalProperties"] == .bool(false) {
                    faults.append("\(place) has \(name)")
                }
            }
        case .array(let elements):
            if let items = schema["items"] {
                for (index, element) in elements.enumerated() { faults += self.faults(element, items, "\(place)[\(index)]") }
            }
        default: break
        }
        return faults
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .number),
            ("string", .string),
            ("array", .array), ("object", .object):
            true
        default: false
        }
    }
}

@Suite struct OpenAPITests {
    @Test func eachRouteIsInTheDocumentAndNoOther() throws {
        guard case .object(let paths)? = OpenAPIValidation.document["paths"] else {
            Issue.record("the document has no paths")
            return
        }
        let documented = Set(
            paths.flatMap { path, item -> [String] in
                guard case .object(let operations) = item else { return [] }
                return operations.keys.map { "\($0.uppercased()) \(path)" }
            })

        #expect(documented == Set(Route.all.flatMap { route in route.methods.map { "\($0) \(route.name)" } }))
        #expect(OpenAPIValidation.document["openapi"]?.text == "3.1.0")
    }

    /// Workers send these; what they send comes from the database as it stands.
    @Test func aWebhookIsAsTheDocumentHasIt() async throws {
        let bodies = try await withMigratedDatabase { database in
            try await database.withConnection { admin in
                try await admin.executeScript(
                    """
                    insert into counterfoil.apps (bundle_id) values ('com.example.game');
                    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                    values ('a', 'com.example.game', 'coins', 'ann');
                    update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = 'a';
                    select counterfoil.move_account('ann', 'bob', 'eve', 'one person')
                    """)
                return try await admin.execute(
                    """
                    select counterfoil.webhook_body(c.kind, c.at, to_jsonb(c))
                    from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 2) c
                    """
                ).map { try $0.string(0) }
            }
        }
        let schema = OpenAPIValidation.document["webhooks"]?["change"]?["post"]?["requestBody"]?["content"]?["application/json"]?[
            "schema"]

        #expect(schema != nil)
        #expect(bodies.count == 2)
        for body in bodies {
            let event = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8))
            #expect(OpenAPIValidation.faults(event, schema ?? .null, "event") == [], "\(body)")
        }
    }

    @Test func theDocumentNamesTheScopeOfEachRoute() throws {
        for route in Route.all {
            for method in route.methods {
                let security = OpenAPIValidation.document["paths"]?[route.name]?[method.lowercased()]?["security"]
                let expected: JSONValue =
                    route.scope(method).map { .array([.object(["key": .array([.string($0.rawValue)])])]) } ?? .array([])

                #expect(security == expected, "\(method) \(route.name)")
            }
        }
    }

    /// A check that finds nothing would pass anything.
    @Test func anAnswerThatDiffersIsFound() {
        let problem = OpenAPIValidation.schema("Problem")
        let good: JSONValue = .object([
            "type": .string("/problems/x"), "title": .string("x"), "status": .integer(400), "request_id": .string("r"),
        ])

        #expect(OpenAPIValidation.faults(good, problem, "p") == [])
        #expect(OpenAPIValidation.faults(.object([:]), problem, "p").count == 4)
        #expect(OpenAPIValidation.faults(.string("x"), problem, "p") == ["p is no [\"object\"]"])
        guard case .object(var members) = good else { return }
        members["more"] = .null
        #expect(OpenAPIValidation.faults(.object(members), problem, "p") == ["p has more"])
        members["more"] = nil
        members["status"] = .string("400")
        #expect(OpenAPIValidation.faults(.object(members), problem, "p") == ["p.status is no [\"integer\"]"])
    }
}
