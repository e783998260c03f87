// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import HTTPTypes

/// The answer to a request.
package struct Answer: Sendable {
    package var status: Int
    package var fields = HTTPFields()
    package var body: [UInt8] = []

    package init(_ status: Int, _ json: JSONValue, requestID: String) {
        self.status = status
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A value of ours can always be encoded: its numbers are finite.
        body = (try? encoder.encode(json)).map(Array.init) ?? []
        fields[.contentType] = "application/json"
        finish(requestID)
    }

    package init(_ problem: Problem, requestID: String) {
        self.init(problem.status, problem.json(requestID: requestID), requestID: requestID)
        fields[.contentType] = "application/problem+json"
        if let seconds = problem.retryAfter { fields[.retryAfter] = String(seconds) }
        if !problem.allow.isEmpty { fields[.allow] = problem.allow.joined(separator: ", ") }
        if problem.status == 401 { fields[.wwwAuthenticate] = "Bearer" }
    }

    package init(_ status: Int, text: String, type: String = "text/plain; charset=utf-8", requestID: String) {
        self.status = status
        body = Array(text.utf8)
        fields[.contentType] = type
        finish(requestID)
    }

    /// 304: the client has it.
    package init(notModified eTag: String, requestID: String) {
        status = 304
        fields[.eTag] = eTag
        finish(requestID)
        fields[.contentLength] = nil
    }

    private mutating func finish(_ requestID: String) {
        fields[.contentLength] = String(body.count)
        fields[.cacheControl] = "no-store"
        fields[RequestID.field] = requestID
    }

    var head: HTTPResponse { HTTPResponse(status: .init(code: status), headerFields: fields) }
}

/// Names a request in its answer and in the log.
enum RequestID {
    static let field = HTTPField.Name("Request-Id")!

    static func make() -> String {
        let number = UInt64.random(in: .min ... .max)
        return String(number, radix: 36)
    }
}
