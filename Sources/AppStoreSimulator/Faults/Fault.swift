// SPDX-License-Identifier: Apache-2.0

/// One way for a call to go wrong.
///
/// As JSON an object with `kind`, the name of the case, and the case's values under their names; durations are in
/// milliseconds: `{"kind": "http", "code": 503}`, `{"kind": "status", "code": 21104, "retryable": {"is-retryable":
/// 1}}`, `{"kind": "slowBody", "milliseconds": 20000}`.
package enum Fault: Sendable, Equatable {
    /// An HTTP status with a short text as its body. `retryAfter` is sent as it stands, in whatever unit one likes.
    case http(code: Int, retryAfter: String? = nil)
    /// An HTTP status without a body.
    case empty(code: Int)
    /// An error of the App Store Server API, by Apple's number, with the HTTP status that belongs to it. `retryAfter` is
    /// sent as it stands; Apple's is a time in milliseconds since 1970.
    case error(code: Int, retryAfter: String? = nil)
    /// HTTP 302 to another place.
    case redirect(location: String)
    /// The request is read and never answered; the connection stays open until the client or the simulator goes.
    case stall
    /// The connection is cut before anything is answered.
    case disconnect
    /// Head and first half of the honest body are sent, then the connection is reset (over HTTP/2: the stream).
    case reset
    /// The honest answer, begun after a further wait.
    case slowHeaders(Duration)
    /// The head at once, then the honest body in pieces spread over the time.
    case slowBody(Duration)
    /// HTTP 200 with a web page.
    case html
    /// HTTP 200 with the first half of the honest body, and a length that says so.
    case truncatedJSON
    /// HTTP 200 with something that is no JSON, though it says that it is.
    case invalidJSON
    /// HTTP 200 with a JSON object that has no status.
    case statusMissing
    /// HTTP 200 with a JSON object whose status is a string.
    case statusNotInteger
    /// HTTP 200 and this status of verifyReceipt, without a receipt.
    case status(code: Int, retryable: RetryableField? = nil)
    /// HTTP 200 with JSON that is preceded by this many bytes of white space, sent as fast as the client reads.
    case oversizedBody(bytes: Int)
}
