// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A shop's answer about a purchase for which a refund was asked: the body of Send Consumption Information. It is read as strictly
/// as Apple reads it.
package struct ConsumptionReport: Sendable, Equatable {
    package var transactionID: String
    /// In Apple's words; in the first version, Apple's number.
    package var deliveryStatus: String
    /// In Apple's words; in the first version, Apple's number.
    package var refundPreference: String?
    /// In thousandths of a percent.
    package var consumptionPercentage: Int?
    package var sampleContentProvided: Bool

    private static let deliveryStatuses: Set<String> = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]
    private static let refundPreferences: Set<String> = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]

    /// The fields of both versions. One of another type counts as absent.
    private struct Body: Decodable {
        private let fields: KeyedDecodingContainer<Key>

        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws { fields = try decoder.container(keyedBy: Key.self) }

        func has(_ name: String) -> Bool { fields.contains(Key(stringValue: name)) }

        func value<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
            try? fields.decode(type, forKey: Key(stringValue: name))
        }

        /// A field that may be absent, and is one of these where it isn't.
        func check(_ name: String, _ values: ClosedRange<Int>, else code: Int) throws(ServerAPIRefusal) {
            guard has(name) else { return }
            guard let number = value(name, as: Int.self), values.contains(number) else { throw ServerAPIRefusal(code: code) }
        }
    }

    /// The present version: API 1.19.
    init(_ bytes: [UInt8], about transaction: SimulatedTransaction) throws(ServerAPIRefusal) {
        let body = try Self.body(bytes)
        guard let delivered = body.value("deliveryStatus", as: String.self), Self.deliveryStatuses.contains(delivered) else {
            throw ServerAPIRefusal(code: 4_000_036)
        }
        guard let sample = body.value("sampleContentProvided", as: Bool.self) else { throw ServerAPIRefusal(code: 4_000_041) }
        let preference = body.value("refundPreference", as: String.self)
        if body.has("refundPreference") {
            guard let preference, Self.refundPreferences.contains(preference) else { throw ServerAPIRefusal(code: 4_000_044) }
        }
        // Apple's number for a wrong share isn't known.
        let share = body.value("consumptionPercentage", as: Int.self)
        if body.has("consumptionPercentage") {
            guard let share, (0...100_000).contains(share) else { throw .generalBadRequest }
        }
        if transaction.type == .autoRenewable {
            guard share == nil else { throw .generalBadRequest }
        } else if preference == "GRANT_PRORATED" {
            guard share ?? 0 > 0 else { throw .generalBadRequest }
        }
        transactionID = transaction.transactionId
        deliveryStatus = delivered
        refundPreference = preference
        consumptionPercentage = share
        sampleContentProvided = sample
    }

    /// The first version.
    init(version1 bytes: [UInt8], about transaction: SimulatedTransaction) throws(ServerAPIRefusal) {
        let body = try Self.body(bytes)
        try body.check("accountTenure", 0...7, else: 4_000_032)
        try body.check("consumptionStatus", 0...3, else: 4_000_034)
        try body.check("deliveryStatus", 0...5, else: 4_000_036)
        try body.check("lifetimeDollarsPurchased", 0...7, else: 4_000_037)
        try body.check("lifetimeDollarsRefunded", 0...7, else: 4_000_038)
        try body.check("platform", 0...2, else: 4_000_039)
        try body.check("playTime", 0...7, else: 4_000_040)
        try body.check("userStatus", 0...4, else: 4_000_042)
        try body.check("refundPreference", 0...3, else: 4_000_044)
        if let token = body.value("appAccountToken", as: String.self), !token.isEmpty, UUID(uuidString: token) == nil {
            throw ServerAPIRefusal(code: 4_000_033)
        }
        transactionID = transaction.transactionId
        deliveryStatus = String(body.value("deliveryStatus", as: Int.self) ?? 0)
        refundPreference = body.value("refundPreference", as: Int.self).map { String($0) }
        sampleContentProvided = body.value("sampleContentProvided", as: Bool.self) ?? false
    }

    /// Without the customer's consent nothing may be told.
    private static func body(_ bytes: [UInt8]) throws(ServerAPIRefusal) -> Body {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else { throw .generalBadRequest }
        guard body.value("customerConsented", as: Bool.self) == true else { throw ServerAPIRefusal(code: 4_000_035) }
        return body
    }
}
