// SPDX-License-Identifier: Apache-2.0

/// Why an order or a job is where it is: a closed list of codes, stable for programs.
///
/// sql/docs/states.md lists each with its meaning and the client action it leads to.
package enum Reason: String, Error, Hashable, Sendable, CaseIterable {
    // The proof can't be read, or isn't Apple's.
    case malformedProof = "malformed_proof"
    case notAPurchase = "not_a_purchase"
    case proofTooLarge = "proof_too_large"
    case badCertificate = "bad_certificate"
    case untrustedRoot = "untrusted_root"
    case badSignature = "bad_signature"
    case unsupportedEnvironment = "unsupported_environment"
    case notAuthentic = "not_authentic"
    case customerNotFound = "customer_not_found"

    // The proof is genuine and doesn't pay for this order.
    case wrongApp = "wrong_app"
    case wrongProduct = "wrong_product"
    case sandboxNotAllowed = "sandbox_not_allowed"
    case familyShared = "family_shared"
    case assignedSeat = "assigned_seat"
    case alreadyGranted = "already_granted"
    case alreadyOwned = "already_owned"
    case grantedToAnotherAccount = "granted_to_another_account"
    case purchaseNotInReceipt = "purchase_not_in_receipt"
    case transactionNotFound = "transaction_not_found"

    // A person has to look.
    case ownerMismatch = "owner_mismatch"
    case tokenMissing = "token_missing"
    case quantityShort = "quantity_short"
    case unknownProduct = "unknown_product"
    case productKindMismatch = "product_kind_mismatch"
    case purchaseBeforeOrder = "purchase_before_order"
    case beforeLedger = "before_ledger"
    case boughtAgainAfterRevocation = "bought_again_after_revocation"
    case partlyRefunded = "partly_refunded"
    case seatsAdded = "seats_added"
    case refundReversed = "refund_reversed"
    case subscriptionUnconfirmed = "subscription_unconfirmed"
    case unsupportedYet = "unsupported_yet"
    case unsupportedEncoding = "unsupported_encoding"
    case unknownAnswer = "unknown_answer"
    case crashedRepeatedly = "crashed_repeatedly"
    case settlementRefused = "settlement_refused"
    case unstorable
    case discardedByOperator = "discarded_by_operator"

    // Nothing is wrong with the proof; it waits.
    case appStoreUnavailable = "app_store_unavailable"
    case rateLimited = "rate_limited"
    case configuration
    // In review, Apple refused it for this proof alone.
    case credentialRefused = "credential_refused"
    case closedByOperator = "closed_by_operator"

    // The proof showed a payment of another order, or of a subscription, of the same account. The order stays as it is.
    case anotherPayment = "another_payment"

    // The payment was taken back.
    case refunded

    // Of a payment that fulfilled no order.
    case orderCancelled = "order_cancelled"
    case orderAlreadyPaid = "order_already_paid"
    case renewal
    case noOrder = "no_order"
}
