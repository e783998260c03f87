// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Verification

/// A signed transaction in the right form: three parts, ES256, three certificates, a payload with a transaction id.
///
/// Untrusted until a validated chain has vouched for it. A class, because it is kept across a suspension.
final class SignedTransaction: Sendable {
    private struct Header: Decodable {
        let alg: String
        let x5c: [String]

        /// Extensions that a reader must understand (RFC 7515, 4.1.11). Apple uses none, so we understand none.
        let crit: [String]?
    }

    let payload: SignedTransactionPayload

    /// DER of leaf, intermediate and root, as the header claims them.
    let certificates: [[UInt8]]

    private let signingInput: ArraySlice<UInt8>
    private let signature: [UInt8]

    /// - Throws: `Reason/malformedProof`, before any cryptography.
    init(_ text: String) throws(Reason) {
        guard let jws = CompactJWS(text),
            let header = try? JSONDecoder().decode(Header.self, from: Data(jws.header)),
            header.alg == "ES256", header.x5c.count == 3, header.crit == nil,
            let payload = try? JSONDecoder().decode(SignedTransactionPayload.self, from: Data(jws.payload)),
            let id = payload.transactionId.value, !id.isEmpty
        else { throw .malformedProof }
        // Unlike the parts of the JWS, these are standard base64 with padding (RFC 7515, 4.1.6).
        let certificates = header.x5c.compactMap { Base64.decode(padded: Array($0.utf8)[...], as: .standard) }
        guard certificates.count == 3 else { throw .malformedProof }
        self.payload = payload
        self.certificates = certificates
        self.signingInput = jws.signingInput
        self.signature = jws.signature
    }

    /// The transaction, if the chain's leaf signed it and the chain's root may speak for its app.
    ///
    /// - Throws: `Reason/untrustedRoot`, `Reason/badSignature`, `Reason/unsupportedEnvironment`, or
    ///   `Reason/unknownAnswer`.
    func transactions(verifiedBy chain: ValidatedChain) throws(Reason) -> VerifiedTransactions {
        guard chain.anchor.covers(payload.bundleId.value.map(BundleID.init(rawValue:))) else { throw .untrustedRoot }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            chain.leafKey.isValidSignature(signature, for: SHA256.hash(data: signingInput))
        else { throw .badSignature }
        guard let environment = payload.storeEnvironment else { throw .unsupportedEnvironment }
        guard let transaction = payload.transaction(in: environment) else { throw .unknownAnswer }
        return VerifiedTransactions([transaction], mayBeIncomplete: false)
    }
}
