// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// An order that a player places, or makes by submitting a proof for it.
package struct PlannedOrder: Equatable, Sendable {
    package var id: String
    package var app: ShopApp
    package var product: ShopProduct
    package var accountID: String
    package var quantity = 1
    package var token: UUID?

    /// What the client uploads when it is told to send its proof again, one after the other.
    package var furtherProofs: [PlannedProof] = []

    /// Whether the client, with nothing newer to send, comes back now and then and sends its last proof again.
    package var isPersistent = false
}
