// SPDX-License-Identifier: Apache-2.0

import Crypto
import Verification

/// Digests of credentials, by which the workers' shared state names them.
///
/// A plain SHA-256 gives nothing away: Apple's shared secrets are 32 random hexadecimal digits, too many to try, and of a key only
/// the public half goes in. The app's name goes in too, so that apps with one credential in common don't show that they have.
extension CredentialStore {
    /// Of an app that goes without a secret, the digest of none; nil if the secret's file is unusable.
    func digestOfSharedSecret(for bundleID: BundleID) -> CredentialDigest? {
        do {
            let secret = try sharedSecret(for: bundleID)
            return CredentialDigest(of: secret == nil ? "no shared secret" : "shared secret", bundleID, secret?.text ?? "")
        } catch {
            return nil
        }
    }

    /// Nil if there is no key, or an unusable one.
    func digestOfServerAPIKey(for bundleID: BundleID) -> CredentialDigest? {
        guard let key = try? serverAPIKey(for: bundleID) else { return nil }
        return CredentialDigest(of: "server API key", bundleID, key.issuerID, key.keyID, bytes: key.signingKey.publicKey)
    }
}

extension CredentialDigest {
    fileprivate init(of kind: String, _ bundleID: BundleID, _ texts: String..., bytes: [UInt8] = []) {
        var hash = SHA256()
        for text in [kind, bundleID.rawValue] + texts {
            hash.update(data: Array(text.utf8))
            // No text of them holds a zero.
            hash.update(data: [0])
        }
        hash.update(data: bytes)
        self.init(Array(hash.finalize()))
    }
}
