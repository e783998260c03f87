// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The protected header of a signed transaction in the right form: ES256 and three certificates. Nothing in it is
/// believed yet.
struct SignedTransactionHeader {
    private struct Fields: Decodable {
        let alg: String
        let x5c: [String]

        /// Extensions that a reader must understand (RFC 7515, 4.1.11). Apple uses none, so we understand none.
        let crit: [String]?
    }

    /// DER of leaf, intermediate and root, as the header claims them.
    let certificates: [[UInt8]]

    /// Reads the first part of a compact JWS.
    ///
    /// - Throws: `Reason/malformedProof`.
    init(encoded: ArraySlice<UInt8>) throws(Reason) {
        guard let json = Base64.decode(unpadded: encoded, as: .url),
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(json)),
            fields.alg == "ES256", fields.x5c.count == 3, fields.crit == nil
        else { throw .malformedProof }
        // Unlike the parts of the JWS, these are standard base64 with padding (RFC 7515, 4.1.6).
        certificates = fields.x5c.compactMap { Base64.decode(padded: Array($0.utf8)[...], as: .standard) }
        guard certificates.count == 3 else { throw .malformedProof }
    }
}
