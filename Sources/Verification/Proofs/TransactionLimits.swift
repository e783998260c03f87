// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the database can keep of a verified transaction. Ids that the shop chose are in the database already.
package enum TransactionLimits {
    /// The length of a transaction id, an original id, a web order line item id or a product id, in characters as PostgreSQL
    /// counts them (Unicode scalars). Apple's ids are shorter; a longer one may not fit into a row of an index.
    package static let idLength = 1...128

    /// The length of a bundle id, in the same characters, as the table of apps has it.
    package static let bundleIDLength = 1...155

    /// Units: what the ledger's column, a 4-byte integer, holds.
    package static let quantity = 1...Int(Int32.max)

    /// Seconds since 1970: from the first day of a `timestamptz`, in 4714 BC, to the last moment whose microseconds since 1970 are
    /// an 8-byte integer, in the year 294247.
    package static let time = -210_866_803_200.0...9_223_372_036_854.0

    /// Whether an id can be kept: its length is within `length`, and all of its characters are printable.
    static func allows(_ id: String, length: ClosedRange<Int>) -> Bool {
        let bytes = id.utf8
        // Nearly every id: no look-up of properties.
        if bytes.count <= length.upperBound, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return bytes.count >= length.lowerBound
        }
        let characters = id.unicodeScalars
        return length.contains(characters.count) && characters.allSatisfy(isPrintable)
    }

    /// Whether a transaction's id, an original's or a product's can be kept.
    package static func isStorable(id: String) -> Bool {
        allows(id, length: idLength)
    }

    static func allows(_ date: Date) -> Bool {
        time.contains(date.timeIntervalSince1970)
    }

    /// Letters, marks, numbers, punctuation, symbols and spaces. All else has no shape of its own: control characters (PostgreSQL's
    /// text holds no NUL), invisible ones by which two different ids look the same, ends of lines, and code points without a
    /// meaning.
    private static func isPrintable(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
