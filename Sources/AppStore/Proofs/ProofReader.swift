// SPDX-License-Identifier: Apache-2.0

package import Verification

/// Recognises what a client handed over and mends damage that is known to be harmless.
///
/// Nothing is verified here and nobody is asked: what comes out is a claim in a known form. The work is linear in the
/// length of the text, whatever is in it.
package struct ProofReader: Sendable {
    package let limits: ProofLimits

    package init(limits: ProofLimits = ProofLimits()) {
        self.limits = limits
    }

    /// The proof in a text.
    ///
    /// Mended are: white space around it, line ends inside it, and in base64 spaces that were `+` before a form's
    /// encoding, the letters `-` and `_`, and missing padding.
    ///
    /// - Throws: `Reason/proofTooLarge`; for a receipt in BER's indefinite lengths `Reason/unsupportedEnvironment` if it says that it
    ///   is Xcode's, and `Reason/unsupportedEncoding` if not; `Reason/malformedProof` for all else that is no proof.
    package func read(_ text: String) throws(Reason) -> Proof {
        guard text.utf8.count <= limits.proofBytes else { throw .proofTooLarge }
        return try read(Array(text.utf8)[...], unwraps: limits.unwrapsDoubleBase64)
    }

    private func read(_ text: ArraySlice<UInt8>, unwraps: Bool) throws(Reason) -> Proof {
        let trimmed = text.trimmingWhitespace()
        guard !trimmed.isEmpty, !isUUID(trimmed) else { throw .malformedProof }
        if trimmed.allSatisfy(\.isDigit) {
            guard trimmed.count <= 20 else { throw .malformedProof }
            return .transactionID(TransactionID(rawValue: String(decoding: trimmed, as: UTF8.self)))
        }
        if trimmed.contains(CompactJWS.separator) {
            return try readSignedTransaction(trimmed)
        }
        return try readBase64(text, unwraps: unwraps)
    }

    /// Three parts of base64url, the first of which begins as the JSON object `{"…` does.
    private func readSignedTransaction(_ text: ArraySlice<UInt8>) throws(Reason) -> Proof {
        guard text.count <= limits.signedTransactionBytes else { throw .proofTooLarge }
        let jws = text.contains(where: \.isLineEnd) ? text.filter { !$0.isLineEnd }[...] : text
        guard jws.starts(with: "eyJ".utf8), CompactJWS.hasShape(jws) else { throw .malformedProof }
        return .signedTransaction(String(decoding: jws, as: UTF8.self))
    }

    private func readBase64(_ text: ArraySlice<UInt8>, unwraps: Bool) throws(Reason) -> Proof {
        guard let mended = Base64Repair.mend(text), let head = Base64.decode(unpadded: mended.prefix(8), as: .standard)
        else { throw .malformedProof }
        switch (head[0], head[1]) {
        case (0x30, 0x82), (0x30, 0x83):
            return .appReceipt(Base64Repair.padded(mended))
        case (0x30, 0x80):
            guard let receipt = Base64.decode(unpadded: mended[...], as: .standard) else { throw .malformedProof }
            throw IndefiniteReceipt.reason(against: receipt)
        case (UInt8(ascii: "{"), _):
            guard let plist = Base64.decode(unpadded: mended[...], as: .standard), TransactionReceipt.hasShape(plist)
            else { throw .malformedProof }
            return .transactionReceipt(Base64Repair.padded(mended))
        case _ where unwraps && looksEncoded(head):
            guard let inner = Base64.decode(unpadded: mended[...], as: .standard) else { throw .malformedProof }
            return try read(inner[...], unwraps: false)
        default:
            throw .malformedProof
        }
    }

    /// Whether decoded bytes begin as one of the encoded forms does: the text was encoded twice.
    private func looksEncoded(_ head: [UInt8]) -> Bool {
        ["MII", "MIM", "MIA", "ewo", "eyJ"].contains { head.starts(with: $0.utf8) }
    }

    /// Purchase fakers on jailbroken devices make up transaction ids of this form; Apple's are digits.
    private func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        return zip(0..., text).allSatisfy { position, byte in
            switch position {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte.isHexDigit
            }
        }
    }
}
