// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Steers a simulator from the shell, over the same HTTPS ports as Apple's endpoints.
///
/// ``calls`` lists them; so does a GET of the root, for people.
///
/// Bodies and answers are JSON; dates are in ISO 8601. The transactions of a request are remembered, so that later
/// answers can tell of them. A call that can't be understood is answered with HTTP 400 and `{"error": why}`, an unknown
/// path with 404.
struct ControlInterface: Sendable {
    static let root = "/simulator/"

    /// Each call with its body and its answer.
    static let calls: [(call: String, body: String, answer: String)] = [
        ("GET /simulator/", "", "this page"),
        ("POST /simulator/apps", "{bundleId, sharedSecret?, appleId?, insistsOnSharedSecret?, account?, notificationURL?, isReleased?}", "{}"),
        ("GET /simulator/api-keys/{account}", "", "{issuer_id, key_id, private_key}"),
        ("POST /simulator/api-keys/{account}", "", "the same, with another key in the old one's place"),
        ("POST /simulator/transactions", transaction, "{signedTransaction, transactionId}"),
        ("POST /simulator/receipts", "{inApp: [as a transaction], bundleId?, environment?, program?, digest?, forged?}", "{receipt, receiptId, transactionIds}"),
        ("PUT /simulator/receipts/{receiptId}", "a program of answers", "{}"),
        ("PUT /simulator/transactions/{transactionId}", "a program of answers", "{}"),
        ("POST /simulator/subscriptions", subscription, told),
        ("POST /simulator/subscriptions/{originalTransactionId}", event, told),
        ("POST /simulator/subscriptions/{originalTransactionId}/members", membership, told),
        ("GET /simulator/consumption-reports", "", "{reports: [{transactionId, deliveryStatus, refundPreference?, …}]}"),
        ("POST /simulator/signing-leaf", "", "{}; what is signed from now on bears a new certificate"),
        ("PUT /simulator/orders/{orderId}", "{transactionIds}", "{}"),
        ("DELETE /simulator/history-positions", "", "{}"),
        ("GET /simulator/finished-transactions", "", "{transactionIds}"),
        ("POST /simulator/notifications", "{notificationType, transactionId, subtype?, consumptionRequestReason?, date?, results?}; with a date or results nothing is sent", "{notificationUUID, signedPayload}"),
        ("PUT /simulator/test-notifications", "{results?, foundAfter?}", "{}"),
        ("PUT /simulator/limits/{endpoint}/{environment}", "{callsPerSecond?}", "{}"),
        ("PUT /simulator/faults/{endpoint}/{environment}", "{faults: [{probability, fault}]}", "{}"),
        ("GET /simulator/statistics", "", "{inFlight, inFlightMaximum, received: […], ended: […], rates: […]}"),
        ("GET /simulator/receipts/{receiptId}", "", "{calls}"),
        ("GET /simulator/transactions/{transactionId}", "", "{calls}"),
        ("GET /simulator/certificates", "", "{tlsCertificateAuthority, rootCertificate, rootCertificateSHA256}"),
    ]

    /// The body of a transaction: ``TransactionRequest``.
    private static let transaction = """
        {productId, bundleId?, type?, environment?, quantity?, transactionId?, originalTransactionId?, webOrderLineItemId?, \
        appTransactionId?, purchaseDate?, originalPurchaseDate?, expiresDate?, signedDate?, appAccountToken?, inAppOwnershipType?, \
        transactionReason?, additionalTransactionReason?, price?, currency?, revocationDate?, revocationReason?, revocationType?, \
        revocationPercentage?, revokedSeatQuantity?, isUpgraded?, upgradeDate?, requestReferenceId?, offerType?, offerIdentifier?, \
        offerDiscountType?, forged?}; dates are in ISO 8601, signedDate is purchaseDate unless it is named, and a known transactionId \
        with a revocationDate is its refund
        """

    /// The body of a subscription: ``SubscriptionRequest``.
    private static let subscription = """
        {productId, days?, level?, price?, payments?, bundleId?, environment?, appAccountToken?, appTransactionId?, seats?, \
        offer?: {type, identifier?, discountType, period, price?, days?, payments?}, date?, isTold?}; days are from one payment \
        to the next, a lower level is a dearer plan, payments are those of a year paid for month by month
        """

