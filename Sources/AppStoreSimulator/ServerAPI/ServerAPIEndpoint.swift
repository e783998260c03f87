// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Answers calls to the App Store Server API.
///
/// The checks come in this order, and the first that fails decides: the token, and in production whether the app was
/// ever released (401), the limit of calls a second (429), then the endpoint's own.
struct ServerAPIEndpoint: Sendable {
    /// Whom an answer is for, and when.
    struct Context: Sendable {
        var scope: ServerAPIBook.Scope
        var app: ServerAPIBook.App
        var now: Date
    }

    let book: ServerAPIBook
    let receipts: ReceiptBook
    let subscriptions: SubscriptionBook
    let reports: ReportBook
    let desk: NotificationDesk
    let bearer: BearerCheck
    let limiter: RateLimiter
    let authority: SimulatedCertificateAuthority

    func answer(_ call: ServerAPICall, in environment: SimulatedEnvironment, at now: Date) -> Answer {
        guard let caller = bearer.caller(authorization: call.authorization, at: now) else { return Self.unauthorized }
        let app = book.app(bundleID: caller.bundleID)
        if environment == .production && !app.isReleased { return Self.unauthorized }
        let target = CallTarget(call.endpoint, environment)
        if let next = limiter.refusal(of: target, bundleID: caller.bundleID, at: now) {
            return ServerAPIRefusal.rateLimitExceeded.answer(retryAfter: String(next.milliseconds))
        }
        // A bundle id of another account is taken without a murmur, and no transaction is found under it.
        let bundleID = app.account == caller.account ? caller.bundleID : ""
        let scope = ServerAPIBook.Scope(bundleID: bundleID, environment: environment)
        do {
            return try answer(call, Context(scope: scope, app: app, now: now))
        } catch {
            return error.answer()
        }
    }

    private func answer(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        switch call.endpoint {
        case .verifyReceipt: .notFound
        case .getTransactionInfo: try transactionInfo(call, context)
        case .getTransactionHistory: try transactionHistory(call, context)
        case .getTransactionHistoryV1: try transactionHistory(call, context, showsFinishedConsumables: false)
        case .getAllSubscriptionStatuses: try subscriptionStatuses(call, context)
        case .getAppTransactionInfo: try appTransactionInfo(call, context)
        case .setAppAccountToken: try setAppAccountToken(call, context)
        case .sendConsumptionInformation: try takeConsumption(call, context)
        case .sendConsumptionInformationV1: try takeConsumptionV1(call, context)
        case .extendRenewalDate: try extendRenewalDate(call, context)
        case .extendAllRenewalDates: try extendAllRenewalDates(call, context)
        case .getRenewalDateExtensionStatus: try extensionStatus(call, context)
        case .getRefundHistory: try refundHistory(call, context)
        case .lookUpOrderID: try orderLookUp(call, context)
        case .finishTransaction: try finish(call, context)
        case .getNotificationHistory: try notificationHistory(call, context)
        case .requestTestNotification: try requestTestNotification(call, context)
        case .getTestNotificationStatus: try testNotificationStatus(call, context)
        }
    }

    /// The transaction that a path names, after the call was counted.
    func record(of id: String, _ context: Context) throws(ServerAPIRefusal) -> TransactionRecord {
        try check(id)
        guard let record = book.countCall(aboutTransaction: id, in: context.scope, at: context.now) else {
            throw book.isAppTransactionID(id) ? .appTransactionIDNotSupported : .transactionIDNotFound
        }
        guard record.isVisible else { throw .transactionIDNotFound }
        return record
    }

    /// Refuses what isn't of the form of a transaction's or a customer's id.
    func check(_ id: String) throws(ServerAPIRefusal) {
        guard Self.isNumber(id) else { throw .invalidTransactionID }
    }

    /// Whether a text has the form of an id.
    static func isNumber(_ id: String) -> Bool {
        (1...20).contains(id.utf8.count) && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// A transaction as it is handed out: signed anew each time.
    func sign(_ record: TransactionRecord, _ context: Context) throws(ServerAPIRefusal) -> String {
        var transaction = record.transaction
        transaction.signedDate = context.now
        do {
            return try transaction.signedTransaction(by: authority, forged: record.program.forged)
        } catch {
            throw ServerAPIRefusal(code: 5_000_000)
        }
    }

    /// Apple's answer to a token that it doesn't take: text, not JSON.
    private static let unauthorized = Answer(httpStatus: 401, text: "Unauthenticated\n")
}
