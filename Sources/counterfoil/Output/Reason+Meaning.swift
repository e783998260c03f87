// SPDX-License-Identifier: Apache-2.0

import Verification

extension Reason {
    /// The reason in words, for support.
    var meaning: String {
        switch self {
        case .malformedProof: "the uploaded text can't be read as any proof"
        case .proofTooLarge: "the uploaded text is larger than any proof may be"
        case .badCertificate: "the proof's certificates are not such as sign for the App Store"
        case .untrustedRoot: "the proof was signed by somebody else than Apple"
        case .badSignature: "the proof was changed after it was signed"
        case .unsupportedEnvironment: "the purchase was made in Xcode, not in a store"
        case .notAuthentic: "according to Apple the receipt is not genuine"
        case .customerNotFound: "Apple doesn't know the customer any more"
        case .wrongApp: "the proof is genuine and of another app"
        case .wrongProduct: "the proof is genuine and of another product, which the account wasn't granted so far"
        case .sandboxNotAllowed: "a test purchase, which doesn't count for this account"
        case .familyShared: "a family member bought it: nobody paid for this order"
        case .assignedSeat: "a seat that a group or an organization paid for: nobody paid for this order"
        case .alreadyGranted: "this account was granted this payment before"
        case .anotherPayment: "the proof showed another payment of this account, and the order still waits for its own"
        case .alreadyOwned: "this account restored what it had bought before"
        case .grantedToAnotherAccount: "the payment was granted to another account"
        case .purchaseNotInReceipt:
            "the proof is genuine and Apple doesn't show this purchase, or not yet; a newer receipt may hold it"
        case .transactionNotFound: "Apple doesn't know this transaction"
        case .ownerMismatch: "the payment seems to be another account's"
        case .tokenMissing: "the payment lacks the token that ties it to the account"
        case .quantityShort: "fewer were paid than ordered"
        case .unknownProduct: "the product is not listed, and Apple doesn't name its kind"
        case .productKindMismatch: "according to Apple the product is of another kind than is listed"
        case .purchaseBeforeOrder: "the payment is older than the order"
        case .beforeLedger: "the payment is older than this ledger and may have been granted elsewhere"
        case .boughtAgainAfterRevocation: "the same purchase was refunded before"
        case .partlyRefunded: "a part of the payment was refunded, or Apple leaves open how much"
        case .seatsAdded: "seats were added to a period of a subscription in mid-period: a further payment of that period"
        case .refundReversed: "the payment was recorded as refunded, and according to Apple it is not"
        case .subscriptionUnconfirmed: "the receipt alone doesn't show the subscription's period"
        case .unsupportedYet: "there is no way yet to verify this kind of proof or purchase"
        case .unsupportedEncoding: "a receipt in an encoding that no store has used so far: nobody looked at its signature"
        case .unknownAnswer: "Apple gave or signed something that is not documented"
        case .crashedRepeatedly: "the proof brought our own process down, several times"
        case .settlementRefused: "the database refused to record what came of the proof"
        case .unstorable: "the database refused even to record the payment as unclaimed; only the discarded job's proof shows it"
        case .discardedByOperator: "an operator discarded the job"
        case .appStoreUnavailable: "Apple could not be reached, or failed"
        case .rateLimited: "Apple takes no more calls for now"
        case .configuration: "our configuration is wrong: a secret, a key or a credential"
        case .credentialRefused: "Apple refuses the app's secret or key for this proof; for others it may take it"
        case .closedByOperator: "an operator closed the gate that the job must pass"
        case .refunded: "the payment was refunded"
        case .orderCancelled: "the shop had withdrawn the order"
        case .orderAlreadyPaid: "the order had been paid by another payment"
        case .renewal: "a further period of a subscription"
        case .noOrder: "nobody ordered it"
        }
    }
}
