// SPDX-License-Identifier: Apache-2.0

import Verification

/// A part of a path that came from outside and can't lead anywhere else: nothing in it needs an escape, and it is
/// neither empty nor `.` nor `..`.
struct PathSegment: Hashable, Sendable {
    /// Longest transaction id that Apple is asked about. Apple's have 15 or 16 digits.
    static let longestTransactionID = 32

    /// Longest order id or token taken. Apple's have about 10 and 50 characters.
    static let longestToken = 128

    let text: String

    /// A transaction id: digits; nil for anything else.
    init?(_ id: TransactionID) {
        let digits = id.rawValue.utf8
        guard (1...Self.longestTransactionID).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        text = id.rawValue
    }

    /// One of Apple's opaque texts: letters, digits, hyphens and underscores; nil for anything else.
    init?(token: String) {
        let bytes = token.utf8
        guard (1...Self.longestToken).contains(bytes.count),
            bytes.allSatisfy(\.isBase64URLSymbol)
        else { return nil }
        text = token
    }
}
