// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Apple's word about refunds.
extension SignedTransactionPayload {
    /// Seats of a subscription, as far as a refund concerns them.
    struct MultiSeatInfo: Decodable, Sendable {
        let revokedSeatQuantity: LenientField<Int>

        private enum CodingKeys: String, CodingKey {
            case revokedSeatQuantity
        }

        init(from decoder: any Decoder) throws {
            revokedSeatQuantity = LenientField(try decoder.container(keyedBy: CodingKeys.self), .revokedSeatQuantity)
        }
    }

    /// The refund that the fields tell of; nil where no field tells of one.
    ///
    /// A field that can't be read says that something may have been, and not how much: ``Revocation/Share/unknown``.
    /// `isUpgraded` alone is no refund.
    var revocation: Revocation? {
        let hasReason = !revocationReason.isAbsent
        let revokedSeats = multiSeatInfo.value?.revokedSeatQuantity
        let seats = max(0, revokedSeats?.value ?? 0)
        let isUnreadable = multiSeatInfo.isUnreadable || revokedSeats?.isUnreadable ?? false || revokedSeats?.value ?? 0 < 0
        guard
            !revocationDate.isAbsent || !revocationType.isAbsent || !revocationPercentage.isAbsent || hasReason || isUnreadable
                || seats > 0
        else { return nil }
        let date = revocationDate.value?.date
        return Revocation(
            .signedTransaction, date: date,
            share: Revocation.Share(
                isDated: date != nil, type: revocationType.isUnreadable ? "unreadable" : revocationType.value,
                percentage: revocationPercentage.isUnreadable ? -1 : revocationPercentage.value, hasReason: hasReason,
                isUpgraded: isUpgraded.value ?? isUpgraded.isUnreadable),
            type: revocationType.value, reason: revocationReason.value, seats: seats, asOf: signedDate.value?.date)
    }
}
