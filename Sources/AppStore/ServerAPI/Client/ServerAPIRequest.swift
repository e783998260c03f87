// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import Verification

/// One request to the App Store Server API, before it is known whose app it is about and where it goes.
struct ServerAPIRequest: Sendable {
    /// For logs and failures: Apple's name for the endpoint.
    let name: String

    let method: HTTPRequest.Method

    /// Path and query, escaped.
    let target: String

    let body: ByteBuffer?

    /// Whether it asks for a page of a history, so that Apple may refuse the position in it.
    let isPage: Bool

    /// - Parameters:
    ///   - path: made of literals and ``PathSegment``s only.
    ///   - query: in order; a name may stand more than once.
    init(
        _ name: String, _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)] = [],
        body: ByteBuffer? = nil, isPage: Bool = false
    ) {
        self.name = name
        self.method = method
        let items = query.map { "\(Self.escape($0.name))=\(Self.escape($0.value))" }
        target = items.isEmpty ? path : path + "?" + items.joined(separator: "&")
        self.body = body
        self.isPage = isPage
    }

    /// The request with a body of JSON.
    init(
        _ name: String, _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)] = [],
        json: some Encodable, isPage: Bool = false
    ) {
        // Texts, numbers and flags: nothing that JSON couldn't hold.
        let body = (try? JSONEncoder().encode(json)).map { ByteBuffer(bytes: $0) }
        self.init(name, method, path, query: query, body: body, isPage: isPage)
    }

    /// Escapes all but RFC 3986's unreserved characters, so that a value is a value whatever is in it.
    static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): bytes.append(byte)
            case _ where byte.isLetter || byte.isDigit: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension ServerAPIRequest {
    /// The JSON object in a response's body.
    ///
    /// - Throws: a transient failure when the body is something else.
    func json<Body: Decodable>(_ type: Body.Type, in response: HTTPResponse) throws(VerificationFailure) -> Body {
        guard let body = try? JSONDecoder().decode(Body.self, from: response.body) else {
            throw .unavailable("\(name) answered something other than the JSON it should")
        }
        return body
    }

    /// Checks a response whose status is the whole answer: the body is empty, or JSON of which nothing is read.
    ///
    /// - Throws: a transient failure for any other body: a page on the way answers 200 as well, and did nothing.
    func checkStatusOnly(_ response: HTTPResponse) throws(VerificationFailure) {
        struct Anything: Decodable {}
        guard response.body.isEmpty || (try? JSONDecoder().decode(Anything.self, from: response.body)) != nil else {
            throw .unavailable("\(name) answered with something other than its status")
        }
    }
}
