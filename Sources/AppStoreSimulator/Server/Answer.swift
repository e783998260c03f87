// SPDX-License-Identifier: Apache-2.0

/// What is to be sent for a call.
struct Answer: Sendable, Equatable {
    var httpStatus = 200
    var contentType = "application/json"
    var location: String?
    var retryAfter: String?
    var body: [UInt8]
    /// White space to be sent before the body; its length counts into the body's.
    var padding = 0
    /// The status inside the body, where the endpoint has one.
    var status: Int?

    /// A JSON object that `fields` writes, with HTTP 200.
    init(status: Int?, _ fields: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(fields)
        body = json.bytes
        self.status = status
    }

    /// A text with an HTTP status.
    init(httpStatus: Int, text: String, contentType: String = "text/plain") {
        self.httpStatus = httpStatus
        self.contentType = contentType
        body = Array(text.utf8)
    }

    /// HTTP 404 without a body: what Apple answers on a path that doesn't exist.
    static let notFound = Answer(httpStatus: 404, text: "")
}
