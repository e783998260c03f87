// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// The keys of all accounts in the simulated store; each account has one that counts.
final class KeyRing: Sendable {
    private let keys = Mutex<[String: SimulatedAPIKey]>([:])

    /// The key of an account, made when it is first asked for.
    func key(ofAccount account: String) -> SimulatedAPIKey {
        keys.withLock { keys in
            if let key = keys[account] { return key }
            let key = SimulatedAPIKey(issuerID: UUID().uuidString.lowercased())
            keys[account] = key
            return key
        }
    }

    /// Takes an account's key out of use, as if it had been revoked, and makes it another one with the same issuer.
    func replaceKey(ofAccount account: String) -> SimulatedAPIKey {
        keys.withLock { keys in
            let issuer = keys[account]?.issuerID ?? UUID().uuidString.lowercased()
            let key = SimulatedAPIKey(issuerID: issuer)
            keys[account] = key
            return key
        }
    }

    /// The account and key that a key id belongs to; nil when it is nobody's, or was replaced.
    func find(keyID: String) -> (account: String, key: SimulatedAPIKey)? {
        keys.withLock { keys in
            keys.first { $0.value.keyID == keyID }.map { ($0.key, $0.value) }
        }
    }
}
