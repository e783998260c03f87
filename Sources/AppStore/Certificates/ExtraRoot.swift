// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
package import Verification
import X509

/// A root certificate that the operator trusts beside Apple's, for named apps only: a test CA, or a root that Apple
/// will use one day.
package struct ExtraRoot: Sendable {
    /// The certificate's DER.
    let der: [UInt8]

    /// The apps whose transactions it may vouch for.
    package let bundleIDs: Set<BundleID>

    /// Takes a certificate in DER, or one in PEM.
    ///
    /// - Throws: when the bytes are no certificate, or no app is named.
    package init(certificate bytes: [UInt8], bundleIDs: Set<BundleID>) throws(AppStoreConfigurationError) {
        guard !bundleIDs.isEmpty else {
            throw AppStoreConfigurationError("an extra root certificate must be bound to at least one app")
        }
        guard let der = Self.der(of: bytes), (try? Certificate(derEncoded: der)) != nil else {
            throw AppStoreConfigurationError("an extra root is not a certificate in DER or PEM")
        }
        self.der = der
        self.bundleIDs = bundleIDs
    }

    /// SHA-256 of the certificate's DER.
    package var fingerprint: Fingerprint { Fingerprint(of: der) }

    /// Reads the certificate from a file in DER or PEM.
    ///
    /// - Throws: when the file can't be read or holds no certificate; the message names the file.
    package init(file path: String, bundleIDs: Set<BundleID>) throws(AppStoreConfigurationError) {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw AppStoreConfigurationError("the extra root certificate \(path) can't be read")
        }
        do {
            try self.init(certificate: Array(contents), bundleIDs: bundleIDs)
        } catch {
            throw AppStoreConfigurationError("\(path): \(error)")
        }
    }

    private static func der(of bytes: [UInt8]) -> [UInt8]? {
        guard bytes.starts(with: "-----BEGIN".utf8) else { return bytes }
        return try? PEMDocument(pemString: String(decoding: bytes, as: UTF8.self)).derBytes
    }
}
