// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a notification means to the ledger. A value without I/O: the settlement carries it out.
///
/// The facts of the transaction in it count, as of the time at which Apple signed that transaction. The notification's name and the
/// order of arrival mean nothing, with one exception: only `REFUND_REVERSED` gives back what was refunded, because Apple's servers
/// may sign a transaction without its refund for some seconds.
///
/// | The transaction | Effect |
/// |---|---|
/// | paid by this customer, and not refunded as a whole | a payment, kept as ``Choice/keep(_:under:)`` says; it may be an order's |
/// | refunded, wholly or in part, or nobody knows how much | a revocation |
/// | paid, not refunded, in `REFUND_REVERSED` | a payment, and a reversal of what Apple said before |
/// | paid by somebody else (family, a group) | none: until when its holder has access is kept |
/// | of the sandbox, where the app doesn't take it from this account | none |
/// | none | none |
/// | unreadable, of an unknown ownership, or what the database can't keep | none: it is odd, and a person hears of it |
///
/// Renewal info that can't be read makes it odd as well. The transaction beside it counts all the same.
package struct NotificationEffects: Sendable {
    package enum Outcome: String, Sendable {
        /// The ledger has its payment, refund or reversal.
        case recorded
        /// It tells of none.
        case stored
        /// Apple signed it, and what it tells can't be read, or a part of that: a person has to look.
        case odd
        /// It is of a sandbox purchase that the app doesn't take from this account: nothing follows, until it is judged again.
        case denied
    }

    /// Nil where Apple didn't sign it: it is counted, and goes.
    package private(set) var outcome: Outcome?

    /// Why it was refused.
    package private(set) var refusal: Reason?

    /// What was noticed, in a line, without anything secret.
    package private(set) var message: String?

    package private(set) var transaction: Transaction?

    /// The transaction as a payment, where it means something to the ledger.
    package private(set) var payment: ShownPayment?

    /// What somebody else paid for: a family member's, or a seat. It is no payment.
    package private(set) var shared: ShownPayment?

    /// The payment as Apple signed it: a proof for the order that it was made for.
    package private(set) var proof: String?

    /// When Apple signed that nothing is refunded any more.
    package private(set) var reversedAt: Date?

    package private(set) var renewal: Renewal?

    /// Apple asks the shop about a refund: the customer's reason, in Apple's words.
    package private(set) var consumptionRequestReason: String?
    package private(set) var asksForConsumption = false

    /// A refund that was asked for was made or declined.
    package private(set) var closesConsumptionRequest = false

    /// What Apple didn't sign.
    package init(refused reason: Reason) {
        refusal = reason
    }

    package init(of notification: StoreNotification) {
        outcome = .stored
        renewal = notification.renewal
        defer {
            if let fault = notification.renewalFault {
                outcome = .odd
                message = [message, fault].compactMap(\.self).joined(separator: "; ")
            }
        }
        switch notification.contents {
        case .nothing: return
        case .unusable(let why):
            outcome = .odd
            message = why
            return
        case .transaction(let transaction, let signedAt, let text):
            if let unstorable = UnstorableTransaction(transaction) {
                outcome = .odd
                message = UnstorableTransaction.message([unstorable])
                return
            }
            switch transaction.ownership {
            case .purchased:
                payment = ShownPayment(transaction, signedAt: signedAt)
                proof = text
                outcome = .recorded
                if notification.type == "REFUND_REVERSED", transaction.revocation == nil { reversedAt = signedAt }
            case .familyShared, .assigned:
                shared = ShownPayment(transaction, signedAt: signedAt)
                message = "the transaction was paid by somebody else"
            case .unknown:
                outcome = .odd
                message = "Apple names an ownership that is not documented"
            }
            self.transaction = transaction
            asksForConsumption = notification.type == "CONSUMPTION_REQUEST"
            consumptionRequestReason = notification.consumptionRequestReason
            closesConsumptionRequest = ["REFUND", "REFUND_DECLINED"].contains(notification.type)
        }
    }

    /// The same notification where the app doesn't take what it tells.
    package var denied: NotificationEffects {
        var effects = self
        effects.outcome = .denied
        effects.message = "a sandbox purchase that doesn't count for this account"
        effects.payment = nil
        effects.proof = nil
        effects.reversedAt = nil
        effects.renewal = nil
        effects.asksForConsumption = false
        effects.consumptionRequestReason = nil
        effects.closesConsumptionRequest = false
        return effects
    }
}
