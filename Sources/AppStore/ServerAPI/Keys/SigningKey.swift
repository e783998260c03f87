// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A private key on P-256 that signs tokens. Printing it, in any way, shows that there is one and not which.
struct SigningKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    private let key: P256.Signing.PrivateKey

    /// The public half, which is no secret.
    let publicKey: [UInt8]

    /// Takes a `.p8` file's text, as App Store Connect hands it out once: PEM around PKCS#8. White space of any kind may
    /// stand around and inside the base64, because it gets lost or added when keys are copied.
    ///
    /// - Returns: nil when it is no such key.
    init?(pem: String) {
        let text = Array(pem.utf8)[...].trimmingWhitespace()
        guard text.starts(with: Self.begin.utf8), text.reversed().starts(with: Self.end.utf8.reversed()),
            text.count > Self.begin.utf8.count + Self.end.utf8.count
        else { return nil }
        let symbols = text.dropFirst(Self.begin.utf8.count).dropLast(Self.end.utf8.count).filter { !$0.isWhitespace }
        guard let der = Base64.decode(padded: symbols[...], as: .standard),
            let key = try? P256.Signing.PrivateKey(derRepresentation: der)
        else { return nil }
        self.key = key
        publicKey = Array(key.publicKey.rawRepresentation)
    }

    /// ES256's signature: r and s, 64 bytes (RFC 7518, 3.4). A different one at each call.
    ///
    /// - Returns: nil when the cryptographic library fails, which it has no reason to.
    func signature(over bytes: [UInt8]) -> [UInt8]? {
        (try? key.signature(for: bytes)).map { Array($0.rawRepresentation) }
    }

    var description: String { "(a signing key)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
