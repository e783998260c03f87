// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension SimulatedSubscription {
    /// What Apple says of the next renewal at a moment.
    package func renewalInfo(at date: Date) -> SimulatedRenewalInfo {
        let hasEnded = [.expired, .billingRetry].contains(status(at: date))
        let intent = failure == nil ? expirationIntent : .billingError
        let next = renews && offeredPayments > 0 ? offer : nil
        return SimulatedRenewalInfo(
            expirationIntent: hasEnded ? intent?.rawValue : nil,
            originalTransactionId: originalTransactionID,
            autoRenewProductId: nextPlan.productID,
            productId: plan.productID,
            autoRenewStatus: renews ? 1 : 0,
            isInBillingRetryPeriod: failure != nil ? true : hasEnded ? false : nil,
            priceIncreaseStatus: priceIncrease.map { $0.isAccepted ? 1 : 0 },
            gracePeriodExpiresDate: failure?.graceEnd.flatMap { date < $0 ? $0 : nil },
            offerType: next?.type,
            offerIdentifier: next?.identifier,
            renewalPrice: renews ? nextPrice : nil,
            currency: current.currency,
            signedDate: date,
            environment: environment,
            recentSubscriptionStartDate: recentStart,
            renewalDate: end,
            offerDiscountType: next?.discountType,
            eligibleWinBackOfferIds: winBackOffers,
            appAccountToken: token,
            appTransactionId: current.appTransactionId,
            offerPeriod: next?.period,
            renewalBillingPlanType: current.billingPlanType == nil ? nil : nextPlan.billingPlanType,
            commitment: commitment,
            renewalQuantity: seats)
    }

    /// What a payment of the next renewal costs.
    private var nextPrice: Int64 {
        if let offer, offeredPayments > 0 { return offer.price }
        return priceIncrease?.price ?? nextPlan.price
    }

    private var commitment: SimulatedRenewalInfo.Commitment? {
        guard let now = current.commitment else { return nil }
        return SimulatedRenewalInfo.Commitment(
            autoRenewProductId: nextPlan.productID, autoRenewStatus: commitmentRenews ? 1 : 0,
            renewalBillingPlanType: nextPlan.billingPlanType, renewalDate: now.expiresDate,
            renewalPrice: nextPlan.price * Int64(nextPlan.payments ?? 1))
    }
}
