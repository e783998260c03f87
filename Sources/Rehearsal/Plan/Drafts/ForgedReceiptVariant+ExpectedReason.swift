// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import Verification

extension ForgedReceiptVariant {
    /// What the queue has to say of a receipt that is forged in this way, where it verifies receipts itself; nil for what is no
    /// forgery: ``forgeries``.
    package var expectedReason: Reason? {
        switch self {
        case .replacedRoot, .algorithmECDSA, .algorithmOfOtherDigest, .digestNotListed, .twoSigners, .signerByKeyIdentifier: nil
        case .foreignRoot,
            // A root of the operator's speaks for named apps only.
            .contentNotAttributes:
            .untrustedRoot
        case .wrongLeafOID, .missingLeafOID, .wrongIntermediateOID, .missingIntermediateOID, .selfSigned, .twoCertificates,
            .fourCertificates, .expiredLeaf, .notYetValidLeaf, .expiredIntermediate, .intermediateNotCA, .leafSignedByRoot,
            .signedByIntermediate, .certificatesNotCertificates, .leafKeyOnP256, .signerWithoutCertificate:
            .badCertificate
        case .digestMisnamed, .signaturePSS, .contentReplaced, .signatureByOtherKey, .signatureTruncated,
            .signatureEmpty, .attributesOfOtherContent, .attributesOfOtherType, .attributesNotSigned,
            .attributesSignedAsTagged:
            .badSignature
        case .xcodeType, .xcodeSigned:
            .unsupportedEnvironment
        case .noCertificates, .digestSHA224, .noSigners, .attributesWithoutDigest, .attributesWithoutType,
            .attributesWithTwoDigests, .contentAsAttributes, .contentDetached, .contentOfOtherType, .bytesAfterEnd:
            .malformedProof
        }
    }
}
