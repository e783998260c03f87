// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import ArgumentParser
import FoundationEssentials
import Verification

/// Proofs of one simulated signer, and the verifiers that trust it.
struct ProofFixture: Sendable {
    private static let bundleID = "com.example.app"

    private let texts: [BenchProof: String]
    private let purchases: [BenchProof: Int]
    private let transactions: (warm: SignedTransactionVerifier, cold: SignedTransactionVerifier)
    private let receipts: (warm: AppReceiptVerifier, cold: AppReceiptVerifier)

    init() throws {
        let authority = try SimulatedCertificateAuthority()
        let root = try ExtraRoot(
            certificate: authority.rootCertificateDER, bundleIDs: [BundleID(rawValue: Self.bundleID)])
        let anchors = TrustAnchors(further: [root])
        transactions = (
            SignedTransactionVerifier(anchors: anchors),
            SignedTransactionVerifier(anchors: anchors, chainCacheCapacity: 0)
        )
        receipts = (AppReceiptVerifier(anchors: anchors), AppReceiptVerifier(anchors: anchors, chainCacheCapacity: 0))
        let jws = try Self.purchase(1).signedTransaction(by: authority)
        let small = try Self.receipt(of: 2, authority)
        texts = [
            .transaction: jws, .coldTransaction: jws, .smallReceipt: small, .coldReceipt: small,
            .largeReceipt: try Self.receipt(of: 187, authority),
        ]
        purchases = [.transaction: 1, .coldTransaction: 1, .smallReceipt: 2, .coldReceipt: 2, .largeReceipt: 187]
    }

    /// Bytes of a proof as it is handed over.
    func size(of proof: BenchProof) -> Int {
        texts[proof, default: ""].utf8.count
    }

    /// Verifies a proof from its text on, and makes sure of what came out.
    func verify(_ proof: BenchProof) async throws {
        let text = texts[proof, default: ""]
        let found =
            switch proof {
            case .transaction: try await transactions.warm.verify(text)
            case .coldTransaction: try await transactions.cold.verify(text)
            case .smallReceipt, .largeReceipt: try await receipts.warm.verify(text)
            case .coldReceipt: try await receipts.cold.verify(text)
            }
        guard found.all.count == purchases[proof] else {
            throw BenchError("\(proof.rawValue) shows other purchases than it holds")
        }
    }

    private static func receipt(of count: Int, _ authority: SimulatedCertificateAuthority) throws -> String {
        try SimulatedReceipt(bundleId: bundleID, transactions: (0..<count).map(purchase), signedBy: authority).base64
    }

    private static func purchase(_ number: Int) -> SimulatedTransaction {
        SimulatedTransaction(
            productId: "com.example.app.subscription.annual", bundleId: bundleID, type: .autoRenewable,
            purchaseDate: Date().addingTimeInterval(Double(-number) * 86_400), appAccountToken: UUID())
    }
}

/// What is verified over and over.
enum BenchProof: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// A signed transaction whose chain is remembered.
    case transaction
    /// A signed transaction whose chain is validated each time.
    case coldTransaction = "cold-transaction"
    /// An app receipt of 2 purchases.
    case smallReceipt = "small-receipt"
    /// An app receipt of 187 purchases.
    case largeReceipt = "large-receipt"
    /// An app receipt of 2 purchases whose chain is validated each time.
    case coldReceipt = "cold-receipt"
}
