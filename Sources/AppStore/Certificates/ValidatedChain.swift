// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import X509

/// A certificate chain that passed every check, with what is needed to judge it again at another time.
final class ValidatedChain: Sendable {
    let leafKey: LeafKey
    let anchor: TrustAnchors.Anchor

    /// When all of the chain's certificates are valid, ends included.
    private let validity: ClosedRange<Date>

    /// Nil when no moment is in the validity of all three certificates.
    init?(leafKey: LeafKey, anchor: TrustAnchors.Anchor, certificates: [Certificate]) {
        let start = certificates.map(\.notValidBefore).max() ?? .distantFuture
        let end = certificates.map(\.notValidAfter).min() ?? .distantPast
        guard start <= end else { return nil }
        self.leafKey = leafKey
        self.anchor = anchor
        self.validity = start...end
    }

    /// Whether every certificate was valid at a moment; true where the moment can't be read.
    func isValid(at date: Date?) -> Bool {
        date.map { validity.contains($0.wholeSecond) } ?? true
    }
}

extension Date {
    /// The moment without fractions of a second, of which X.509 knows none: a certificate is valid through its last one.
    var wholeSecond: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}

/// The key of a leaf certificate, of one of the two kinds that App Store data is signed with.
enum LeafKey: Sendable {
    /// Signed transactions.
    case p256(P256.Signing.PublicKey)
    /// App receipts; of 2048 bits or more.
    case rsa(_RSA.Signing.PublicKey)

    /// Nil for a key of any other kind.
    init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = _RSA.Signing.PublicKey(key) {
            self = .rsa(key)
        } else {
            return nil
        }
    }
}
