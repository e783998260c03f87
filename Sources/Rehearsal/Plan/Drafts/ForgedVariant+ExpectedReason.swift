// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import Verification

extension ForgedVariant {
    /// What the queue has to say of a transaction that is forged in this way; nil for what is no forgery: ``forgeries``.
    package var expectedReason: Reason? {
        switch self {
        case .replacedRoot: nil
        case .foreignRoot, .reversedCertificates,
            // A root of the operator's speaks for named apps only.
            .payloadNotJSON:
            .untrustedRoot
        case .wrongLeafOID, .missingLeafOID, .wrongIntermediateOID, .missingIntermediateOID, .expiredLeaf,
            .notYetValidLeaf, .expiredIntermediate, .intermediateNotCA, .leafSignedByRoot, .x5cNotCertificates:
            .badCertificate
        case .payloadSwapped, .signatureByOtherKey:
            .badSignature
        case .xcodeEnvironment, .localTestingEnvironment, .xcodeSigned:
            .unsupportedEnvironment
        case .selfSigned, .twoCertificates, .fourCertificates, .x5cBase64URL, .x5cNotBase64, .x5cMissing,
            .x5cEmpty, .algNone, .algHS256, .algRS256, .algMissing, .leafKeyOnP384, .signatureTruncated, .signatureDER,
            .emptyHeader, .emptyPayload, .emptySignature, .twoParts, .fourParts, .headerNotJSON:
            .malformedProof
        }
    }
}
