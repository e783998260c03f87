// SPDX-License-Identifier: Apache-2.0

package import Postgres

/// A change of the feed, as far as a reader that delivers decides by it.
package struct FeedChange: Sendable, Equatable {
    package let id: Int64
    package let at: PostgresTimestamp
    package let kind: String
    /// Changes of one key are delivered in their order. The key names the order; without one, the payment; without both, the
    /// account.
    package let key: String
    package let accountID: String?
    package let bundleID: String?
    /// The cursor to go on with after it.
    package let nextCursor: String
    /// It was told before the reader began anew.
    package let isTold: Bool
    /// An earlier change of its key waits.
    package let isHeld: Bool
    /// All of it, as JSON.
    package let json: String

    package init(
        id: Int64, at: PostgresTimestamp, kind: String, key: String, accountID: String?, bundleID: String?, nextCursor: String,
        isTold: Bool = false, isHeld: Bool = false, json: String
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.key = key
        self.accountID = accountID
        self.bundleID = bundleID
        self.nextCursor = nextCursor
        self.isTold = isTold
        self.isHeld = isHeld
        self.json = json
    }
}

/// The changes that a reader delivers; it passes over all others.
package struct ChangeSelection: Sendable, Equatable {
    /// Nil: all.
    package var kinds: Set<String>?
    /// Nil: of all apps.
    package var bundleIDs: Set<String>?

    package init(kinds: Set<String>? = nil, bundleIDs: Set<String>? = nil) {
        self.kinds = kinds
        self.bundleIDs = bundleIDs
    }

    func contains(_ change: FeedChange) -> Bool {
        if let kinds, !kinds.contains(change.kind) { return false }
        guard let bundleIDs else { return true }
        return change.bundleID.map(bundleIDs.contains) ?? false
    }
}
