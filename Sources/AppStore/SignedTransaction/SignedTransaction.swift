// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Verification

/// A signed transaction in the right form: three parts, of which the second is a payload with a transaction id.
///
/// Untrusted until a validated chain has vouched for it. A class, because it is kept across a suspension.
final class SignedTransaction: Sendable {
    let jws: CompactJWS
    let payload: SignedTransactionPayload

    /// - Throws: `Reason/malformedProof`, before any cryptography.
    init(_ text: String) throws(Reason) {
        guard let jws = CompactJWS(text),
            let payload = try? JSONDecoder().decode(SignedTransactionPayload.self, from: Data(jws.payload)),
            let id = payload.transactionId.value, !id.isEmpty
        else { throw .malformedProof }
        self.jws = jws
        self.payload = payload
    }

    /// The transaction, if the chain's leaf signed it and the chain's root may speak for its app.
    ///
    /// - Parameter chain: the validated chain of the header's certificates.
    /// - Throws: `Reason/untrustedRoot`, `Reason/badCertificate` for a key of another kind, `Reason/badSignature`,
    ///   `Reason/unsupportedEnvironment`, or `Reason/unknownAnswer`.
    func transactions(verifiedBy chain: ValidatedChain) throws(Reason) -> VerifiedTransactions {
        guard chain.anchor.covers(payload.bundleId.value.map(BundleID.init(rawValue:))) else { throw .untrustedRoot }
        guard case .p256(let key) = chain.leafKey else { throw .badCertificate }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: SHA256.hash(data: jws.signingInput))
        else { throw .badSignature }
        guard let environment = payload.storeEnvironment else { throw .unsupportedEnvironment }
        guard let transaction = payload.transaction(in: environment) else { throw .unknownAnswer }
        return VerifiedTransactions([transaction], mayBeIncomplete: false, signedAt: payload.signedDate.value?.date)
    }
}
