// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a notification means to the ledger. A value without I/O: the settlement carries it out.
///
/// The facts of the transaction in it count, as of the time at which Apple signed that transaction. The notification's name and the order
/// of arrival mean nothing, with one exception: only `REFUND_REVERSED` gives back what was refunded, because Apple's servers may sign a
/// transaction without its refund for some seconds.
///
/// | The transaction | Effect |
/// |---|---|
/// | paid by this customer | as of every ``FoundTransaction`` |
/// | the same, not refunded, in `REFUND_REVERSED` | a payment, and a reversal of what Apple said before |
/// | paid by somebody else (family, a group), or of an unknown ownership | none |
/// | none, unreadable, or what the database can't keep | none |
package struct NotificationEffects: Sendable {
    package enum Outcome: String, Sendable {
        /// The ledger has its payment, refund or reversal.
        case recorded
        /// It tells of none.
        case stored
    }

    /// Nil where Apple didn't sign it: it is counted, and goes.
    package private(set) var outcome: Outcome?

    /// Why it was refused.
    package private(set) var refusal: Reason?

    /// What was noticed, in a line, without anything secret.
    package private(set) var message: String?

    package private(set) var transaction: Transaction?

    /// The transaction, where it means something to the ledger.
    package private(set) var found: FoundTransaction?

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
        switch notification.contents {
        case .nothing: return
        case .unusable(let why):
            message = why
            return
        case .transaction(let transaction, let signedAt, let text):
            do throws(FoundTransaction.Useless) {
                let found = try FoundTransaction(transaction, text: text)
                self.found = found
                outcome = .recorded
                if notification.type == "REFUND_REVERSED", !found.isRevoked { reversedAt = signedAt }
            } catch {
                message = error.message
                if case .unstorable = error { return }
            }
            self.transaction = transaction
            asksForConsumption = notification.type == "CONSUMPTION_REQUEST"
            consumptionRequestReason = notification.consumptionRequestReason
            closesConsumptionRequest = ["REFUND", "REFUND_DECLINED"].contains(notification.type)
        }
    }
}
