// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The body of Get Notification History, read as strictly as Apple reads it.
struct NotificationHistoryRequest {
    private struct Body: Decodable {
        var startDate: Double?
        var endDate: Double?
        var notificationType: String?
        var notificationSubtype: String?
        var onlyFailures: Bool?
        var transactionId: String?
    }

    /// How many days back a history goes.
    private static func reach(in environment: SimulatedEnvironment) -> Double {
        environment == .production ? 180 : 30
    }

    private static let types: Set<String> = [
        "ONE_TIME_CHARGE", "SUBSCRIBED", "DID_RENEW", "OFFER_REDEEMED", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "REFUND",
        "REFUND_REVERSED", "REFUND_DECLINED", "REVOKE", "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
        "TEST", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
        "UNCLAIM_SEATS",
    ]

    /// Everything that must be the same at each page.
    let request: [String]

    private let body: Body
    private let startDate: Int64
    private let endDate: Int64

    init(_ bytes: [UInt8], in environment: SimulatedEnvironment, at now: Date) throws(ServerAPIRefusal) {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else { throw .generalBadRequest }
        self.body = body
        startDate = try Self.milliseconds(body.startDate, else: .invalidStartDate)
        endDate = try Self.milliseconds(body.endDate, else: .invalidEndDate)
        guard startDate <= endDate else { throw .startAfterEnd }
        let earliest = now.addingTimeInterval(-Self.reach(in: environment) * 86_400)
        guard startDate >= earliest.milliseconds else { throw .startTooFarInPast }
        if body.notificationType != nil, body.transactionId != nil { throw .multipleFilters }
        if let type = body.notificationType, !Self.types.contains(type) { throw .invalidNotificationType }
        request = [
            "\(startDate)", "\(endDate)", body.notificationType ?? "-", body.notificationSubtype ?? "-",
            "\(body.onlyFailures ?? false)", body.transactionId ?? "-",
        ]
    }

    /// Whether the history shows a notification, after its tries so far.
    func lets(_ notification: SimulatedNotification, attempts: [SimulatedNotification.Attempt]) -> Bool {
        let date = notification.date.milliseconds
        return date >= startDate && date < endDate && !attempts.isEmpty
            && (body.notificationType == nil || body.notificationType == notification.notificationType)
            && (body.notificationSubtype == nil || body.notificationSubtype == notification.subtype)
            && (body.transactionId == nil || body.transactionId == notification.transaction?.transactionId)
            && (body.onlyFailures != true || !attempts.contains { $0.result == "SUCCESS" })
    }

    private static func milliseconds(
        _ value: Double?, else refusal: ServerAPIRefusal
    ) throws(ServerAPIRefusal) -> Int64 {
        guard let value, value >= 0, value < 1e15, value == value.rounded() else { throw refusal }
        return Int64(value)
    }
}
