// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension Collection<UInt8> {
    /// Base64 with the URL alphabet and without padding, as the parts of a JWS are written (RFC 7515, section 2).
    var base64URL: String {
        String(
            decoding: Data(self).base64EncodedString().utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            },
            as: UTF8.self
        )
    }
}
