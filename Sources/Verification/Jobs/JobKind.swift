// SPDX-License-Identifier: Apache-2.0

/// What a job is for.
package enum JobKind: String, Sendable, CaseIterable {
    /// To verify a proof for an order.
    case verify
    /// To tell Apple that a granted transaction is finished. Its failure never touches the grant.
    case finish
}