    /// The body of an event: ``SubscriptionEventRequest``.
    private static let event = """
        {event, date?, isTold?, and what the event needs: plan? (productId, days?, …), starts?, offer?, appAccountToken?, days?, \
        price?, transactionId?, reason?, revocationReason?, part?, count?, intent?}; event is renew, failToRenew, endGrace, \
        recover, expire, turnRenewalOff, turnRenewalOn, change, resubscribe, redeem, extend, announcePriceIncrease, \
        agreeToPriceIncrease, askForRefund, declineRefund, refund, reverseRefund, revoke, addSeats, dropSeats or refundSeats
        """

    private static let membership = "{inAppOwnershipType?, appTransactionId?, date?, isTold?}"

    /// The answer about a subscription.
    private static let told = """
        {notificationType, subtype?, originalTransactionId, transactionId, signedTransaction, signedRenewalInfo, status}
        """

    struct BadRequest: Error {
        let reason: String
    }

    private struct AppRequest: Decodable {
        var bundleId: String
        var sharedSecret: String?
        var appleId: Int64?
        var insistsOnSharedSecret: Bool?
        var account: String?
        var notificationURL: String?
        var isReleased: Bool?
    }

    let simulator: AppStoreSimulator

    /// Does what a call asks for; `body` is nil when it was too large.
    func answer(method: String, path: String, body: [UInt8]?) -> Answer {
        do {
            guard let body else { throw BadRequest(reason: "body too large") }
            let parts = path.dropFirst(Self.root.count).split(separator: "/").map { String($0) }
            return try route(method, parts, body: body) ?? .notFound
        } catch let error as BadRequest {
            return Self.badRequest(error.reason)
        } catch {
            return Self.badRequest("\(error)")
        }
    }

    private func route(_ method: String, _ path: [String], body: [UInt8]) throws -> Answer? {
        switch (method, path.first, path.count) {
        case ("GET", nil, 0): Self.listCalls()
        case ("POST", "apps", 1): try addApp(body)
        case ("POST", "transactions", 1): try makeTransaction(body)
        case ("POST", "receipts", 1): try makeReceipt(body)
        case ("GET", "api-keys", 2): apiKey(ofAccount: path[1])
        case ("POST", "api-keys", 2): replacedAPIKey(ofAccount: path[1])
        case ("PUT", "transactions", 2): try setProgram(transaction: path[1], body)
        case ("POST", "subscriptions", 1): try beginSubscription(body)
        case ("POST", "subscriptions", 2): try applyEvent(to: path[1], body)
        case ("POST", "subscriptions", 3) where path[2] == "members": try beginMembership(of: path[1], body)
        case ("GET", "consumption-reports", 1): consumptionReports()
        case ("POST", "signing-leaf", 1): try replaceSigningLeaf()
        case ("PUT", "orders", 2): try setOrder(path[1], body)
        case ("DELETE", "history-positions", 1): forgetHistoryPositions()
        case ("GET", "finished-transactions", 1): finishedTransactions()
        case ("POST", "notifications", 1): try addNotification(body)
        case ("PUT", "test-notifications", 1): try setTestNotifications(body)
        case ("PUT", "limits", 3): try setRateLimit(endpoint: path[1], environment: path[2], body)
        case ("PUT", "receipts", 2): try setProgram(receipt: path[1], body)
        case ("PUT", "faults", 3): try setFaults(endpoint: path[1], environment: path[2], body)
        case ("GET", "statistics", 1): Self.describe(simulator.statistics)
        case ("GET", "receipts", 2): calls(simulator.statistics.calls(about: ReceiptID(rawValue: path[1])))
        case ("GET", "transactions", 2): calls(simulator.statistics.calls(aboutTransaction: path[1]))
        case ("GET", "certificates", 1): certificates()
        default: nil
        }
    }

    private func addApp(_ body: [UInt8]) throws -> Answer {
        let request = try decode(AppRequest.self, from: body)
        simulator.registerApp(
            request.bundleId,
            sharedSecret: request.sharedSecret,
            appleID: request.appleId ?? 1_234_567_890,
            insistsOnSharedSecret: request.insistsOnSharedSecret ?? false,
            account: request.account ?? AppStoreSimulator.mainAccount,
            notificationURL: request.notificationURL,
            isReleased: request.isReleased ?? true
        )
        return Self.done
    }

