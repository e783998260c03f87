// SPDX-License-Identifier: Apache-2.0

import Crypto

/// SHA-256 of a certificate's DER: the certificate's name for the purpose of trust.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// The fingerprint of a certificate.
    package init(of der: [UInt8]) {
        bytes = Array(SHA256.hash(data: der))
    }

    /// A fingerprint written as 64 lowercase hexadecimal digits.
    init(hex: StaticString) {
        let digits = String(describing: hex)
        precondition(digits.utf8.count == 64, "a SHA-256 fingerprint has 64 digits")
        bytes = stride(from: 0, to: 64, by: 2).map { position in
            guard let byte = UInt8(digits.dropFirst(position).prefix(2), radix: 16) else {
                preconditionFailure("a fingerprint in the code is not hexadecimal")
            }
            return byte
        }
    }

    /// 64 lowercase hexadecimal digits.
    package var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
