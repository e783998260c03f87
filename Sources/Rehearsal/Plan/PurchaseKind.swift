// SPDX-License-Identifier: Apache-2.0

/// A row of the table: one sort of story that customers, honest and dishonest, bring to a shop.
package enum PurchaseKind: String, CaseIterable, Sendable {
    // Honest
    case signedTransaction
    case receipt
    case severalUnits
    case unlistedProduct
    case ownToken
    case hintedTransaction
    case lostOrderID
    case repeatedProof
    case damagedProof
    case wrappedProof
    case mangledThenWhole
    case forgedThenHonest
    case sandboxAllowed
    case sandboxListed
    case fillsLater
    case arrivesLater
    case refreshedReceipt
    case threeAtOnce
    case hintedAtOnce
    case uselessHint
    case oneAfterTheOther
    case receiptWithHistory
    case subscriptionRenewed
    case subscriptionWithHistory
    case recovery
    case recoveryAfterReview
    case olderPurchase
    case tokensSwapped
    case downgraded
    case wrongSharedSecret

    // Honest, by signature or by the App Store Server API
    case confirmedTransaction
    case confirmedReceipt
    case confirmedSubscription
    case threeConfirmedAtOnce
    case missingAtFirst
    case receiptOfSilentApp
    case sha1Receipt
    case sha384Receipt
    case receiptOfFourCertificates
    case bareIDWithToken
    case unreleasedApp
    case wrongAPIKey

    // Replayed
    case replayBySameAccount
    case replayByAnotherAccount
    case replayAtOnce
    case restoreBySameAccount
    case restoreByAnotherAccount
    case restoreOfSubscription
    case renewalOfAnother
    case paidTwice

    // Of something else
    case wrongProduct
    case wrongProductInReceipt
    case foreignApp
    case foreignReceipt
    case sandboxDenied
    case familyShared
    case assignedSeat
    case missingForEver

    // Not genuine
    case forgedTransactions
    case forgedReceipt
    case forgedReceipts
    case xcodeReceipt
    case mangledProof
    case nonsense
    case customerGone
    case unknownID

    // Taken back
    case refundedTransaction
    case refundedReceipt
    case refundedUnseen
    case refundedAfterGrant
    case refundedUnderRestoredID
    case proratedBeforeGrant
    case proratedAfterGrant
    case sharesAfterGrant
    case sharesSwapped
    case refundReversed
    case upgradedInReceipt
    case resubscribed
    case cancelledWhileRunning

    // Told by Apple
    case lostWithToken
    case lostThenBack
    case lostOfKnownCustomer
    case lostOfNobody
    case lostWithAccountsToken
    case twoAccountsOnOnePhone
    case refundTold
    case reversalToldFirst
    case refundToldFirst
    case partialRefundTold
    case renewalTold
    case familyAccessTold

    // Lives of subscriptions
    case lifeChangedAtOnce
    case lifeChangedAtRenewal
    case lifeResubscribed
    case lifeOfAnother
    case lifeExtended
    case lifeFailing
    case lifeRefunded
    case lifeOrderedEachPeriod
    case lifeShared
    case lifeOfSeats
    case lifePaidMonthly
    case lifeInSandbox

    // For a person
    case quantityShort
    case oddValues
    case oddlySigned
    case foreignToken
    case tokenOfAnotherOrder
    case unlistedProductInReceipt
    case kindMismatch
    case unconfirmedSubscription
    case paidBeforeOrder
    case paidBeforeLedger
    case bareTransactionID
    case idOfAnotherAccount

    // Refused
    case refusedInsert

    package var title: String {
        switch self {
        case .signedTransaction: "signed transaction"
        case .receipt: "receipt"
        case .severalUnits: "as many units as ordered, or more"
        case .unlistedProduct: "product that nobody listed"
        case .ownToken: "app account token of the order"
        case .hintedTransaction: "hint at one of two in a receipt"
        case .lostOrderID: "order id lost and found"
        case .repeatedProof: "the same proof up to ten times"
        case .damagedProof: "damaged proof that can be mended"
        case .wrappedProof: "proof in several wrappings"
        case .mangledThenWhole: "unusable proof, then a whole one"
        case .forgedThenHonest: "forged proof, then an honest one"
        case .sandboxAllowed: "sandbox, allowed"
        case .sandboxListed: "sandbox, account listed"
        case .fillsLater: "empty receipt that fills later"
        case .arrivesLater: "purchase missing at first"
        case .refreshedReceipt: "refreshed receipt mends it"
        case .threeAtOnce: "three purchases in one receipt at once"
        case .hintedAtOnce: "one receipt for two, each with its hint"
        case .uselessHint: "good receipt with a useless hint"
        case .oneAfterTheOther: "bought again after finishing"
        case .receiptWithHistory: "receipt with older purchases"
        case .subscriptionRenewed: "renewal of a paid subscription"
        case .subscriptionWithHistory: "subscription with older periods"
        case .recovery: "recovery of an older payment"
        case .recoveryAfterReview: "recovery of an order in review"
        case .olderPurchase: "older purchase, never finished"
        case .tokensSwapped: "a token an order, proofs swapped"
        case .downgraded: "downgrade to a cheaper plan"
        case .wrongSharedSecret: "while the shared secret is wrong"
        case .confirmedTransaction: "signed transaction, confirmed"
        case .confirmedReceipt: "receipt, verified and confirmed"
        case .confirmedSubscription: "subscription, confirmed"
        case .threeConfirmedAtOnce: "three of one receipt, confirmed"
        case .missingAtFirst: "unknown to Apple at first"
        case .receiptOfSilentApp: "receipt, and nobody is asked"
        case .sha1Receipt: "receipt signed with SHA-1"
        case .sha384Receipt: "receipt signed with SHA-384"
        case .receiptOfFourCertificates: "receipt with a fourth certificate"
        case .bareIDWithToken: "bare id with the order's token"
        case .unreleasedApp: "app that was never released"
        case .wrongAPIKey: "while the API key is wrong"
        case .replayBySameAccount: "replay for another order, same user"
        case .replayByAnotherAccount: "replay by another user"
        case .replayAtOnce: "one payment for two orders at once"
        case .restoreBySameAccount: "restored by the same account"
        case .restoreByAnotherAccount: "restored by another account"
        case .restoreOfSubscription: "subscription period restored"
        case .renewalOfAnother: "renewal of another account"
        case .paidTwice: "one order paid twice"
        case .wrongProduct: "another product"
        case .wrongProductInReceipt: "another product, in a receipt"
        case .foreignApp: "another app's transaction"
        case .foreignReceipt: "another app's receipt"
        case .sandboxDenied: "sandbox, denied"
        case .familyShared: "shared by the family"
        case .assignedSeat: "seat that somebody else paid for"
        case .missingForEver: "receipt without the purchase"
        case .forgedTransactions: "forged signed transactions"
        case .forgedReceipt: "forged receipt"
        case .forgedReceipts: "receipts with forged signatures"
        case .xcodeReceipt: "receipt of Xcode's"
        case .mangledProof: "mangled proof"
        case .nonsense: "no proof at all"
        case .customerGone: "customer unknown to the App Store"
        case .unknownID: "bare id unknown to Apple"
        case .refundedTransaction: "refunded, signed"
        case .refundedReceipt: "refunded, in a receipt"
        case .refundedUnseen: "refunded after the proof was made"
        case .refundedAfterGrant: "refunded after the grant"
        case .refundedUnderRestoredID: "period refunded under a restored id"
        case .proratedBeforeGrant: "refunded in part before the grant"
        case .proratedAfterGrant: "refunded in part after the grant"
        case .sharesAfterGrant: "one share refunded after another"
        case .sharesSwapped: "newest of two shares shown first"
        case .refundReversed: "refund reversed, and shown again"
        case .upgradedInReceipt: "upgrade to a dearer plan"
        case .resubscribed: "subscribed again after a refund"
        case .cancelledWhileRunning: "cancelled while its job runs"
        case .lostWithToken: "lost client, token of the order"
        case .lostThenBack: "lost client that comes back"
        case .lostOfKnownCustomer: "lost client of a known customer"
        case .lostOfNobody: "lost client, and nothing names it"
        case .lostWithAccountsToken: "lost client, token of the account"
        case .twoAccountsOnOnePhone: "two accounts on one phone"
        case .refundTold: "refund told by Apple, and reversed"
        case .reversalToldFirst: "reversal told before its refund"
        case .refundToldFirst: "refund told before the proof"
        case .partialRefundTold: "partial refund told by Apple"
        case .renewalTold: "renewal told by Apple"
        case .familyAccessTold: "family access told by Apple"
        case .lifeChangedAtOnce: "a life: up or across at once"
        case .lifeChangedAtRenewal: "a life: another plan at the renewal"
        case .lifeResubscribed: "a life: subscribed again"
        case .lifeOfAnother: "a life: subscribed again by another user"
        case .lifeExtended: "a life: extended"
        case .lifeFailing: "a life: grace, retries, recovery"
        case .lifeRefunded: "a life: a period refunded or given back"
        case .lifeOrderedEachPeriod: "a life: an order a period"
        case .lifeShared: "a life: shared by the family"
        case .lifeOfSeats: "a life: seats added and refunded"
        case .lifePaidMonthly: "a life: a year paid month by month"
        case .lifeInSandbox: "a life: sandbox words to an app without"
        case .quantityShort: "fewer units than ordered"
        case .oddValues: "values that nobody reckons with"
        case .oddlySigned: "signed, of a kind that nobody knows"
        case .foreignToken: "app account token of nobody"
        case .tokenOfAnotherOrder: "app account token of another user"
        case .unlistedProductInReceipt: "unlisted product, in a receipt"
        case .kindMismatch: "kind of product contradicts the list"
        case .unconfirmedSubscription: "subscription without a billing event"
        case .paidBeforeOrder: "paid before it was ordered"
        case .paidBeforeLedger: "paid before the ledger began"
        case .bareTransactionID: "bare transaction id"
        case .idOfAnotherAccount: "bare id of another user's payment"
        case .refusedInsert: "refused at the insert"
        }
    }

    /// How often it comes among a thousand, beyond the one of each kind.
    package var weight: Int {
        switch self {
        case .signedTransaction: 250
        case .receipt: 220
        case .confirmedTransaction, .confirmedReceipt: 80
        case .repeatedProof: 60
        case .replayBySameAccount, .replayByAnotherAccount: 40
        case .sandboxAllowed, .damagedProof: 30
        case .fillsLater, .threeAtOnce, .forgedTransactions: 20
        case .threeConfirmedAtOnce, .forgedReceipts, .wrongAPIKey, .bareIDWithToken, .refundedUnseen: 15
        case .lostWithToken, .lostThenBack, .refundTold: 20
        case .ownToken, .replayAtOnce, .refreshedReceipt, .wrongSharedSecret, .hintedAtOnce: 15
        case .missingAtFirst, .sha1Receipt, .receiptOfSilentApp, .unreleasedApp: 10
        case .sandboxDenied, .wrongProduct, .foreignApp, .paidTwice, .hintedTransaction, .refundedTransaction: 10
        case .xcodeReceipt, .customerGone, .kindMismatch, .unconfirmedSubscription, .paidBeforeLedger, .refusedInsert,
            .familyShared, .assignedSeat, .unknownID, .oddValues,
            .oddlySigned:
            3
        default: 6
        }
    }

    /// The lives of subscriptions.
    package static let lives: [PurchaseKind] = [
        .lifeChangedAtOnce, .lifeChangedAtRenewal, .lifeResubscribed, .lifeOfAnother, .lifeExtended, .lifeFailing, .lifeRefunded,
        .lifeOrderedEachPeriod, .lifeShared, .lifeOfSeats, .lifePaidMonthly, .lifeInSandbox,
    ]

    package var isLife: Bool { Self.lives.contains(self) }

    /// Whether it is about the first seconds, in which a credential is wrong.
    package var isEarly: Bool {
        self == .wrongSharedSecret || self == .wrongAPIKey
    }
}
