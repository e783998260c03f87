// SPDX-License-Identifier: Apache-2.0

package import Verification

/// Where a transaction of the simulated App Store has to be in the end.
package enum Fate: Hashable, Sendable {
    /// Granted once, to the order whose status names it.
    case granted
    /// Granted once; taken back later, which is written beside the grant.
    case grantedThenRevoked
    /// Paid, verified, and granted to nobody, with this reason.
    case unclaimed(Reason)
    /// The same payment as another transaction of its purchase, which is granted: its id belongs to that grant. Its refund may have
    /// come to light under this id.
    case sameGrant(transaction: Int, isRevoked: Bool = false)
    /// Taken back before it was granted.
    case revoked
    /// Nothing is known of it: never shown, never verified, or not ours to grant.
    case absent

    package var label: String {
        switch self {
        case .granted: "granted"
        case .grantedThenRevoked: "granted, revoked"
        case .unclaimed(let reason): "unclaimed(\(reason.rawValue))"
        case .sameGrant(_, let isRevoked): isRevoked ? "revoked, an id of a grant" : "an id of a grant"
        case .revoked: "revoked"
        case .absent: "absent"
        }
    }
}
