// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Believes the bench's own proofs (`eyJ tx 1234 coins …`), at once or after a while, so that only the queue is measured.
struct BenchVerifier: TransactionVerifier {
    let delay: Duration
    let progress: WorkerProgress

    func readProof(_ text: String) throws(Reason) -> Proof {
        progress.jobIsRead()
        return .signedTransaction(text)
    }

    func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        if delay > .zero {
            do {
                try await Task.sleep(for: delay)
            } catch {
                throw VerificationFailure(.transient, .appStoreUnavailable, message: "stopped")
            }
        }
        guard case .signedTransaction(let text) = proof else { return .refused(.malformedProof) }
        let words = text.split(separator: " ")
        guard words.count >= 4 else { return .refused(.malformedProof) }
        let id = TransactionID(rawValue: String(words[2]))
        let transaction = Transaction(
            bundleID: bundleID, environment: .production, id: id, originalID: id,
            productID: ProductID(rawValue: String(words[3])), purchaseDate: Date())
        return .transactions(VerifiedTransactions([transaction], mayBeIncomplete: false))
    }

    func reloadCredentials() {}
}
