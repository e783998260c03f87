// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// A notification as its history shows it.
struct Told: Decodable {
    struct Content: Decodable, Equatable {
        var appAppleId: Int64?
        var bundleId: String
        var bundleVersion: String?
        var environment: String
        var signedTransactionInfo, signedRenewalInfo: String?
        var status: Int?
        var consumptionRequestReason: String?
    }

    struct Summary: Decodable {
        var environment, bundleId, productId, requestIdentifier: String
        var succeededCount, failedCount: Int
    }

    var notificationType, notificationUUID: String
    var subtype: String?
    var data: Content?
    var summary: Summary?
    var signedDate: Int64

    /// Type and subtype.
    var words: String { notificationType + (subtype.map { " " + $0 } ?? "") }

    init(_ signedPayload: String) throws {
        self = try #require(TokenInspection.json(Self.part(signedPayload), as: Told.self))
    }

    /// The payload of a compact JWS, as it is encoded.
    static func part(_ signed: String) -> String {
        let parts = signed.split(separator: ".").map { String($0) }
        return parts.count > 1 ? parts[1] : ""
    }

    /// Those of an app of the last two months, in the order of their dates.
    static func all(_ simulator: AppStoreSimulator, _ client: SimulatorClient) async throws -> [Told] {
        struct History: Decodable {
            struct Entry: Decodable { var signedPayload: String }
            var notificationHistory: [Entry]
        }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let history: History = try await client.call(
            "/inApps/v1/notifications/history",
            body: #"{"startDate": \#(now - 60 * 86_400_000), "endDate": \#(now + 60_000)}"#,
            token: try TokenDraft.right(for: simulator)
        ).decoded()
        return try history.notificationHistory.map { try Told($0.signedPayload) }
    }
}
