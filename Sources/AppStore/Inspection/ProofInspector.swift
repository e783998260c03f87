// SPDX-License-Identifier: Apache-2.0

import Verification

/// Shows a proof's contents and whether it is genuine, as far as that can be known without asking anybody.
///
/// It verifies with the very verifiers that the queue uses. Beyond them it reads what a proof that is not genuine
/// claims, which nobody else does.
package struct ProofInspector: Sendable {
    private let reader: ProofReader
    private let receiptLimits = AppReceiptLimits()
    private let anchors: TrustAnchors

    /// - Parameter anchors: Apple's roots, and what the operator trusts beside them.
    package init(limits: ProofLimits = ProofLimits(), anchors: TrustAnchors) {
        reader = ProofReader(limits: limits)
        self.anchors = anchors
    }

    package func inspect(_ text: String) async -> ProofInspection {
        do {
            let found = try reader.read(text)
            switch found.proof {
            case .signedTransaction(let jws): return await inspect(signedTransaction: jws, of: found)
            case .appReceipt(let base64): return await inspect(receipt: base64, of: found)
            case .transactionID(let id):
                return ProofInspection(
                    .transactionID, .onlyAppleCanTell, repairs: found.repairs, purchases: [.init(transactionID: id)])
            }
        } catch {
            return ProofInspection(nil, .refused(error.reason), mistake: error.mistake)
        }
    }

    private func inspect(signedTransaction jws: String, of found: ReadProof) async -> ProofInspection {
        let (authenticity, faults) = await authenticity { anchors throws(Reason) in
            try await SignedTransactionVerifier(anchors: anchors, chainCacheCapacity: 0).contents(of: jws)
        }
        guard let payload = try? SignedTransaction(jws).payload else {
            return ProofInspection(.signedTransaction, authenticity, repairs: found.repairs, faults: faults)
        }
        // The environment that is shown is the payload's own word; the one given here is not shown.
        let transaction = payload.transaction(in: .production)
        return ProofInspection(
            .signedTransaction, authenticity, repairs: found.repairs, mistake: UnusableForm(found.proof)?.mistake,
            bundleID: payload.bundleId.value, environment: payload.environment.value, signedDate: payload.signedDate.value?.date,
            purchases: transaction.map { [ProofInspection.Purchase($0)] } ?? [], skipped: transaction == nil ? 1 : 0,
            faults: faults)
    }

    private func inspect(receipt base64: String, of found: ReadProof) async -> ProofInspection {
        let (authenticity, faults) = await authenticity { anchors throws(Reason) in
            try await AppReceiptVerifier(anchors: anchors, limits: receiptLimits, chainCacheCapacity: 0)
                .contents(of: base64)
        }
        guard let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard),
            let facts = try? SignedReceipt(bytes, limits: receiptLimits).facts
        else {
            return ProofInspection(
                .appReceipt, authenticity, repairs: found.repairs, mistake: UnusableForm(found.proof)?.mistake, faults: faults)
        }
        // As above; the app that is shown is the receipt's own word too.
        let transactions = facts.transactions(of: BundleID(rawValue: ""), in: .production, limits: receiptLimits)
        return ProofInspection(
            .appReceipt, authenticity, repairs: found.repairs, bundleID: facts.bundleID.value, environment: facts.receiptType.value,
            signedDate: facts.creationDate.value?.date, purchases: transactions.all.map(ProofInspection.Purchase.init),
            skipped: transactions.skipped, faults: faults)
    }

    /// Asks Apple's roots first, so that a proof that only another root vouches for is shown as such. What they refuse, for
    /// whatever reason, is judged by all roots, as the queue does it.
    private func authenticity(
        _ verify: (TrustAnchors) async throws(Reason) -> VerifiedProof
    ) async -> (ProofInspection.Authenticity, faults: [String]) {
        let ofApple = await authenticity(by: .apple) { () throws(Reason) in try await verify(TrustAnchors()) }
        guard case .refused = ofApple.0 else { return ofApple }
        return await authenticity(by: .extraRoot) { () throws(Reason) in try await verify(anchors) }
    }

    private func authenticity(
        by voucher: ProofInspection.Voucher, _ verify: () async throws(Reason) -> VerifiedProof
    ) async -> (ProofInspection.Authenticity, faults: [String]) {
        do {
            switch try await verify() {
            case .transactions: return (.verified(by: voucher), [])
            case .odd(let odd): return (.odd(by: voucher), odd.faults)
            }
        } catch .notAPurchase {
            return (.notAPurchase(by: voucher), [])
        } catch {
            return (.refused(error), [])
        }
    }
}
