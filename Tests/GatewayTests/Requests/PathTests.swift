// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite struct PathTests {
    /// The problem of what is thrown; nil where nothing is.
    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? Problem)?.name
        }
    }

    @Test(arguments: ["a", "A.b_c-9", "...", String(repeating: "x", count: 200), "found-1-0123456789abcdef"])
    func aPlainIDStandsAsItself(id: String) throws {
        #expect(PathID.encode(id) == id)
        #expect(try PathID.decode(id) == id)
    }

    @Test(arguments: [
        "a/b", ".", "..", "ä%2Fö", String(repeating: "%", count: 200), String(repeating: "x", count: 201), "~a", " ", "a\nb", "日本",
        "a b?c#d",
    ])
    func anyOtherIDSurvivesAPath(id: String) throws {
        let segment = PathID.encode(id)

        #expect(segment.first == "~")
        #expect(segment.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        #expect(try PathID.decode(segment) == id)
    }

    /// One id has one form: a second one would pass by what a proxy or a log knows.
    @Test(arguments: ["", "~", "a/b", "ä", ".", "..", "~YQ==", "~YR", "~Y", "~_w", "~AA", "%41", "a b"])
    func aSegmentOfNoFormIsRefused(segment: String) {
        #expect(refusal { _ = try PathID.decode(segment) } == "malformed_request")
    }

    @Test func percentSignsAreDecodedOnce() throws {
        #expect(try RequestPath("/v1/orders/a%2541?x=1%2C2").segments == ["v1", "orders", "a%41"])
        #expect(try RequestPath("/a%2Fb/c+d").segments == ["a/b", "c+d"])
        #expect(try RequestPath("/?a?b").query == "a?b")
    }

    @Test(arguments: [
        "", "x", "/%", "/%4", "/%zz", "/a%00b", "/%ff", "/%C3%28", "*", "http://a/", "/" + String(repeating: "x", count: 8192),
    ])
    func aPathThatIsNoneIsRefused(target: String) {
        #expect(refusal { _ = try RequestPath(target) } == "malformed_request")
    }

    @Test(arguments: [
        ("/v1/orders/a", "/v1/orders/{order}"), ("/v1/orders", "/v1/orders"),
        ("/v1/orders/~YS9i/proofs", "/v1/orders/{order}/proofs"),
        ("/v1/orders/a/cancel", "/v1/orders/{order}/cancel"), ("/v1/uploads/7", "/v1/uploads/{job_id}"),
        ("/v1/changes", "/v1/changes"), ("/v1/changes/start?from=now", "/v1/changes/start"), ("/livez", "/livez"),
        ("/problems/x", "/problems/{name}"), ("/v1/openapi.json", "/v1/openapi.json"), ("/v1/transactions?a=b", "/v1/transactions"),
        ("/v1/subscriptions", "/v1/subscriptions"), ("/readyz", "/readyz"),
    ])
    func aShopsPathIsARoute(target: String, name: String) throws {
        #expect(try Route(RequestPath(target), for: .shop).name == name)
    }

    @Test(arguments: [
        "/", "/v1", "/v1/", "/v1/orders/", "/v1/orders/a/", "/v1/orders/a/x", "/v1//orders", "/v2/orders/a", "/V1/orders",
        "/livez/",
        "/v1/changes/begin", "/v1/apple/notifications", "/metrics",
    ])
    func anyOtherPathIsNone(target: String) {
        let name = refusal { _ = try Route(RequestPath(target), for: .shop) }

        #expect(name == "route_unknown" || name == "malformed_request")
    }

    @Test func applesListenerKnowsItsOwnPathAlone() throws {
        #expect(try Route(RequestPath("/v1/apple/notifications"), for: .apple) == .notifications)
        #expect(try Route(RequestPath("/v1/apple/notifications/puzzle"), for: .apple) == .notifications)
        for target in ["/v1/orders/a", "/livez", "/v1/apple/notifications/", "/v1/apple", "/v1/apple/notifications/a/b", "/readyz"]
        {
            #expect(refusal { _ = try Route(RequestPath(target), for: .apple) } == "route_unknown", "\(target)")
        }
    }

    @Test(arguments: ["0", "-1", "07", "x", "9223372036854775808", "1.0", "+1"])
    func anUploadOfNoNumberIsUnknown(job: String) {
        #expect(refusal { _ = try Route(RequestPath("/v1/uploads/\(job)"), for: .shop) } == "upload_unknown")
    }

    @Test func aQueryHasKnownParametersOnce() throws {
        let items = try QueryItems("a=1%2B&b=", knowing: ["a", "b"])

        #expect(items["a"] == "1+")
        #expect(items["b"] == "")
        #expect(refusal { _ = try items.required("b") } == "malformed_request")
        #expect(refusal { _ = try QueryItems("a=1&c=2", knowing: ["a"]) } == "unknown_member")
        #expect(refusal { _ = try QueryItems("a=1&a=1", knowing: ["a"]) } == "malformed_request")
    }

    @Test(arguments: ["", "x", "-1", "+5", "31", "1e1", "９", "99999999999999999999"])
    func aNumberIsOfItsRange(text: String) throws {
        let items = try QueryItems("wait=\(text)", knowing: ["wait"])

        #expect(refusal { _ = try items.number("wait", in: 0...30) } == "malformed_request")
    }

    @Test func membersAreKnownAndOfTheirType() throws {
        let body = Array(#"{"a":"x","n":2,"t":true,"z":null,"u":"0D9A2D0E-64D7-4A55-9D0F-0A0C2F4F1A11","nul":"a\u0000"}"#.utf8)
        let known: Set<String> = ["a", "n", "t", "z", "u", "nul"]
        let object = try RequestObject(body, knowing: known)

        #expect(try object.string("a") == "x")
        #expect(try object.int32("n") == 2)
        #expect(try object.bool("t") == true)
        #expect(try object.string("z") == nil)
        #expect(try object.uuid("u") != nil)
        #expect(refusal { _ = try object.string("n") } == "malformed_request")
        #expect(refusal { _ = try object.int32("a") } == "malformed_request")
        #expect(refusal { _ = try object.uuid("a") } == "malformed_request")
        #expect(refusal { _ = try object.bool("n") } == "malformed_request")
        #expect(refusal { _ = try object.string("nul") } == "malformed_request")
        #expect(refusal { _ = try object.requiredString("z") } == "malformed_request")
        #expect(refusal { _ = try RequestObject(body, knowing: known.subtracting(["n"])) } == "unknown_member")
        for text in ["", "[]", "null", "{", #"{"a":}"#, "\u{FEFF}", "1"] {
            #expect(refusal { _ = try RequestObject(Array(text.utf8), knowing: known) } == "malformed_request", "\(text)")
        }
    }
}
