// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Verification

/// A simulated signer, and verifiers that trust its root for one app.
struct SigningFixture: Sendable {
    static let bundleID = BundleID(rawValue: "com.example.app")

    /// A whole second, so that dates survive the way through milliseconds.
    static let purchaseDate = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    let authority: SimulatedCertificateAuthority

    init() throws {
        authority = try SimulatedCertificateAuthority()
    }

    func anchors(for bundleIDs: Set<BundleID> = [bundleID]) throws -> TrustAnchors {
        TrustAnchors(further: [try ExtraRoot(certificate: authority.rootCertificateDER, bundleIDs: bundleIDs)])
    }

    func verifier(for bundleIDs: Set<BundleID> = [bundleID]) throws -> SignedTransactionVerifier {
        SignedTransactionVerifier(anchors: try anchors(for: bundleIDs))
    }

    func transaction(_ change: (inout SimulatedTransaction) -> Void = { _ in }) -> SimulatedTransaction {
        var transaction = SimulatedTransaction(
            productId: "com.example.app.coins", bundleId: Self.bundleID.rawValue, purchaseDate: Self.purchaseDate
        )
        change(&transaction)
        return transaction
    }

    /// The verdict on a payload that is signed honestly: one transaction, or the reason against it.
    func verdict(onPayload json: String) async throws -> Result<Transaction, Reason> {
        await Self.verdict(of: try verifier(), on: try authority.sign(payload: Array(json.utf8), at: Self.purchaseDate))
    }

    static func verdict(of verifier: SignedTransactionVerifier, on jws: String) async -> Result<Transaction, Reason> {
        do {
            let transactions = try await verifier.verify(jws)
            return transactions.all.count == 1 ? .success(transactions.all[0]) : .failure(.unknownAnswer)
        } catch {
            return .failure(error)
        }
    }
}
