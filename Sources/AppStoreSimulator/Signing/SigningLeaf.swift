// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Synchronization
import X509

/// A leaf that signs transactions, with the certificates above it.
struct SigningLeaf: Sendable {
    let identity: SigningIdentity
    /// From when on it signs.
    let begin: Date
    /// The protected header of honest data, already encoded; it is the same each time.
    let header: String

    /// - Parameter authorities: the intermediate and the root.
    init(
        issuedBy intermediate: Certificate.PrivateKey, below authorities: [Certificate], validity: ClosedRange<Date>,
        signsFrom begin: Date
    ) throws {
        let key = P256.Signing.PrivateKey()
        let leaf = try CertificateRecipe(
            .leaf, key: Certificate.PublicKey(key.publicKey), issuedBy: .intermediate, with: intermediate, validity: validity
        ).makeCertificate()
        identity = SigningIdentity(key: .p256(key), certificates: [leaf] + authorities)
        self.begin = begin
        header = try ProtectedHeader(certificates: identity.certificates).encoded
    }
}

/// The leaves of an authority, one after the other.
///
/// A class, because all copies of an authority sign with the same leaves.
final class LeafSuccession: Sendable {
    private struct State {
        var first: SigningLeaf
        /// Those after the first, by the moment from which they sign.
        var later: [SigningLeaf] = []
    }

    private let state: Mutex<State>

    init(_ first: SigningLeaf) {
        state = Mutex(State(first: first))
    }

    var newest: SigningLeaf {
        state.withLock { $0.later.last ?? $0.first }
    }

    func append(_ leaf: SigningLeaf) {
        state.withLock { state in
            let place = state.later.firstIndex { $0.begin > leaf.begin } ?? state.later.endIndex
            state.later.insert(leaf, at: place)
        }
    }

    /// The last leaf that signed by then; the first for what is older.
    func leaf(at date: Date) -> SigningLeaf {
        state.withLock { state in
            state.later.last { $0.begin <= date } ?? state.first
        }
    }
}
