// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Verification

/// A signed transaction in the right form: three parts, of which the second should be a transaction's payload.
///
/// Untrusted until a validated chain has vouched for it. A class, because it is kept across a suspension.
final class SignedTransaction: Sendable {
    let jws: CompactJWS

    /// Nil where the payload is no JSON object. Whether anybody signed that is judged first.
    let payload: SignedTransactionPayload?

    /// - Throws: `Reason/malformedProof`, before any cryptography.
    init(_ text: String) throws(Reason) {
        guard let jws = CompactJWS(text) else { throw .malformedProof }
        self.jws = jws
        payload = try? JSONDecoder().decode(SignedTransactionPayload.self, from: Data(jws.payload))
    }

    /// When the payload says that it was signed; `now` where it says nothing; nil where that can't be read.
    func signedDate(orNow now: Date) -> Date? {
        guard let payload, !payload.signedDate.isUnreadable else { return nil }
        return payload.signedDate.value?.date ?? now
    }

    /// The contents, if the chain's leaf signed them and the chain's root may speak for their app.
    ///
    /// - Parameter chain: the validated chain of the header's certificates.
    /// - Throws: `Reason/untrustedRoot`, `Reason/badCertificate` for a key of another kind, `Reason/badSignature`, or
    ///   `Reason/unsupportedEnvironment`.
    func contents(verifiedBy chain: ValidatedChain) throws(Reason) -> VerifiedProof {
        guard chain.anchor.covers(payload?.bundleId.value.map(BundleID.init(rawValue:))) else { throw .untrustedRoot }
        guard case .p256(let key) = chain.leafKey else { throw .badCertificate }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: SHA256.hash(data: jws.signingInput))
        else { throw .badSignature }
        guard let payload else { return .odd(OddProof(["payload is no JSON object"])) }
        let repeated = RepeatedFields(in: jws.payload).decidingMoney
        guard repeated.isEmpty else { return .odd(OddProof(repeated.map { "\($0) stands there twice" })) }
        switch ProofOrigin(environment: payload.environment) {
        case .xcode:
            throw .unsupportedEnvironment
        case .unknown:
            let fault = SignedTransactionField.environment.fault(isAbsent: payload.environment.isAbsent)
            return .odd(OddProof([fault] + payload.faults))
        case .store(let environment):
            let faults = payload.faults
            let transaction = payload.transaction(in: environment)
            guard faults.isEmpty, let transaction else { return .odd(OddProof(faults, rest: transaction)) }
            return .transactions(
                VerifiedTransactions([transaction], mayBeIncomplete: false, signedAt: payload.signedDate.value?.date))
        }
    }
}
