// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A complete HTTP answer. A class, because it travels through asynchronous calls.
package final class HTTPResponse: Sendable {
    package let status: Int

    /// The least time to wait before the next call, when the other side named one.
    package let retryAfter: Duration?

    package let body: Data

    package init(status: Int, retryAfter: Duration?, body: Data) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// How a call ended.
enum HTTPResult: Sendable {
    case answered(HTTPResponse)
    /// The answer passed the size allowed for one.
    case tooLarge
    case failed(HTTPError)
}

/// Why no answer came. A closed list of phrases: what the libraries below say may quote what was sent.
enum HTTPError: String, Sendable {
    case deadline = "no complete answer before the deadline"
    case cancelled = "the call was cancelled"
    case connect = "no connection in time"
    case tls = "TLS failed"
    case broken = "the connection failed or broke"
}
