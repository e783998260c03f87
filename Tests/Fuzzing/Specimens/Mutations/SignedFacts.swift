// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Fuzzing
import Verification

/// The facts that a signed transaction has to be verified with, as far as a change of one field decides them.
struct SignedFacts {
    /// All but the refund.
    var transaction: Transaction
    var signedDate: Date?

    var revocationDate: Date?
    var revocationType: String?
    /// Thousandths of a percent.
    var revocationPercentage: Int?
    var revocationReason: Int?
    var revokedSeats = 0
    var isUpgraded = false

    /// What these facts demand: verified just so, or undecided where Apple's words about a refund don't add up.
    var expectation: MutatedProof.Expectation {
        guard hasRefund else { return isSoldInItems ? .undecided() : .verified(dated) }
        guard let share, !isSoldInItems else { return .undecided() }
        return .verified(refunded(share))
    }

    /// As ``expectation``, where an operator may as well have to look.
    var lenientExpectation: MutatedProof.Expectation {
        guard hasRefund else { return isSoldInItems ? .undecided() : .verifiedOrUndecided(dated) }
        guard let share, !isSoldInItems else { return .undecided() }
        return .verifiedOrUndecided(refunded(share))
    }

    /// Items of Advanced Commerce have refunds of their own, and no consumable is shared.
    private var isSoldInItems: Bool {
        transaction.isAdvancedCommerce || transaction.productKind == .consumable && transaction.ownership != .purchased
    }

    private var hasRefund: Bool {
        revocationDate != nil || revocationType != nil || revocationPercentage != nil || revocationReason != nil || revokedSeats > 0
    }

    /// With the time for which Apple said its end.
    private var dated: Transaction {
        var transaction = transaction
        transaction.endAsOf = transaction.expiresDate == nil ? nil : signedDate
        return transaction
    }

    private func refunded(_ share: Revocation.Share) -> Transaction {
        var transaction = dated
        transaction.revocation = Revocation(
            .signedTransaction, date: revocationDate, share: share, type: revocationType, reason: revocationReason,
            seats: revokedSeats, asOf: signedDate)
        return transaction
    }

    /// How much went back; nil where the fields leave that open.
    private var share: Revocation.Share? {
        guard revocationDate != nil, !isUpgraded || revocationReason != nil || revocationType != nil else { return nil }
        let percentage = revocationPercentage ?? 100_000
        switch revocationType {
        case "REFUND_FULL": return percentage == 100_000 ? .whole : nil
        case "REFUND_PRORATED" where revocationPercentage == nil: return nil
        case nil, "FAMILY_REVOKE", "REFUND_PRORATED":
            guard (1...100_000).contains(percentage) else { return nil }
            return percentage == 100_000 ? .whole : .part(percentage)
        default: return nil
        }
    }
}
