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

    /// Whether the payload is JSON's only encoding (RFC 8259, section 8.1). A decoder may take others, too, in which fields that
    /// stand there twice aren't found.
    private let isUTF8: Bool

    /// The fields that stand there twice: ``RepeatedFields``.
    private let repeated: RepeatedFields

    /// - Throws: `Reason/malformedProof`, before any cryptography.
    init(_ text: String) throws(Reason) {
        guard let jws = CompactJWS(text) else { throw .malformedProof }
        self.jws = jws
        payload = try? JSONDecoder().decode(SignedTransactionPayload.self, from: Data(jws.payload))
        isUTF8 = jws.hasPayloadInUTF8
        repeated = payload == nil || !isUTF8 ? RepeatedFields() : RepeatedFields(in: jws.payload)
    }

    /// When the payload says that it was signed; `now` where it says nothing; nil where that can't be read.
    ///
    /// An app transaction has no date of its signature. It is signed when it is made, and says when that is; Apple's own library
    /// judges it so, too.
    func signedDate(orNow now: Date) -> Date? {
        guard let payload, isUTF8 else { return nil }
        let date = payload.signedDate.isAbsent ? payload.receiptCreationDate : payload.signedDate
        guard !date.isUnreadable, repeated.names.isDisjoint(with: ["signedDate", "receiptCreationDate"]) else { return nil }
        return date.value?.date ?? now
    }

    /// The app that it says it is of.
    var bundleID: BundleID? { payload?.bundleId.value.map(BundleID.init(rawValue:)) }

    /// Whether it says that Xcode's local testing made it.
    var isXcodes: Bool { payload.map { ProofOrigin(environment: $0.environment) } == .xcode }

    /// The contents, once it is known that Apple signed them.
    ///
    /// - Parameter faults: what is odd about the certificates.
    /// - Throws: `Reason/unsupportedEnvironment`; `Reason/notAPurchase` for another text of Apple's than a transaction.
    func contents(besides faults: [String]) throws(Reason) -> VerifiedProof {
        guard let payload else { return .odd(OddProof(["payload is no JSON object"])) }
        guard isUTF8 else { return .odd(OddProof(["payload is not in UTF-8"])) }
        let repeated = repeated.decidingMoney
        guard repeated.isEmpty else { return .odd(OddProof(repeated.map { "\($0) stands there twice" })) }
        if payload.transactionId.isAbsent, UnusableForm(signedPayload: jws.payload)?.isSignedByApple ?? false {
            throw .notAPurchase
        }
        switch ProofOrigin(environment: payload.environment) {
        case .xcode:
            throw .unsupportedEnvironment
        case .unknown:
            let others = payload.faults + faults
            let fault = SignedTransactionField.environment.fault(isAbsent: payload.environment.isAbsent)
            guard payload.environment.isAbsent, others.isEmpty else {
                return .odd(OddProof([fault] + others, complete: payload.transaction(answering:)))
            }
            // The environment given here is not used.
            let unplaced = payload.transaction(in: .production).map { OddProof.Unplaced($0) }
            return .odd(OddProof([fault], unplaced: unplaced, complete: payload.transaction(answering:)))
        case .store(let environment):
            let faults = payload.faults + faults
            let transaction = payload.transaction(in: environment)
            guard faults.isEmpty, let transaction else {
                return .odd(OddProof(faults, rest: transaction, complete: payload.transaction(answering:)))
            }
            return .transactions(
                VerifiedTransactions([transaction], mayBeIncomplete: false, signedAt: payload.signedDate.value?.date))
        }
    }
}

extension CompactJWS {
    /// Whether the payload is UTF-8. Texts in UTF-16 and UTF-32 are not, or have bytes of zero, which JSON never has.
    var hasPayloadInUTF8: Bool {
        payload.allSatisfy { $0 != 0 && $0 < 0x80 } || !payload.contains(0) && String(validating: payload, as: UTF8.self) != nil
    }
}
