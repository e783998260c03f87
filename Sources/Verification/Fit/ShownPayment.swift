// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A payment as a proof, a notification or a kept row shows it.
///
/// A class, because it is passed on a dozen times on its way to the ledger.
package final class ShownPayment: Hashable, Sendable {
    package let transaction: Transaction

    /// The kind that the shop lists for the order's product, if the payment is of that product. Of others the ledger answers.
    package let listedKind: ProductKind?

    /// Whether Apple confirmed it just now.
    package let isConfirmed: Bool

    /// Whether the proof alone shows that its sender has the purchase. Not so of a bare id.
    package let provesPossession: Bool

    /// When Apple signed the proof; nil where the proof doesn't name a time.
    package let signedAt: Date?

    /// The facts that can't be read: ``OddProof/faults``.
    package let faults: [String]

    /// Whether the proof is a receipt: it may hold old purchases.
    package let isReceipt: Bool

    package init(
        _ transaction: Transaction, listedKind: ProductKind? = nil, isConfirmed: Bool = false, provesPossession: Bool = true,
        signedAt: Date? = nil, faults: [String] = [], isReceipt: Bool = false
    ) {
        self.transaction = transaction
        self.listedKind = listedKind
        self.isConfirmed = isConfirmed
        self.provesPossession = provesPossession
        self.signedAt = signedAt
        self.faults = faults
        self.isReceipt = isReceipt
    }

    package static func == (left: ShownPayment, right: ShownPayment) -> Bool {
        left === right
            || left.transaction == right.transaction && left.listedKind == right.listedKind
                && left.isConfirmed == right.isConfirmed && left.provesPossession == right.provesPossession
                && left.signedAt == right.signedAt && left.faults == right.faults && left.isReceipt == right.isReceipt
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(transaction)
        hasher.combine(isConfirmed)
    }
}
