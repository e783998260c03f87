// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One call to one of Apple's hosts.
struct HTTPRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    let method: Method

    /// Path and, after a question mark, query; begins with a slash and is percent-encoded already.
    let target: String

    /// Shows who is calling; verifyReceipt is called without.
    let token: BearerToken?

    /// JSON; nil sends no body.
    let body: ByteBuffer?

    init(_ method: Method, _ target: String, token: BearerToken? = nil, body: ByteBuffer? = nil) {
        self.method = method
        self.target = target
        self.token = token
        self.body = body
    }
}
