// SPDX-License-Identifier: Apache-2.0

package import Verification

/// A secret or key in one call: whose, for which proof, and whether Apple needs it for that.
package struct CredentialUse: Sendable, Hashable {
    package let lane: LaneID
    package let credential: CredentialDigest
    package let isNeeded: Bool

    /// Whether Apple found a payment of the app by it.
    package let finds: Bool

    /// When the call began.
    package let began: ContinuousClock.Instant

    package init(
        _ credential: CredentialDigest, lane: LaneID, isNeeded: Bool, finds: Bool = false, began: ContinuousClock.Instant = .now
    ) {
        self.lane = lane
        self.credential = credential
        self.isNeeded = isNeeded
        self.finds = finds
        self.began = began
    }

    /// The same call where its answer shows whether Apple needs the credential for the proof.
    func needed(_ isNeeded: Bool) -> CredentialUse {
        CredentialUse(credential, lane: lane, isNeeded: isNeeded, finds: finds, began: began)
    }

    /// The same call where its answer shows whether Apple found a payment.
    func finding(_ finds: Bool) -> CredentialUse {
        CredentialUse(credential, lane: lane, isNeeded: isNeeded, finds: finds, began: began)
    }
}
