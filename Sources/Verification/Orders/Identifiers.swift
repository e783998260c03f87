// SPDX-License-Identifier: Apache-2.0

/// An order, named by the shop: unique over all apps, 1 to 200 characters.
package struct OrderID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The database's own number for an order: the ledger, the history and the feed name the order by it.
package struct OrderNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A job's row in the queue.
package struct JobID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (left: JobID, right: JobID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A lane: the gate of one app, route and environment that jobs pass.
package struct LaneID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

extension TransactionID {
    /// Longest id. Apple's have 15 or 16 digits.
    private static let longest = 32

    /// The id that a client named beside its proof. Nil for any other text: Apple's ids are digits, and never all zeros.
    package init?(hint: String) {
        let digits = hint.utf8
        guard (1...Self.longest).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.contains(where: { $0 != 0x30 })
        else { return nil }
        self.init(rawValue: hint)
    }
}

/// An app, by the bundle id that Apple signs into every transaction.
package struct BundleID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A product of an app, as configured at Apple.
package struct ProductID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The shop's name for the customer who placed an order.
package struct AccountID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Apple's name for one transaction: digits, kept as text and never as a number.
package struct TransactionID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Apple's name for who bought in an app (`appTransactionId`): the same for all that one Apple account bought there.
package struct CustomerID: Hashable, Sendable {
    package let rawValue: String

    /// Nil for a text that the database can't keep: ``TransactionLimits/idLength``.
    package init?(_ text: String) {
        guard TransactionLimits.allows(text, length: TransactionLimits.idLength) else { return nil }
        rawValue = text
    }
}

/// A row of the table of notifications.
package struct NotificationID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
