// SPDX-License-Identifier: Apache-2.0

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

    /// Whether every certificate was valid at a moment.
    func isValid(at date: Date) -> Bool {
        validity.contains(date.wholeSecond)
    }
}

extension Date {
    /// The moment without fractions of a second, of which X.509 knows none: a certificate is valid through its last one.
    var wholeSecond: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}
