// SPDX-License-Identifier: Apache-2.0

import Crypto

/// What a chain is remembered by: SHA-256 over its certificates, each preceded by its length.
struct CertificatesDigest: Hashable, Sendable {
    private let digest: SHA256Digest

    init(_ certificates: [[UInt8]]) {
        var hash = SHA256()
        for der in certificates {
            withUnsafeBytes(of: UInt64(der.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: der)
        }
        digest = hash.finalize()
    }
}
