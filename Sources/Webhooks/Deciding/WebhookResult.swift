// SPDX-License-Identifier: Apache-2.0

/// How a call to an endpoint ended.
///
/// | Answer | Means |
/// |---|---|
/// | 2xx | handled |
/// | 410 | the address wants no more: the endpoint is off |
/// | 429, 502, 504 | failed; the endpoint is called half as often, and pauses for `Retry-After`, an hour at most |
/// | 3xx, all else, none | failed. A redirect is never followed |
package enum WebhookResult: Sendable, Equatable {
    case handled
    case failed(String)
    case slow(String, pause: Duration)
    case gone(String)
    /// Ended from here: nobody knows whether it was handled, and it is sent again.
    case released

    /// - Parameters:
    ///   - retryAfter: what the answer asked for, if it did.
    ///   - text: the beginning of its body.
    package init(status: Int, retryAfter: Duration?, text: String) {
        let words = "answered \(status)" + (text.isEmpty ? "" : ": \(text)")
        switch status {
        case 200..<300: self = .handled
        case 410: self = .gone(words)
        case 429, 502, 504: self = .slow(words, pause: retryAfter ?? .zero)
        case 300..<400: self = .failed("answered \(status): redirects aren't followed")
        default: self = .failed(words)
        }
    }

    /// Its name in the database and in metrics.
    package var name: String {
        switch self {
        case .handled: "handled"
        case .failed: "failed"
        case .slow: "slow"
        case .gone: "gone"
        case .released: "released"
        }
    }

    /// One line; nil where nothing is wrong.
    package var error: String? {
        switch self {
        case .handled, .released: nil
        case .failed(let text), .slow(let text, _), .gone(let text): text
        }
    }

    package var pause: Duration { if case .slow(_, let pause) = self { pause } else { .zero } }
}
