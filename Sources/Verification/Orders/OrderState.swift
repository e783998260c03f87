// SPDX-License-Identifier: Apache-2.0

/// Where an order is.
package enum OrderState: String, Hashable, Sendable, CaseIterable {
    case open
    case fulfilled
    case refunded
    case rejected
    case review
    case cancelled

    /// Whether a verified payment may still fulfil an order in this state.
    package var canBeFulfilled: Bool {
        switch self {
        case .open, .rejected, .review: true
        case .fulfilled, .refunded, .cancelled: false
        }
    }
}