    private func makeTransaction(_ body: [UInt8]) throws -> Answer {
        let request = try decode(TransactionRequest.self, from: body)
        let transaction = try request.makeTransaction()
        simulator.remember([transaction])
        let signed = try transaction.signedTransaction(by: simulator.authority, forged: request.forged)
        return Answer(status: nil) { json in
            json.field("signedTransaction", signed)
            json.field("transactionId", transaction.transactionId)
        }
    }

    private func makeReceipt(_ body: [UInt8]) throws -> Answer {
        let request = try decode(ReceiptRequest.self, from: body)
        let made = try request.makeReceipt(by: simulator.authority)
        simulator.remember(made.transactions)
        if let program = request.program { simulator.setProgram(program, for: made.id) }
        return Answer(status: nil) { json in
            json.field("receipt", made.base64)
            json.field("receiptId", made.id.rawValue)
            json.key("transactionIds")
            json.strings(made.transactions.map(\.transactionId))
        }
    }

    private func setProgram(receipt: String, _ body: [UInt8]) throws -> Answer {
        simulator.setProgram(try decode(ReceiptProgram.self, from: body), for: ReceiptID(rawValue: receipt))
        return Self.done
    }

    private func setFaults(endpoint: String, environment: String, _ body: [UInt8]) throws -> Answer {
        let target = try target(endpoint: endpoint, environment: environment)
        let plan = try decode(FaultPlan.self, from: body)
        guard plan.isConsistent else { throw BadRequest(reason: "probabilities add up to more than 1") }
        simulator.setFaults(plan, for: target.endpoint, in: target.environment)
        return Self.done
    }

    /// The endpoint and environment that a path names.
    func target(endpoint: String, environment: String) throws -> CallTarget {
        guard let endpoint = Endpoint(rawValue: endpoint), let environment = SimulatedEnvironment(named: environment)
        else { throw BadRequest(reason: "unknown endpoint or environment") }
        return CallTarget(endpoint, environment)
    }

    private func calls(_ count: Int) -> Answer {
        Answer(status: nil) { $0.field("calls", Int64(count)) }
    }

    private func certificates() -> Answer {
        Answer(status: nil) { json in
            json.field("tlsCertificateAuthority", simulator.tlsCertificateAuthorityPEM)
            json.field("rootCertificate", Data(simulator.authority.rootCertificateDER).base64EncodedString())
            json.field("rootCertificateSHA256", simulator.authority.rootCertificateSHA256)
        }
    }

    private static func listCalls() -> Answer {
        Answer(httpStatus: 200, text: CallList(calls: calls).text, contentType: "text/plain; charset=utf-8")
    }

    private static func describe(_ statistics: SimulatorStatistics) -> Answer {
        Answer(status: nil) { json in
            json.field("inFlight", Int64(statistics.inFlight))
            json.field("inFlightMaximum", Int64(statistics.inFlightMaximum))
            json.key("received")
            json.objects(statistics.received) { json, entry in
                json.field("endpoint", entry.key.endpoint.rawValue)
                json.field("environment", entry.key.environment.rawValue)
                json.field("calls", Int64(entry.value))
            }
            json.key("ended")
            json.objects(statistics.ended) { json, entry in
                json.field("endpoint", entry.key.target.endpoint.rawValue)
                json.field("environment", entry.key.target.environment.rawValue)
                json.field("outcome", entry.key.outcome.label)
                json.field("calls", Int64(entry.value))
            }
            json.key("rates")
            json.objects(statistics.rates) { json, entry in
                json.field("endpoint", entry.key.target.endpoint.rawValue)
                json.field("environment", entry.key.target.environment.rawValue)
                json.field("bundleId", entry.key.bundleID)
                json.field("perSecond", Int64(entry.value.perSecond))
                json.field("perTenSeconds", Int64(entry.value.perTenSeconds))
            }
        }
    }

    func decode<Body: Decodable>(_ type: Body.Type, from body: [UInt8]) throws -> Body {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(body))
    }

    static let done = Answer(status: nil) { _ in }

    private static func badRequest(_ reason: String) -> Answer {
        var answer = Answer(status: nil) { $0.field("error", reason) }
        answer.httpStatus = 400
        return answer
    }
}
