// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import X509

/// A certificate chain that Apple's roots vouch for, with what is needed to judge it again at another time.
final class ValidatedChain: Sendable {
    let leafKey: LeafKey
    let anchor: TrustAnchors.Anchor

    /// When leaf and intermediate are valid, ends included.
    private let validity: ClosedRange<Date>

    /// When the root is valid. A trusted root that has expired is odd, and nothing worse: it is trusted because it is pinned.
    private let rootValidity: ClosedRange<Date>

    private let oddities: [String]

    /// - Parameters:
    ///   - certificates: leaf, intermediate and root.
    ///   - oddities: what of the chain Apple's chains never had so far, at any time; see ``AppStoreChainPolicy``.
    /// - Returns: nil when no moment is in the validity of both leaf and intermediate, or none is in that of the root.
    init?(leafKey: LeafKey, anchor: TrustAnchors.Anchor, certificates: [Certificate], oddities: [String] = []) {
        guard certificates.count == 3, let validity = Self.validity(of: certificates[..<2]),
            let rootValidity = Self.validity(of: certificates[2...])
        else { return nil }
        self.leafKey = leafKey
        self.anchor = anchor
        self.validity = validity
        self.rootValidity = rootValidity
        self.oddities = oddities
    }

    /// Whether leaf and intermediate were valid at a moment; true where the moment can't be read.
    func isValid(at date: Date?) -> Bool {
        date.map { validity.contains($0.wholeSecond) } ?? true
    }

    /// Whether it is odd at any moment.
    var isOdd: Bool { !oddities.isEmpty }

    /// The chain's oddities at a moment. Each leaves a genuine text to an operator. See ``OddProof/faults``.
    func faults(at date: Date?) -> [String] {
        guard let date, !rootValidity.contains(date.wholeSecond) else { return oddities }
        return oddities + ["root certificate was not valid then"]
    }

    private static func validity(of certificates: ArraySlice<Certificate>) -> ClosedRange<Date>? {
        let start = certificates.map(\.notValidBefore).max() ?? .distantFuture
        let end = certificates.map(\.notValidAfter).min() ?? .distantPast
        return start <= end ? start...end : nil
    }
}

extension Date {
    /// The moment without fractions of a second, of which X.509 knows none: a certificate is valid through its last one.
    var wholeSecond: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}

/// The key of a leaf certificate, of one of the kinds that App Store data is, or may be, signed with.
enum LeafKey: Sendable {
    /// Signed transactions.
    case p256(P256.Signing.PublicKey)
    /// No data of Apple's so far; receipts may have it one day.
    case p384(P384.Signing.PublicKey)
    /// App receipts; of 2048 bits or more.
    case rsa(_RSA.Signing.PublicKey)

    /// Nil for a key of any other kind.
    init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = _RSA.Signing.PublicKey(key) {
            self = .rsa(key)
        } else if let key = P384.Signing.PublicKey(key) {
            self = .p384(key)
        } else {
            return nil
        }
    }
}
