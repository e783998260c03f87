// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Verification

/// Recognises what a client handed over and mends damage that is known to be harmless.
///
/// Nothing is verified here and nobody is asked: what comes out is a claim in a known form. The work is linear in the
/// length of the text, whatever is in it.
///
/// A repair has exactly one meaning, and is kept only if a proof comes out. Where a text may be two things, it is neither.
package struct ProofReader: Sendable {
    /// The result of reading a text, or of reading the content of a wrapping.
    enum Reading {
        case proof(ReadProof)
        /// It has the form of a proof, and is refused by that form.
        case refused(Reason)
        case unknown(UnusableForm?)
    }

    package let limits: ProofLimits

    package init(limits: ProofLimits = ProofLimits()) {
        self.limits = limits
    }

    /// The proof in a text.
    ///
    /// Mended are: white space and invisible characters around it or inside it; in base64 spaces that were `+` before a form's
    /// encoding, the other alphabet, and padding; and up to ``ProofLimits/layers`` wrappings, see ``ProofRepair``.
    ///
    /// - Throws: `Reason/proofTooLarge`; for a receipt in BER's indefinite lengths `Reason/unsupportedEnvironment` if it says that
    ///   it is Xcode's, and `Reason/unsupportedEncoding` if not; `Reason/malformedProof` for all else that is no proof.
    package func read(_ text: String) throws(UnreadableProof) -> ReadProof {
        guard text.utf8.count <= limits.proofBytes else { throw UnreadableProof(.proofTooLarge) }
        switch reading(of: Array(text.utf8)[...], layers: limits.layers) {
        case .proof(let found): return found
        case .refused(let reason): throw UnreadableProof(reason)
        case .unknown(let form): throw UnreadableProof(.malformedProof, mistake: form?.mistake)
        }
    }

    /// - Parameter layers: how many wrappings may still be taken off.
    func reading(of text: ArraySlice<UInt8>, layers: Int) -> Reading {
        if EncodedReceipt.isUnencoded(text) { return encoding(text) }
        let (clean, repairs) = InvisibleCharacters.removed(from: text)
        return visibleReading(of: clean, layers: layers).after(repairs)
    }

    private func visibleReading(of text: ArraySlice<UInt8>, layers: Int) -> Reading {
        let trimmed = text.trimmingWhitespace()
        if trimmed.allSatisfy(\.isDigit) {
            guard (1...20).contains(trimmed.count) else { return .unknown(UnusableForm(trimmed)) }
            return .proof(ReadProof(.transactionID(TransactionID(rawValue: String(decoding: trimmed, as: UTF8.self)))))
        }
        if trimmed.contains(CompactJWS.separator), let (jws, repairs) = JWSRepair.mend(trimmed) {
            guard jws.count <= limits.signedTransactionBytes else { return .refused(.proofTooLarge) }
            if layers > 0, let inner = NotifiedTransaction.text(inSigned: jws) {
                return reading(ofNotified: inner).after(repairs)
            }
            return .proof(ReadProof(.signedTransaction(String(decoding: jws, as: UTF8.self)), repairs: repairs))
        }
        // Its space isn't a `+` of base64.
        if layers > 0, let inner = LabelledText.bearer(trimmed) {
            return reading(of: inner, layers: layers - 1).after([.bearer]).or(UnusableForm(trimmed))
        }
        if let base64 = Base64Repair.mend(text) {
            return reading(of: base64, layers: layers).or(UnusableForm(trimmed))
        }
        return unwrapped(trimmed, layers: layers).or(UnusableForm(trimmed))
    }

    private func reading(of base64: Base64Repair, layers: Int) -> Reading {
        guard let head = Base64.decode(unpadded: base64.symbols.prefix(8), as: .standard) else { return .unknown(nil) }
        switch (head[0], head[1]) {
        case (0x30, 0x82), (0x30, 0x83):
            return .proof(ReadProof(.appReceipt(base64.padded), repairs: base64.repairs))
        case (0x30, 0x80):
            guard let receipt = Base64.decode(unpadded: base64.symbols[...], as: .standard) else { return .unknown(nil) }
            return .refused(IndefiniteReceipt.reason(against: receipt))
        default:
            // Most text that is no proof decodes to noise, which costs no more time.
            guard head.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0.isWhitespace }),
                let inner = Base64.decode(unpadded: base64.symbols[...], as: .standard)
            else { return .unknown(nil) }
            if UnusableForm.isTransactionReceipt(inner[...]) { return .unknown(.transactionReceipt) }
            guard layers > 0 else { return .unknown(nil) }
            return reading(of: inner[...], layers: layers - 1).after(base64.repairs + [.base64])
        }
    }

    /// The transaction in a notification, which is signed by itself.
    func reading(ofNotified text: [UInt8]) -> Reading {
        let found = reading(of: text[...], layers: 0)
        guard case .proof(let proof) = found, case .signedTransaction(let jws) = proof.proof,
            NotifiedTransaction.text(inSigned: Array(jws.utf8)[...]) == nil
        else { return .unknown(.notification) }
        return found.after([.notification])
    }

    /// A receipt whose bytes came without base64.
    private func encoding(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard (bytes.count + 2) / 3 * 4 <= limits.proofBytes else { return .refused(.proofTooLarge) }
        return .proof(ReadProof(.appReceipt(Data(bytes).base64EncodedString()), repairs: [.unencodedReceipt]))
    }
}

extension ProofReader.Reading {
    /// The same reading after repairs that came first.
    func after(_ repairs: [ProofRepair]) -> Self {
        guard case .proof(let found) = self, !repairs.isEmpty else { return self }
        return .proof(ReadProof(found.proof, repairs: repairs + found.repairs.filter { !repairs.contains($0) }))
    }

    /// The same reading; of something unknown, another form where it has none.
    func or(_ form: @autoclosure () -> UnusableForm?) -> Self {
        if case .unknown(nil) = self { .unknown(form()) } else { self }
    }
}
