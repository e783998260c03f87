// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Apple's ResponseBodyV2DecodedPayload, with Apple's names, as far as we use it.
///
/// Apple adds types, subtypes and alternatives to `data` without notice. So every field may be missing, and the app is taken from
/// whatever object names one: `data`, `summary`, `externalPurchaseToken`, `appData`, `unclaimInfo`, or one that is new.
struct NotificationPayload: Decodable {
    /// The object that names the app.
    struct Subject: Decodable {
        let bundleId: LenientField<String>
        let environment: LenientField<String>
        let externalPurchaseId: LenientField<String>
        let signedTransactionInfo: LenientField<String>
        let signedRenewalInfo: LenientField<String>
        let consumptionRequestReason: LenientField<String>

        private enum CodingKeys: String, CodingKey {
            case bundleId, environment, externalPurchaseId, signedTransactionInfo, signedRenewalInfo, consumptionRequestReason
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            bundleId = LenientField(fields, .bundleId)
            environment = LenientField(fields, .environment)
            externalPurchaseId = LenientField(fields, .externalPurchaseId)
            signedTransactionInfo = LenientField(fields, .signedTransactionInfo)
            signedRenewalInfo = LenientField(fields, .signedRenewalInfo)
            consumptionRequestReason = LenientField(fields, .consumptionRequestReason)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private enum CodingKeys: String, CodingKey {
        case notificationType, subtype, notificationUUID, signedDate
    }

    let notificationType: LenientField<String>
    let subtype: LenientField<String>
    let notificationUUID: LenientField<String>
    let signedDate: LenientField<AppleTime>

    /// Of several, `data` counts, then what holds a signed transaction, then the first in the order of the alphabet, as
    /// `receive_notification` takes it.
    let subject: Subject?

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        notificationType = LenientField(fields, .notificationType)
        subtype = LenientField(fields, .subtype)
        notificationUUID = LenientField(fields, .notificationUUID)
        signedDate = LenientField(fields, .signedDate)
        let all = try decoder.container(keyedBy: AnyKey.self)
        let subjects = all.allKeys.sorted { $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8) }
            .compactMap { key in (try? all.decode(Subject.self, forKey: key)).map { (name: key.stringValue, subject: $0) } }
            .filter { $0.subject.bundleId.value != nil }
        let first =
            subjects.first { $0.name == "data" } ?? subjects.first { $0.subject.signedTransactionInfo.value != nil }
            ?? subjects.first
        subject = first?.subject
    }
}

extension NotificationPayload.Subject {
    /// Nil for a store that we don't know, such as Xcode's.
    ///
    /// An external purchase's token names none: appstoreservernotifications/externalpurchasetoken.
    var store: AppStoreEnvironment? {
        switch environment {
        case .value(let name): AppStoreEnvironment(appleName: name)
        case .unreadable: nil
        case .absent: externalPurchaseId.value?.hasPrefix("SANDBOX") == true ? .sandbox : .production
        }
    }
}

/// Apple's JWSRenewalInfoDecodedPayload, with Apple's names, as far as we use it.
struct RenewalPayload: Decodable {
    let originalTransactionId: LenientField<AppleIdentifier>
    let autoRenewProductId: LenientField<String>
    let autoRenewStatus: LenientField<Int>
    let isInBillingRetryPeriod: LenientField<Bool>
    let gracePeriodExpiresDate: LenientField<AppleTime>
    let renewalDate: LenientField<AppleTime>
    let expirationIntent: LenientField<Int>
    let signedDate: LenientField<AppleTime>
    let environment: LenientField<String>

    private enum CodingKeys: String, CodingKey {
        case originalTransactionId, autoRenewProductId, autoRenewStatus, isInBillingRetryPeriod, gracePeriodExpiresDate,
            renewalDate,
            expirationIntent, signedDate, environment
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        originalTransactionId = LenientField(fields, .originalTransactionId)
        autoRenewProductId = LenientField(fields, .autoRenewProductId)
        autoRenewStatus = LenientField(fields, .autoRenewStatus)
        isInBillingRetryPeriod = LenientField(fields, .isInBillingRetryPeriod)
        gracePeriodExpiresDate = LenientField(fields, .gracePeriodExpiresDate)
        renewalDate = LenientField(fields, .renewalDate)
        expirationIntent = LenientField(fields, .expirationIntent)
        signedDate = LenientField(fields, .signedDate)
        environment = LenientField(fields, .environment)
    }

    /// Nil where it doesn't say of which subscription it is, or when it was signed, or what it says can't be kept.
    var renewal: Renewal? {
        guard let originalID = originalTransactionId.value?.text, TransactionLimits.isStorable(id: originalID),
            let signedAt = signedDate.value?.date
        else { return nil }
        return Renewal(
            originalID: TransactionID(rawValue: originalID),
            productID: autoRenewProductId.value.flatMap {
                TransactionLimits.isStorable(id: $0) ? ProductID(rawValue: $0) : nil
            },
            willRenew: autoRenewStatus.value.map { $0 == 1 }, isInBillingRetry: isInBillingRetryPeriod.value,
            graceEndsAt: gracePeriodExpiresDate.value?.date, renewsAt: renewalDate.value?.date,
            expirationIntent: expirationIntent.value, signedAt: signedAt)
    }
}
