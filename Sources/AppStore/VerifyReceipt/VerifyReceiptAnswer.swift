// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Verification

/// How an answer of verifyReceipt is read: the evidence about a proof. Pure: no clock, no input or output.
///
/// Sources: developer.apple.com/documentation/appstorereceipts, the pages `status` and `responsebody`. Statuses that
/// Apple doesn't list never refuse a customer.
package struct VerifyReceiptAnswer {
    /// The environment of the host that answered.
    let host: AppStoreEnvironment

    /// The proof that was sent to Apple.
    let proof: Proof

    /// The order's app.
    let bundleID: BundleID

    package init(host: AppStoreEnvironment, proof: Proof, bundleID: BundleID) {
        self.host = host
        self.proof = proof
        self.bundleID = bundleID
    }

    package func evidence(in response: HTTPResponse) throws(VerificationFailure) -> Evidence {
        switch response.status {
        case 200:
            // Outages have answered 200 with a web page.
            guard let receipt = try? JSONDecoder().decode(VerifyReceiptResponse.self, from: response.body) else {
                throw .unavailable("verifyReceipt answered something other than JSON")
            }
            return try evidence(in: receipt)
        case 400, 413, 414, 431:
            // May be about this one request.
            throw .unknownAnswer("verifyReceipt answered HTTP \(response.status)")
        default:
            // verifyReceipt answers all that it knows with 200: this is an outage, a block, or a host on the way.
            throw .unavailable("verifyReceipt answered HTTP \(response.status)", retryAfter: response.retryAfter)
        }
    }

    private func evidence(in response: VerifyReceiptResponse) throws(VerificationFailure) -> Evidence {
        guard let status = response.status else { throw .unavailable("verifyReceipt answered without a status") }
        let message = "verifyReceipt answered status \(status)"
        switch status {
        case 0, 21006:
            // 21006: authentic, and the subscription has expired; the data is there all the same.
            return try transactions(in: response, message: message)
        case 21000:
            throw .misconfigured(message + ": the request was not understood")
        case 21002:
            return try malformed(message)
        case 21003:
            return .refused(.notAuthentic)
        case 21004:
            // Apple compares with the secret of the receipt's app, which need not be the order's: anybody has receipts of others.
            guard let claimed = ReceiptClaims(of: proof).bundleID else {
                throw .unknownAnswer(message + " of a receipt that doesn't say whose it is")
            }
            guard claimed == bundleID else { return .refused(.wrongApp) }
            throw .credentialRefused(message + ": the shared secret does not match")
        case 21005, 21009:
            throw .unavailable(message)
        case 21007 where host == .production, 21008 where host == .sandbox:
            return .elsewhere(host.other)
        case 21010:
            return .refused(.customerNotFound)
        case 21100...21199:
            throw internalError(message, isRetryable: response.isRetryable)
        default:
            throw .unknownAnswer(message)
        }
    }

    /// An authentic receipt's transactions, unless the answer contradicts the host that gave it.
    private func transactions(
        in response: VerifyReceiptResponse, message: String
    ) throws(VerificationFailure) -> Evidence {
        // Where an answer names no environment, the host's is the answer's.
        if !response.environment.isAbsent, AppStoreEnvironment(appleName: response.environment.value) != host {
            throw .unknownAnswer(message + " with another environment than the host's")
        }
        guard let transactions = response.transactions(in: host) else {
            throw .unknownAnswer(message + " without a readable receipt")
        }
        return .transactions(transactions)
    }

    /// Status 21002 means malformed data. During incidents, good receipts have got it too.
    private func malformed(_ message: String) throws(VerificationFailure) -> Evidence {
        guard looksWhole else { return .refused(.malformedProof) }
        throw VerificationFailure(.uncertain(.rejected), .malformedProof, message: message)
    }

    /// Internal data access errors, which say themselves whether asking again may help.
    private func internalError(_ message: String, isRetryable: Bool?) -> VerificationFailure {
        switch isRetryable {
        case true?: .unavailable(message)
        case false?: VerificationFailure(.needsAPerson, .unknownAnswer, message: message + ", for good")
        case nil: .unknownAnswer(message)
        }
    }

    /// Whether the proof has the outer form of its kind: then it is not we who see that it is malformed.
    private var looksWhole: Bool {
        switch proof {
        case .appReceipt(let base64):
            Base64.decode(padded: Array(base64.utf8)[...], as: .standard).map(SignedReceipt.hasShape) ?? false
        case .signedTransaction, .transactionID:
            false
        }
    }
}
