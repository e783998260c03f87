// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Lives of subscriptions.
extension ControlInterface {
    private struct MembershipRequest: Decodable {
        var inAppOwnershipType: String?
        var appTransactionId: String?
        var date: Date?
        var isTold: Bool?
    }

    func beginSubscription(_ body: [UInt8]) throws -> Answer {
        let request = try decode(SubscriptionRequest.self, from: body)
        return try describe(try simulator.begin(try request.makeLife(), isTold: request.isTold ?? true))
    }

    func applyEvent(to originalID: String, _ body: [UInt8]) throws -> Answer {
        let request = try decode(SubscriptionEventRequest.self, from: body)
        let notification = try simulator.apply(
            try request.makeEvent(), to: originalID, at: request.date ?? Date(), isTold: request.isTold ?? true)
        return try describe(notification)
    }

    func beginMembership(of originalID: String, _ body: [UInt8]) throws -> Answer {
        let request = try decode(MembershipRequest.self, from: body)
        guard let life = simulator.subscription(originalID) else { throw BadRequest(reason: "unknown subscription") }
        let ownership = request.inAppOwnershipType ?? "FAMILY_SHARED"
        guard ["FAMILY_SHARED", "ASSIGNED"].contains(ownership) else { throw BadRequest(reason: "a member pays for nothing") }
        let member = life.member(ownership, customer: request.appTransactionId, at: request.date ?? Date())
        return try describe(try simulator.begin(member, isTold: request.isTold ?? true))
    }

    /// The contents of an event's notification.
    private func describe(_ notification: SimulatedNotification) throws -> Answer {
        var transaction = notification.transaction
        transaction?.signedDate = notification.date
        let signedTransaction = try transaction?.signedTransaction(by: simulator.authority)
        let signedRenewalInfo = try notification.renewalInfo?.signed(by: simulator.authority)
        return Answer(status: nil) { json in
            json.field("notificationType", notification.notificationType)
            json.field("subtype", notification.subtype)
            json.field("originalTransactionId", transaction?.originalTransactionId)
            json.field("transactionId", transaction?.transactionId)
            json.field("signedTransaction", signedTransaction)
            json.field("signedRenewalInfo", signedRenewalInfo)
            json.field("status", notification.status.map { Int64($0.rawValue) })
        }
    }
}
