// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Verifies the notifications of Apple's servers, without asking anybody: the notification, and the transaction and the renewal in
/// it, each by its own signature.
package struct NotificationVerifier: Sendable {
    private let texts: SignedTextVerifier
    private let signedTransactions: SignedTransactionVerifier

    /// - Parameter texts: the one of the signed transactions: what one leaf signs has one header.
    init(_ texts: SignedTextVerifier) {
        self.texts = texts
        signedTransactions = SignedTransactionVerifier(texts)
    }

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about five kilobytes.
    package init(anchors: TrustAnchors, chainCacheCapacity: Int = 32) {
        self.init(SignedTextVerifier(anchors: anchors, chainCacheCapacity: chainCacheCapacity))
    }

    /// - Throws: `Reason/malformedProof`, `Reason/badCertificate`, `Reason/untrustedRoot` or `Reason/badSignature` for the
    ///   notification itself. What is wrong with the transaction in it is no error: ``StoreNotification/Contents/unusable(_:)``.
    package func verify(_ text: String, now: Date = Date()) async throws(Reason) -> StoreNotification {
        guard let jws = CompactJWS(text), jws.hasPayloadInUTF8,
            let payload = try? JSONDecoder().decode(NotificationPayload.self, from: Data(jws.payload)),
            let type = payload.notificationType.value, let subject = payload.subject,
            let bundleID = subject.bundleId.value.map(BundleID.init(rawValue:)), let environment = subject.store
        else { throw .malformedProof }
        // An odd chain is that of the transaction in it, too, which then is for an operator.
        _ = try texts.verify(
            jws, of: bundleID, signedDate: payload.signedDate.isUnreadable ? nil : payload.signedDate.value?.date ?? now)
        let (renewal, fault) = renewal(subject.signedRenewalInfo, of: bundleID, in: environment)
        return StoreNotification(
            type: type, subtype: payload.subtype.value, bundleID: bundleID, environment: environment,
            contents: await contents(subject.signedTransactionInfo, of: bundleID, in: environment, now),
            renewal: renewal, renewalFault: fault,
            consumptionRequestReason: subject.consumptionRequestReason.value.map { String($0.prefix(100)) })
    }

    /// What Apple answered about a subscription of an app: each text in it is verified by itself, and the answer bears no
    /// signature.
    package func word(
        _ answered: AnsweredSubscription, of bundleID: BundleID, in environment: AppStoreEnvironment, now: Date = Date()
    ) async -> SubscriptionWord {
        let transaction = answered.signedTransactionInfo.map { LenientField.value($0) } ?? .absent
        let (renewal, fault) = renewal(
            answered.signedRenewalInfo.map { LenientField.value($0) } ?? .absent, of: bundleID, in: environment)
        return SubscriptionWord(
            status: answered.status,
            told: StoreNotification(
                // No type of Apple's: no effect follows from it.
                type: "", bundleID: bundleID, environment: environment,
                contents: await contents(transaction, of: bundleID, in: environment, now),
                renewal: renewal, renewalFault: fault))
    }

    private func contents(
        _ transaction: LenientField<String>, of bundleID: BundleID, in environment: AppStoreEnvironment, _ now: Date
    ) async -> StoreNotification.Contents {
        switch transaction {
        case .absent: return .nothing
        case .unreadable: return .unusable("its transaction is no text")
        case .value(let text):
            let found: VerifiedProof
            do {
                found = try await signedTransactions.contents(of: text, now: now)
            } catch {
                return .unusable("its transaction is refused: \(error.rawValue)")
            }
            switch found {
            case .odd(let odd): return .unusable("its transaction can't be read: \(odd.message)")
            case .transactions(let transactions):
                guard let transaction = transactions.all.first, transactions.all.count == 1 else {
                    return .unusable("it shows no single transaction")
                }
                guard transaction.bundleID == bundleID, transaction.environment == environment else {
                    return .unusable("its transaction is of another app or environment than the notification")
                }
                return .transaction(transaction, signedAt: transactions.signedAt, text: text)
            }
        }
    }

    /// What is taken is what Apple signed for this environment by a chain as it always has. All else is a fault, since the text
    /// that holds it is Apple's: a person looks.
    private func renewal(
        _ info: LenientField<String>, of bundleID: BundleID, in environment: AppStoreEnvironment
    ) -> (renewal: Renewal?, fault: String?) {
        switch info {
        case .absent: return (nil, nil)
        case .unreadable: return (nil, "its renewal info is no text")
        case .value(let text):
            guard let jws = CompactJWS(text), jws.hasPayloadInUTF8,
                let payload = try? JSONDecoder().decode(RenewalPayload.self, from: Data(jws.payload))
            else { return (nil, "its renewal info can't be read") }
            do {
                let faults = try texts.verify(jws, of: bundleID, signedDate: payload.signedDate.value?.date)
                guard faults.isEmpty else { return (nil, "its renewal info can't be read: \(faults.joined(separator: "; "))") }
            } catch {
                return (nil, "its renewal info is refused: \(error.rawValue)")
            }
            guard AppStoreEnvironment(appleName: payload.environment.value) == environment else {
                return (nil, "its renewal info is of another environment than the notification")
            }
            guard let renewal = payload.renewal else { return (nil, "its renewal info can't be read") }
            return (renewal, nil)
        }
    }
}
