// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
package import Verification

/// A purchase that the simulated App Store will have on record, and where it has to end up.
package struct PlannedTransaction: Equatable, Sendable {
    package var id: String
    package var originalID: String
    package var webOrderLineItemID: String?
    package var app: ShopApp
    package var product: ShopProduct
    package var environment: SimulatedEnvironment = .production
    package var quantity = 1

    /// Seconds that it was paid before the moment when the player pays.
    package var age: Double = 0

    /// Seconds that a subscription's period lasts; nil: as long as the simulated App Store's do.
    package var period: Double?

    package var token: UUID?

    /// Apple's customer; nil: one of its own.
    package var customer: String?

    /// Whether only Apple told of it: no client showed it.
    package var isToldOnly = false

    /// Who paid, in Apple's words; nil: the customer.
    package var ownership: String?
    /// What was refunded of it before it was shown.
    package var refund: PlannedRefund?
    package var oddity: Oddity?

    /// Number of the call about it from which on the App Store Server API knows it.
    package var arrivalCall: Int?

    /// Whether Apple's server made it when a period ended. Nil: of a further period of its product it did.
    package var renews: Bool?

    /// The type that is signed, where that isn't the product's own.
    package var signedType: SimulatedProductType?

    /// The environment that is signed, where that isn't the store's own.
    package var signedEnvironment: String?

    package var fate = Fate.absent

    /// The share of it that the ledger has to have as refunded; nil: nothing, or by its fate the whole.
    package var partialRefund: Revocation.Share?

    /// Whether the next receipt lacks it once the app has finished it.
    package var isConsumed: Bool { product.type == .consumable }

    /// The client action that `transaction_status` must give for it; nil if the ledger must not have it.
    package var clientAction: String? {
        switch fate {
        case .granted, .grantedThenRevoked, .sameGrant, .revoked, .unclaimed(.renewal): "finish"
        case .unclaimed where isToldOnly: "upload_proof"
        case .unclaimed(let reason): isOrderedAgain(reason) ? "order_again" : "contact_support"
        case .absent: nil
        }
    }

    /// Whether a new order gets it, if it was left for this reason: nothing speaks against it, but that its order was another one.
    /// A purchase from long before its order may be a thief's find.
    package func isOrderedAgain(_ reason: Reason) -> Bool {
        switch reason {
        case .wrongProduct, .quantityShort, .orderAlreadyPaid, .orderCancelled, .noOrder: age < 600
        default: false
        }
    }

    /// The transaction as the simulator knows it, paid `age` before `now`.
    package func transaction(now: Date) -> SimulatedTransaction {
        let date = now.addingTimeInterval(-age)
        var made = SimulatedTransaction(
            productId: product.productID, bundleId: app.bundleID, type: signedType ?? product.type,
            environment: environment, quantity: quantity, purchaseDate: date, transactionId: id, appAccountToken: token)
        made.originalTransactionId = originalID
        made.webOrderLineItemId = webOrderLineItemID
        made.signedDate = now
        made.signedEnvironment = signedEnvironment
        if let customer { made.appTransactionId = customer }
        if let ownership { made.inAppOwnershipType = ownership }
        if renews ?? (made.type == .autoRenewable && originalID != id) { made.transactionReason = "RENEWAL" }
        if let period { made.expiresDate = made.purchaseDate.addingTimeInterval(period) }
        refund?.write(to: &made, at: now)
        oddity?.write(to: &made, at: now)
        return made
    }
}
