// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// A purchase that the simulated App Store will have on record, and where it has to end up.
struct PlannedTransaction: Equatable, Sendable {
    var id: String
    var originalID: String
    var webOrderLineItemID: String?
    var app: DevApp
    var product: DevProduct
    var environment: SimulatedEnvironment = .production
    var quantity = 1

    /// Seconds that it was paid before the moment when the player pays.
    var age: Double = 0

    var token: UUID?
    var isFamilyShared = false
    var isRefunded = false

    /// Number of the call about it from which on the App Store Server API knows it.
    var arrivalCall: Int?

    /// The type that is signed, where that isn't the product's own.
    var signedType: SimulatedProductType?

    var fate = Fate.absent

    /// Whether the next receipt lacks it once the app has finished it.
    var isConsumed: Bool { product.type == .consumable }

    /// The transaction as the simulator knows it, paid `age` before `now`.
    func transaction(now: Date) -> SimulatedTransaction {
        let date = now.addingTimeInterval(-age)
        var made = SimulatedTransaction(
            productId: product.productID, bundleId: app.bundleID, type: signedType ?? product.type,
            environment: environment, quantity: quantity, purchaseDate: date, transactionId: id, appAccountToken: token)
        made.originalTransactionId = originalID
        made.webOrderLineItemId = webOrderLineItemID
        made.signedDate = now
        if isFamilyShared { made.inAppOwnershipType = "FAMILY_SHARED" }
        if isRefunded {
            made.revocationDate = now
            made.revocationReason = 0
        }
        return made
    }
}
