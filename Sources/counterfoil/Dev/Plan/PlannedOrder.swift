// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An order that a player places, or makes by submitting a proof for it.
struct PlannedOrder: Equatable, Sendable {
    var id: String
    var app: DevApp
    var product: DevProduct
    var accountID: String
    var quantity = 1
    var token: UUID?

    /// What the client uploads when it is told to send its proof again, one after the other.
    var furtherProofs: [PlannedProof] = []

    /// Whether the client, with nothing newer to send, comes back now and then and sends its last proof again.
    var isPersistent = false
}
