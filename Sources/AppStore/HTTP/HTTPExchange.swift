// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import NIOCore
import Verification

/// One request to one of Apple's hosts.
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

    /// The end of the call's turn: if no connection stands by then, nothing is sent. Nil for a call that no rate limits.
    let latestStart: ContinuousClock.Instant?

    init(
        _ method: Method, _ target: String, token: BearerToken? = nil, body: ByteBuffer? = nil,
        latestStart: ContinuousClock.Instant? = nil
    ) {
        self.method = method
        self.target = target
        self.token = token
        self.body = body
        self.latestStart = latestStart
    }
}

/// A complete HTTP response. A class, because it is returned by asynchronous calls.
package final class HTTPResponse: Sendable {
    package let status: Int

    /// The least time to wait before the next call, when the other side named one.
    package let retryAfter: Duration?

    package let body: Data

    package init(status: Int, retryAfter: Duration? = nil, body: Data) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// Why there is no response. A closed list of phrases: the messages of the libraries below may quote the request.
enum HTTPError: String, Error, Sendable {
    case deadline = "no complete answer before the deadline"
    case cancelled = "the call was cancelled"
    case connect = "no connection in time"
    case tls = "TLS failed"
    case broken = "the connection failed or broke"

    /// Nothing was sent.
    case late = "the turn was over before a connection stood"

    /// The response passed the size allowed for one.
    case tooLarge = "too large"
}

/// How a call ended.
typealias HTTPResult = Result<HTTPResponse, HTTPError>

extension HTTPResult {
    /// How the call ended, for logs: an HTTP status or a phrase, and nothing of the request.
    var summary: String {
        switch self {
        case .success(let response): String(response.status)
        case .failure(let error): error.rawValue
        }
    }

    /// The response.
    ///
    /// - Parameter endpoint: Apple's name for it, for messages.
    /// - Throws: a transient failure; an uncertain one for a response that is too large, since the next may be as large.
    func response(of endpoint: String) throws(VerificationFailure) -> HTTPResponse {
        switch self {
        case .success(let response): return response
        case .failure(.late): throw .late("\(endpoint): \(HTTPError.late.rawValue)")
        case .failure(.tooLarge): throw .unknownAnswer("\(endpoint) answered more than the largest answer allowed")
        case .failure(let error): throw .unavailable("\(endpoint): \(error.rawValue)")
        }
    }
}
