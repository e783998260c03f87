// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator

/// What a client uploads, in terms of its purchase.
package indirect enum PlannedProof: Hashable, Sendable {
    /// The signed form of a transaction.
    case signed(transaction: Int, forged: ForgedVariant? = nil)
    /// The receipt of that number: the same bytes each time.
    case receipt(Int)
    /// The bare id.
    case transactionID(Int)
    case text(String)
    case damaged(PlannedProof, ProofDamage)
    /// A copy with a number of its own: copies may be made at different moments, and say different things.
    case copy(PlannedProof, Int)
}

/// A receipt as the device holds it at one moment. Another receipt with the same purchases is a refreshed one.
package struct PlannedReceipt: Equatable, Sendable {
    /// In the order of the receipt, which means nothing. Consumables that were finished before it is made aren't in it.
    package var transactions: [Int]
    package var opaqueValue: [UInt8]
    package var app: ShopApp
    package var environment: SimulatedEnvironment = .production

    /// Number of the call from which on it shows any purchase.
    package var emptyUntilCall: Int?
    /// Number of the call from which on these transactions show.
    package var arrivals: [Int: Int] = [:]
    /// Whether verifyReceipt takes it for genuine.
    package var isAuthentic = true
    /// Makes its signature wrong in one way.
    package var forged: ForgedReceiptVariant?
    package var digest = ReceiptSignature.Digest.sha256
    /// Whether it has a certificate beside the three of its chain.
    package var addsCertificate = false
    /// In place of the environment's own receipt type.
    package var type: String?
    /// What the App Store answers in place of everything else.
    package var status: Int?
}
