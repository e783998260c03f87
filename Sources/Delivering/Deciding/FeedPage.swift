// SPDX-License-Identifier: Apache-2.0

package import Postgres

/// A page of the feed, and what a reader does with it. Never empty.
package struct FeedPage: Sendable, Equatable {
    /// When the page was read, seen from the database before the read.
    package struct Moment: Sendable, Equatable {
        package let at: PostgresTimestamp
        /// The number that the next database transaction had got.
        package let nextXid: String

        package init(at: PostgresTimestamp, nextXid: String) {
            self.at = at
            self.nextXid = nextXid
        }
    }

    /// The cursor that it was read with.
    package let cursor: String
    package let moment: Moment
    /// In the feed's order.
    package let changes: [FeedChange]
    /// The read brought as many changes as it may: more may follow.
    package let isFull: Bool
    private let selection: ChangeSelection

    /// - Returns: nil without changes.
    package init?(cursor: String, moment: Moment, changes: [FeedChange], isFull: Bool, selection: ChangeSelection) {
        guard !changes.isEmpty else { return nil }
        self.cursor = cursor
        self.moment = moment
        self.changes = changes
        self.isFull = isFull
        self.selection = selection
    }

    package var nextCursor: String { changes[changes.count - 1].nextCursor }
    package var lastAt: PostgresTimestamp { changes.map(\.at).max() ?? moment.at }

    private var wanted: [FeedChange] { changes.filter { selection.contains($0) && !$0.isTold } }

    /// The changes to wait behind an earlier one of their key.
    package var waits: [FeedChange] { wanted.filter(\.isHeld) }

    /// The changes to deliver, by account: two that lock the same rows of a shop lock them in one order. Those of one key keep
    /// their own order.
    package var calls: [FeedChange] {
        let changes = wanted.filter { !$0.isHeld }
        // A key counts by the account of its first change, whatever the others name.
        var accounts: [String: String] = [:]
        for change in changes where accounts[change.key] == nil { accounts[change.key] = change.accountID ?? "" }
        return changes.sorted { (accounts[$0.key] ?? "", $0.id) < (accounts[$1.key] ?? "", $1.id) }
    }

    /// The changes that its database transaction settles.
    package var ids: [Int64] { wanted.map(\.id) }

    /// The page change by change: each part ends with one change to settle, and the last part may have none.
    package var parts: [FeedPart] {
        var parts: [FeedPart] = []
        var cursor = cursor
        var lastAt = PostgresTimestamp.distantPast
        for (place, change) in changes.enumerated() {
            lastAt = max(lastAt, change.at)
            let isWanted = selection.contains(change) && !change.isTold
            guard isWanted || place == changes.count - 1 else { continue }
            parts.append(
                FeedPart(
                    cursor: cursor, nextCursor: change.nextCursor, change: isWanted ? change : nil, lastAt: lastAt, moment: moment))
            cursor = change.nextCursor
        }
        return parts
    }
}

/// One change of a page that failed, with those before it that nobody wants.
package struct FeedPart: Sendable, Equatable {
    /// The cursor before it.
    package let cursor: String
    /// The cursor after it.
    package let nextCursor: String
    /// Nil where nobody wants any.
    package let change: FeedChange?
    package let lastAt: PostgresTimestamp
    package let moment: FeedPage.Moment
}
