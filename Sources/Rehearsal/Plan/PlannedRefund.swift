// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// The fields by which Apple signs that a payment was refunded, wholly or in part.
package struct PlannedRefund: Equatable, Sendable {
    package var type: String?
    /// Thousandths of a percent of the payment, over all refunds so far.
    package var percentage: Int?
    /// Seats that were refunded.
    package var seats: Int?
    /// Whether Apple gives the date, and beside it a reason.
    package var isDated = true

    package static let whole = PlannedRefund()

    /// A part of the payment; nil where Apple leaves out how much.
    package static func prorated(_ percentage: Int?) -> PlannedRefund {
        PlannedRefund(type: "REFUND_PRORATED", percentage: percentage)
    }

    /// A share in thousandths of a percent: all of it is the whole, signed as a full refund.
    package static func share(_ percentage: Int) -> PlannedRefund {
        percentage == 100_000 ? PlannedRefund(type: "REFUND_FULL", percentage: percentage) : .prorated(percentage)
    }

    /// A type without a date.
    package static let typeAlone = PlannedRefund(type: "REFUND_PRORATED", isDated: false)

    /// Seats of a subscription, without anything else.
    package static func seats(_ count: Int) -> PlannedRefund {
        PlannedRefund(seats: count, isDated: false)
    }

    func write(to transaction: inout SimulatedTransaction, at moment: Date) {
        transaction.revocationDate = isDated ? moment : nil
        transaction.revocationReason = isDated ? 0 : nil
        transaction.revocationType = type
        transaction.revocationPercentage = percentage
        transaction.revokedSeatQuantity = seats
    }
}
