// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import X509

/// The header of a compact JWS as Apple writes it: the algorithm and the certificates, nothing more.
struct ProtectedHeader {
    var algorithm: String? = "ES256"
    /// The entries of `x5c`: standard base64 of DER, leaf first (RFC 7515, section 4.1.6); nil leaves the field out.
    var certificates: [String]?

    init(certificates: [Certificate]) throws {
        self.certificates = try certificates.map { try Data($0.derBytes).base64EncodedString() }
    }

    /// The header's JSON, base64url-encoded.
    var encoded: String {
        var json = JSONWriter()
        json.object { json in
            json.field("alg", algorithm)
            if let certificates {
                json.key("x5c")
                json.strings(certificates)
            }
        }
        return json.bytes.base64URL
    }
}
