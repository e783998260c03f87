// SPDX-License-Identifier: Apache-2.0

extension HTTPResult {
    /// How the call ended, for logs: an HTTP status or a phrase, and nothing of what was sent.
    var summary: String {
        switch self {
        case .answered(let answer): String(answer.status)
        case .tooLarge: "too large"
        case .failed(let fault): fault.rawValue
        }
    }
}
