// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What Apple's servers told of a customer of an app, under a good signature.
///
/// Source: appstoreservernotifications/responsebodyv2decodedpayload.
package struct StoreNotification: Sendable {
    /// What it says of a transaction.
    package enum Contents: Sendable {
        /// It names none, as a test.
        case nothing
        /// The transaction, when Apple signed it, and the text that Apple signed.
        case transaction(Transaction, signedAt: Date?, text: String)
        /// Nothing may follow from it: Apple didn't sign the transaction in it, it is of another app or environment, or its facts
        /// can't be read. In a line.
        case unusable(String)
    }

    /// In Apple's words: `ONE_TIME_CHARGE`, `REFUND`, and whatever Apple adds.
    package let type: String
    package let subtype: String?
    package let bundleID: BundleID
    package let environment: AppStoreEnvironment
    package let contents: Contents
    package let renewal: Renewal?

    /// What is wrong with its renewal info, in a line: then there is no ``renewal``, and what else it tells counts.
    package let renewalFault: String?

    /// Why the customer wants a refund, in Apple's words, where Apple asks the shop about it.
    package let consumptionRequestReason: String?

    package init(
        type: String, subtype: String? = nil, bundleID: BundleID, environment: AppStoreEnvironment, contents: Contents,
        renewal: Renewal? = nil, renewalFault: String? = nil, consumptionRequestReason: String? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.bundleID = bundleID
        self.environment = environment
        self.contents = contents
        self.renewal = renewal
        self.renewalFault = renewalFault
        self.consumptionRequestReason = consumptionRequestReason
    }
}

/// What Apple signed of a subscription's renewal.
///
/// Source: appstoreservernotifications/jwsrenewalinfodecodedpayload.
package struct Renewal: Hashable, Sendable {
    package let originalID: TransactionID

    /// The product that the next period is of.
    package let productID: ProductID?
    package let willRenew: Bool?
    package let isInBillingRetry: Bool?
    package let graceEndsAt: Date?
    package let renewsAt: Date?

    /// Why the subscription ended, in Apple's number.
    package let expirationIntent: Int?
    package let signedAt: Date

    package init(
        originalID: TransactionID, productID: ProductID? = nil, willRenew: Bool? = nil, isInBillingRetry: Bool? = nil,
        graceEndsAt: Date? = nil, renewsAt: Date? = nil, expirationIntent: Int? = nil, signedAt: Date
    ) {
        self.originalID = originalID
        self.productID = productID
        self.willRenew = willRenew
        self.isInBillingRetry = isInBillingRetry
        self.graceEndsAt = graceEndsAt
        self.renewsAt = renewsAt
        self.expirationIntent = expirationIntent
        self.signedAt = signedAt
    }
}

/// What Apple answered about one subscription, when it was asked.
package struct SubscriptionWord: Sendable {
    /// Apple's number for where it is. It isn't signed, and nothing follows from it.
    package let status: Int?

    /// The newest transaction and renewal info, as a notification would tell them.
    package let told: StoreNotification

    package init(status: Int?, told: StoreNotification) {
        self.status = status
        self.told = told
    }
}

/// The time about which Apple is asked what it sent.
package struct NotificationPeriod: Hashable, Sendable {
    package let since: Date
    package let until: Date

    /// Only what hasn't reached us: given up, or still being tried.
    package let onlyFailures: Bool

    package init(since: Date, until: Date, onlyFailures: Bool) {
        self.since = since
        self.until = until
        self.onlyFailures = onlyFailures
    }
}

/// A page of what Apple sent, or tried to send.
package struct NotificationPage: Sendable {
    /// The notifications as they were signed, and not verified.
    package let texts: [String]

    /// Where the next page begins; nil where there is none.
    package let position: String?

    package init(texts: [String], position: String?) {
        self.texts = texts
        self.position = position
    }
}
