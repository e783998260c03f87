// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A subscription as the control interface takes it.
struct SubscriptionRequest: Decodable {
    /// A plan; lengths are in days.
    struct Plan: Decodable {
        var productId: String
        var days: Double?
        var level: Int?
        var price: Int64?
        var payments: Int?

        func makePlan() throws -> SimulatedPlan {
            guard days ?? 1 > 0, payments ?? 1 > 0 else {
                throw ControlInterface.BadRequest(reason: "days and payments are more than 0")
            }
            return SimulatedPlan(
                productId, length: days.map { $0 * 86_400 } ?? SimulatedPlan.month, level: level ?? 1, price: price ?? 9990,
                payments: payments)
        }
    }

    /// An offer, under Apple's names.
    struct Offer: Decodable {
        var type: Int
        var identifier: String?
        var discountType: String
        var period: String
        var price: Int64?
        var days: Double?
        var payments: Int?

        var offer: SimulatedOffer {
            SimulatedOffer(
                type: type, identifier: identifier, discountType: discountType, period: period, price: price ?? 0,
                length: days.map { $0 * 86_400 }, payments: payments ?? 1)
        }
    }

    var plan: Plan
    var bundleId: String?
    var environment: String?
    var appAccountToken: UUID?
    var appTransactionId: String?
    var seats: Int?
    var offer: Offer?
    var date: Date?
    /// False: no notification is sent.
    var isTold: Bool?

    private enum CodingKeys: CodingKey {
        case bundleId, environment, appAccountToken, appTransactionId, seats, offer, date, isTold
    }

    /// The plan's fields stand beside the others.
    init(from decoder: any Decoder) throws {
        plan = try Plan(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleId = try container.decodeIfPresent(String.self, forKey: .bundleId)
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
        appAccountToken = try container.decodeIfPresent(UUID.self, forKey: .appAccountToken)
        appTransactionId = try container.decodeIfPresent(String.self, forKey: .appTransactionId)
        seats = try container.decodeIfPresent(Int.self, forKey: .seats)
        offer = try container.decodeIfPresent(Offer.self, forKey: .offer)
        date = try container.decodeIfPresent(Date.self, forKey: .date)
        isTold = try container.decodeIfPresent(Bool.self, forKey: .isTold)
    }

    func makeLife() throws -> SimulatedSubscription {
        guard seats ?? 1 > 0 else { throw ControlInterface.BadRequest(reason: "seats are more than 0") }
        return SimulatedSubscription(
            try plan.makePlan(), bundleID: bundleId ?? "com.example.app",
            environment: try environment.map { try SimulatedEnvironment(requested: $0) } ?? .production,
            token: appAccountToken, customer: appTransactionId, offer: offer?.offer, seats: seats, at: date ?? Date())
    }
}

/// Something that befalls a subscription, as the control interface takes it: ``SubscriptionEvent`` by its name.
struct SubscriptionEventRequest: Decodable {
    var event: String
    var date: Date?
    /// False: no notification is sent.
    var isTold: Bool?
    var plan: SubscriptionRequest.Plan?
    /// `atOnce` or `atRenewal`; else by Apple's rule.
    var starts: String?
    var offer: SubscriptionRequest.Offer?
    var appAccountToken: UUID?
    /// Of grace, or of an extension.
    var days: Double?
    var price: Int64?
    var transactionId: String?
    /// Why a refund is asked for, in Apple's words.
    var reason: String?
    var revocationReason: Int?
    var part: Int?
    var count: Int?
    /// Why it ends, by Apple's number.
    var intent: Int?

    func makeEvent() throws -> SubscriptionEvent {
        switch event {
        case "renew": .renew
        case "failToRenew": .failToRenew(grace: days.map { $0 * 86_400 })
        case "endGrace": .endGrace
        case "recover": .recover
        case "expire": .expire(try intent.map { try known(ExpirationIntent(rawValue: $0), "intent") })
        case "turnRenewalOff": .turnRenewalOff
        case "turnRenewalOn": .turnRenewalOn
        case "change": .change(to: try known(plan, "plan").makePlan(), starts: try start(), token: appAccountToken)
        case "resubscribe": .resubscribe(try plan?.makePlan(), offer: offer?.offer, token: appAccountToken)
        case "redeem": .redeem(try known(offer, "offer").offer, plan: try plan?.makePlan(), token: appAccountToken)
        case "extend": .extend(by: try known(days, "days") * 86_400)
        case "announcePriceIncrease": .announcePriceIncrease(to: try known(price, "price"))
        case "agreeToPriceIncrease": .agreeToPriceIncrease
        case "askForRefund": .askForRefund(of: transactionId, reason: reason)
        case "declineRefund": .declineRefund(of: transactionId)
        case "refund": .refund(of: transactionId, part: part, reason: revocationReason ?? 0)
        case "reverseRefund": .reverseRefund(of: transactionId)
        case "revoke": .revoke
        case "addSeats": .addSeats(try known(count, "count"))
        case "dropSeats": .dropSeats(try known(count, "count"))
        case "refundSeats": .refundSeats(try known(count, "count"), of: transactionId)
        default: throw ControlInterface.BadRequest(reason: "unknown event")
        }
    }

    private func start() throws -> SubscriptionEvent.PlanStart {
        switch starts {
        case nil: .byApplesRule
        case "atOnce": .atOnce
        case "atRenewal": .atRenewal
        default: throw ControlInterface.BadRequest(reason: "a plan starts atOnce or atRenewal")
        }
    }

    private func known<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw ControlInterface.BadRequest(reason: "\(event) needs a known \(name)") }
        return value
    }
}
