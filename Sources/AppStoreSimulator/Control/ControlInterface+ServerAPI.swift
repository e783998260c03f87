// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What concerns the App Store Server API only.
extension ControlInterface {
    private struct RateLimitRequest: Decodable {
        var callsPerSecond: Int?
    }

    private struct OrderRequest: Decodable {
        var transactionIds: [String]
    }

    private struct NotificationRequest: Decodable {
        var notificationType: String
        var subtype: String?
        var transactionId: String
        var consumptionRequestReason: String?
        var date: Date?
        var results: [String]?
    }

    private struct TestNotificationRequest: Decodable {
        var results: [String]?
        var foundAfter: Int?
    }

    func apiKey(ofAccount account: String) -> Answer {
        describe(simulator.apiKey(ofAccount: account))
    }

    func replacedAPIKey(ofAccount account: String) -> Answer {
        describe(simulator.replaceAPIKey(ofAccount: account))
    }

    func setProgram(transaction: String, _ body: [UInt8]) throws -> Answer {
        guard simulator.setProgram(try decode(TransactionProgram.self, from: body), forTransaction: transaction) else {
            throw BadRequest(reason: "unknown transaction")
        }
        return Self.done
    }

    func setOrder(_ orderID: String, _ body: [UInt8]) throws -> Answer {
        simulator.setOrder(orderID, transactions: try decode(OrderRequest.self, from: body).transactionIds)
        return Self.done
    }

    func forgetHistoryPositions() -> Answer {
        simulator.forgetHistoryPositions()
        return Self.done
    }

    func finishedTransactions() -> Answer {
        Answer(status: nil) { json in
            json.key("transactionIds")
            json.strings(simulator.finishedTransactions.sorted())
        }
    }

    func addNotification(_ body: [UInt8]) throws -> Answer {
        let request = try decode(NotificationRequest.self, from: body)
        guard let transaction = simulator.serverAPIBook.transaction(id: request.transactionId) else {
            throw BadRequest(reason: "unknown transaction")
        }
        var notification = SimulatedNotification(
            request.notificationType, subtype: request.subtype, about: transaction, date: request.date ?? Date(),
            results: request.results ?? ["SUCCESS"])
        notification.consumptionRequestReason = request.consumptionRequestReason
        // Whoever names results or a date writes history.
        let isSent = request.results == nil && request.date == nil && simulator.hasNotificationAddress(transaction.bundleId)
        let signedPayload: String? = try isSent ? simulator.send(notification) : simulator.addNotification(notification)
        return Answer(status: nil) { json in
            json.field("notificationUUID", notification.notificationUUID.uuidString.lowercased())
            json.field("signedPayload", signedPayload)
        }
    }

    func consumptionReports() -> Answer {
        Answer(status: nil) { json in
            json.key("reports")
            json.objects(simulator.consumptionReports) { json, report in
                json.field("transactionId", report.transactionID)
                json.field("deliveryStatus", report.deliveryStatus)
                json.field("refundPreference", report.refundPreference)
                json.field("consumptionPercentage", report.consumptionPercentage.map(Int64.init))
                json.field("sampleContentProvided", report.sampleContentProvided)
            }
        }
    }

    func replaceSigningLeaf() throws -> Answer {
        try simulator.authority.replaceLeaf(at: Date())
        return Self.done
    }

    func setTestNotifications(_ body: [UInt8]) throws -> Answer {
        let request = try decode(TestNotificationRequest.self, from: body)
        guard request.foundAfter ?? 0 >= 0 else { throw BadRequest(reason: "a number of calls is not below 0") }
        simulator.setTestNotifications(
            results: request.results ?? ["SUCCESS"], foundAfter: request.foundAfter ?? 0)
        return Self.done
    }

    func setRateLimit(endpoint: String, environment: String, _ body: [UInt8]) throws -> Answer {
        let target = try target(endpoint: endpoint, environment: environment)
        let limit = try decode(RateLimitRequest.self, from: body).callsPerSecond
        guard limit ?? 0 >= 0 else { throw BadRequest(reason: "a limit is not below 0") }
        simulator.setRateLimit(limit, for: target.endpoint, in: target.environment)
        return Self.done
    }

    private func describe(_ key: SimulatedAPIKey) -> Answer {
        Answer(httpStatus: 200, text: key.credential, contentType: "application/json")
    }
}
