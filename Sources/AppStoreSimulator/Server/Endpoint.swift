// SPDX-License-Identifier: Apache-2.0

/// An operation that the simulator offers; faults and counters are kept for each.
package enum Endpoint: String, CaseIterable, Codable, Sendable {
    case verifyReceipt

    /// The endpoint that serves a path; nil where Apple would answer 404.
    init?(path: String) {
        switch path {
        case "/verifyReceipt": self = .verifyReceipt
        default: return nil
        }
    }
}
