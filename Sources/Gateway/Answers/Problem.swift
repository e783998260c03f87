// SPDX-License-Identifier: Apache-2.0

/// Why a request isn't answered as it was meant to be, by a name that stays (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    /// The names of the gateway's own problems. Those of the database's rules are in `counterfoil.problems`.
    package enum Name: String, CaseIterable, Sendable {
        case malformedRequest = "malformed_request"
        case unknownMember = "unknown_member"
        case keyUnknown = "key_unknown"
        case keyExpired = "key_expired"
        case scopeMissing = "scope_missing"
        case bundleNotOfKey = "bundle_not_of_key"
        case tlsRequired = "tls_required"
        case orderUnknown = "order_unknown"
        case uploadUnknown = "upload_unknown"
        case routeUnknown = "route_unknown"
        case methodNotAllowed = "method_not_allowed"
        case notAcceptable = "not_acceptable"
        case requestTooSlow = "request_too_slow"
        case bodyTooLarge = "body_too_large"
        case proofTooLarge = "proof_has_1_byte_to_4_mib"
        case notificationTooLarge = "notification_has_at_most_256_kib"
        case notificationUnreadable = "notification_unreadable"
        case unsupportedMediaType = "unsupported_media_type"
        case rateLimited = "rate_limited"
        case internalError = "internal_error"
        case databaseUnavailable = "database_unavailable"
        case notPrimary = "not_primary"
        case tooManyWaits = "too_many_waits"
        case tooManyBytes = "too_many_bytes"
        case stopping = "stopping"
        case schemaIsNewer = "schema_is_newer"

        package var status: Int {
            switch self {
            case .malformedRequest, .unknownMember, .notificationUnreadable: 400
            case .keyUnknown, .keyExpired: 401
            case .scopeMissing, .bundleNotOfKey, .tlsRequired: 403
            case .orderUnknown, .uploadUnknown, .routeUnknown: 404
            case .methodNotAllowed: 405
            case .notAcceptable: 406
            case .requestTooSlow: 408
            case .bodyTooLarge, .proofTooLarge, .notificationTooLarge: 413
            case .unsupportedMediaType: 415
            case .rateLimited: 429
            case .internalError: 500
            case .databaseUnavailable, .notPrimary, .tooManyWaits, .tooManyBytes, .stopping, .schemaIsNewer: 503
            }
        }
    }

    package let name: String
    package let status: Int
    package var detail: String?
    /// The rule of the database that was broken, and its SQLSTATE.
    package var rule: String?
    package var code: String?
    package var facts: [String: JSONValue]
    /// Seconds after which another try may succeed.
    package var retryAfter: Int?
    /// The methods that the route has.
    package var allow: [String] = []

    package init(_ name: Name, _ detail: String? = nil, facts: [String: JSONValue] = [:], retryAfter: Int? = nil) {
        self.init(name: name.rawValue, status: name.status, detail: detail, facts: facts)
        self.retryAfter = retryAfter ?? self.retryAfter
    }

    package init(name: String, status: Int, detail: String? = nil, facts: [String: JSONValue] = [:]) {
        self.name = name
        self.status = status
        self.detail = detail
        self.facts = facts
        // Clients that come back at once would come back together.
        retryAfter = status == 503 ? Int.random(in: 1...5) : status == 429 ? 1 : nil
    }

    /// The problem's page.
    package var type: String { "/problems/\(name)" }

    /// The name in words.
    package var title: String { name.replacing("_", with: " ") }

    package func json(requestID: String) -> JSONValue {
        var members = facts
        members["type"] = .string(type)
        members["title"] = .string(title)
        members["status"] = .integer(Int64(status))
        members["request_id"] = .string(requestID)
        members["detail"] = detail.map(JSONValue.string)
        members["rule"] = rule.map(JSONValue.string)
        members["code"] = code.map(JSONValue.string)
        return .object(members)
    }
}
