// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Verification

extension Examination {
    /// A proof that was read is in a form that reads as itself.
    func proofViolation(_ text: String) -> Violation? {
        guard let proof = (try? proofs.read(text))?.proof else { return nil }
        let normal = Self.text(of: proof)
        guard (try? proofs.read(normal)) == ReadProof(proof) else { return .contradiction("a mended proof needs mending") }
        // A receipt that wasn't encoded is encoded now.
        guard normal.utf8.count <= (text.utf8.count + 2) / 3 * 4 else { return .impossible("a proof grew while it was read") }
        return nil
    }

    /// What verifies was signed, and a verifier that remembers chains agrees with one that doesn't.
    func signedTransactionViolation(_ jws: String) -> Violation? {
        CallerExecutor.run {
            let fresh = SignedTransactionVerifier(anchors: anchors, chainCacheCapacity: 0)
            return Self.violation(
                verdict: await Self.verdict { () async throws(Reason) in
                    try await signedTransactions.verify(jws, now: now).all
                },
                of: await Self.verdict { () async throws(Reason) in try await fresh.verify(jws, now: now).all })
        }
    }

    /// As of signed transactions; and a receipt that isn't genuine is read for people without harm.
    func appReceiptViolation(_ base64: String) -> Violation? {
        CallerExecutor.run {
            let fresh = AppReceiptVerifier(anchors: anchors, chainCacheCapacity: 0)
            let verdict = await Self.verdict { () async throws(Reason) in
                try await appReceipts.verify(base64, now: now).all
            }
            let violation = Self.violation(
                verdict: verdict,
                of: await Self.verdict { () async throws(Reason) in try await fresh.verify(base64, now: now).all })
            if let violation { return violation }
            guard case .failure = verdict else { return nil }
            return await inspectionViolation(base64)
        }
    }

    /// What isn't genuine is never shown as verified, and what is shown of it keeps to the rules of purchases.
    func inspectionViolation(_ text: String) async -> Violation? {
        let inspection = await inspector.inspect(text)
        for purchase in inspection.purchases {
            guard !purchase.transactionID.rawValue.isEmpty, purchase.quantity ?? 1 >= 1 else {
                return .impossible("a purchase without an id, or of nothing")
            }
            // The text may be the base64 of another proof, which may be genuine.
            guard !inspection.isVerified || GenuinePurchase.includes(purchase) else { return .believed("\(purchase)") }
        }
        return nil
    }

    private static func violation(
        verdict: Result<[Transaction], Reason>, of fresh: Result<[Transaction], Reason>
    ) -> Violation? {
        guard verdict == fresh else { return .contradiction("remembered: \(verdict), anew: \(fresh)") }
        guard case .success(let transactions) = verdict else { return nil }
        return transactions.allSatisfy(GenuinePurchase.includes) ? nil : .believed("\(transactions)")
    }

    private static func verdict(
        of verify: () async throws(Reason) -> [Transaction]
    ) async -> Result<[Transaction], Reason> {
        do {
            return .success(try await verify())
        } catch {
            return .failure(error)
        }
    }
}
