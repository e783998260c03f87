// SPDX-License-Identifier: Apache-2.0

/// The shop's answer to Apple's question about a refund, whose customer consented to it.
package struct ConsumptionAnswer: Hashable, Sendable {
    package enum DeliveryStatus: String, Sendable, CaseIterable {
        case delivered
        case qualityIssue = "undelivered_quality_issue"
        case wrongItem = "undelivered_wrong_item"
        case serverOutage = "undelivered_server_outage"
        case otherwise = "undelivered_other"
    }

    /// The refund that the shop prefers.
    package enum RefundPreference: String, Sendable, CaseIterable {
        case decline
        case grantFull = "grant_full"
        case grantProrated = "grant_prorated"
    }

    package let deliveryStatus: DeliveryStatus

    /// How much of the purchase is consumed, in thousandths of a percent; nil says nothing.
    package let consumedShare: Int?

    /// Nil says nothing.
    package let refundPreference: RefundPreference?

    /// Whether the customer could try it before the purchase.
    package let sampleContentProvided: Bool

    package init(
        deliveryStatus: DeliveryStatus, consumedShare: Int? = nil, refundPreference: RefundPreference? = nil,
        sampleContentProvided: Bool = false
    ) {
        self.deliveryStatus = deliveryStatus
        self.consumedShare = consumedShare
        self.refundPreference = refundPreference
        self.sampleContentProvided = sampleContentProvided
    }
}
