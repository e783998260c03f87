// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// A signed transaction in the right form: three parts, of which the second should be a transaction's payload.
///
/// Untrusted until ``SignedTextVerifier`` has vouched for it. A class, because it is kept across a suspension.
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

    /// The app that it says it is of.
    var bundleID: BundleID? { payload?.bundleId.value.map(BundleID.init(rawValue:)) }

    /// The contents, once it is known that Apple signed them.
    ///
    /// - Throws: `Reason/unsupportedEnvironment`.
    func contents() throws(Reason) -> VerifiedProof {
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
