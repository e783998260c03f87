// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Apple's word that a payment was refunded, wholly or in part, or that its family sharing ended.
package struct Revocation: Hashable, Sendable {
    /// How much of the payment went back, over all refunds of it so far.
    package enum Share: Hashable, Sendable {
        case whole
        /// Thousandths of a percent, 1 to 99999.
        case part(Int)
        /// Apple's words don't add up to a share. It never counts as the whole.
        case unknown
    }

    /// Whose word it is. Only a signed transaction knows of partial refunds.
    package enum Source: Hashable, Sendable {
        case signedTransaction
        /// The cancellation in an app receipt, or in an answer of verifyReceipt.
        case receipt
        case `operator`
    }

    package var source: Source

    /// When it happened; nil where Apple gives a type, a reason or seats alone.
    package var date: Date?
    package var share: Share

    /// In Apple's words: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`, and whatever Apple adds.
    package var type: String?

    /// 1 for a problem with the app, 0 for anything else.
    package var reason: Int?

    /// Seats of a subscription that were refunded, out of those that the transaction covers.
    package var seats: Int

    /// The time for which Apple said it: `signedDate` of a signed transaction, the creation date of a receipt, the request date of
    /// an answer of verifyReceipt. Nil where none is named.
    package var asOf: Date?

    package init(
        _ source: Source, date: Date?, share: Share, type: String? = nil, reason: Int? = nil, seats: Int = 0, asOf: Date? = nil
    ) {
        self.source = source
        self.date = date
        self.share = share
        self.type = type
        self.reason = reason
        self.seats = seats
        self.asOf = asOf
    }

    /// A refund of the whole payment, by the word of somebody who knows no share.
    package static func whole(_ date: Date, by source: Source, asOf: Date? = nil) -> Revocation {
        Revocation(source, date: date, share: .whole, asOf: asOf)
    }
}

extension Revocation.Share {
    /// The share that the fields of a signed transaction say.
    ///
    /// Without a date, the share is unknown. With one:
    ///
    /// | `revocationPercentage` | `revocationType` | Share |
    /// |---|---|---|
    /// | absent | absent, `REFUND_FULL`, `FAMILY_REVOKE` | whole |
    /// | 100000 | absent, `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE` | whole |
    /// | 1 to 99999 | absent, `REFUND_PRORATED`, `FAMILY_REVOKE` | that part |
    /// | any other combination | | unknown |
    ///
    /// The date of an upgraded period is that of the upgrade, unless a reason or a type says that it is a refund.
    ///
    /// - Parameters:
    ///   - type: any text that isn't Apple's, where the field can't be read.
    ///   - percentage: thousandths of a percent; a number out of range, where the field can't be read.
    package init(isDated: Bool, type: String?, percentage: Int?, hasReason: Bool, isUpgraded: Bool) {
        guard isDated, !isUpgraded || hasReason || type != nil else {
            self = .unknown
            return
        }
        self =
            switch (percentage, type) {
            case (nil, nil), (nil, "REFUND_FULL"), (nil, "FAMILY_REVOKE"): .whole
            case (100_000, nil), (100_000, "REFUND_FULL"), (100_000, "REFUND_PRORATED"), (100_000, "FAMILY_REVOKE"): .whole
            case (let part?, nil), (let part?, "REFUND_PRORATED"), (let part?, "FAMILY_REVOKE"):
                (1..<100_000).contains(part) ? .part(part) : .unknown
            default: .unknown
            }
    }
}
