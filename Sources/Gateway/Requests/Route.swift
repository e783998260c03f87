// SPDX-License-Identifier: Apache-2.0

/// A kind of request that a listener answers.
package enum Route: Hashable, Sendable {
    case order(String)
    case proofs(order: String)
    case cancellation(order: String)
    case upload(Int64)
    case orders
    case transactions
    case subscriptions
    case consumptionRequests
    case changes
    case changesStart
    case openAPI
    case problem(String)
    case notifications
    case liveness
    case readiness

    /// One of each, for metrics and tests.
    package static let all: [Route] = [
        .order(""), .proofs(order: ""), .cancellation(order: ""), .upload(1), .orders, .transactions, .subscriptions,
        .consumptionRequests, .changes, .changesStart, .openAPI, .problem(""), .notifications, .liveness, .readiness,
    ]

    /// As it stands in documents, logs and metrics: without ids.
    package var name: String {
        switch self {
        case .order: "/v1/orders/{order}"
        case .proofs: "/v1/orders/{order}/proofs"
        case .cancellation: "/v1/orders/{order}/cancel"
        case .upload: "/v1/uploads/{job_id}"
        case .orders: "/v1/orders"
        case .transactions: "/v1/transactions"
        case .subscriptions: "/v1/subscriptions"
        case .consumptionRequests: "/v1/consumption-requests"
        case .changes: "/v1/changes"
        case .changesStart: "/v1/changes/start"
        case .openAPI: "/v1/openapi.json"
        case .problem: "/problems/{name}"
        case .notifications: "/v1/apple/notifications"
        case .liveness: "/livez"
        case .readiness: "/readyz"
        }
    }

    package var methods: [String] {
        switch self {
        case .order: ["GET", "PUT"]
        case .proofs, .cancellation, .notifications: ["POST"]
        default: ["GET"]
        }
    }

    /// The scope that a key needs; nil where no key is asked for.
    package func scope(_ method: String) -> KeyScope? {
        switch self {
        case .order: method == "GET" ? .read : .orders
        case .proofs, .cancellation: .orders
        case .upload, .orders, .transactions, .subscriptions: .read
        // These routes answer for all accounts: they need the scope of the feed.
        case .changes, .changesStart, .consumptionRequests: .feed
        case .openAPI, .problem, .notifications, .liveness, .readiness: nil
        }
    }

    /// Whose paths a listener takes: Apple's knows its own alone.
    package enum Audience: String, CaseIterable, Sendable { case shop, apple }

    /// - Throws: `route_unknown`; `malformed_request` for an id of no form.
    package init(_ path: RequestPath, for audience: Audience) throws(Problem) {
        switch (audience, path.segments.count, path.segments.first ?? "") {
        case (.apple, 3...4, "v1")
        where path.segments[1] == "apple" && path.segments[2] == "notifications" && path.segments.last != "":
            // A further segment gives each app an address of its own, and is told to nobody.
            self = .notifications
        case (.shop, 1, "livez"): self = .liveness
        case (.shop, 1, "readyz"): self = .readiness
        case (.shop, 2, "problems"): self = .problem(path.segments[1])
        case (.shop, 2..., "v1"): self = try Self.ofShop(path.segments.dropFirst())
        default: throw Problem(.routeUnknown)
        }
    }

    private static func ofShop(_ segments: ArraySlice<String>) throws(Problem) -> Route {
        let rest = Array(segments.dropFirst())
        switch (segments.first ?? "", rest.count) {
        case ("orders", 0): return .orders
        case ("orders", 1): return .order(try PathID.decode(rest[0]))
        case ("orders", 2) where rest[1] == "proofs": return .proofs(order: try PathID.decode(rest[0]))
        case ("orders", 2) where rest[1] == "cancel": return .cancellation(order: try PathID.decode(rest[0]))
        case ("uploads", 1):
            guard let job = Int64(rest[0]), job > 0, String(job) == rest[0] else { throw Problem(.uploadUnknown) }
            return .upload(job)
        case ("transactions", 0): return .transactions
        case ("subscriptions", 0): return .subscriptions
        case ("consumption-requests", 0): return .consumptionRequests
        case ("changes", 0): return .changes
        case ("changes", 1) where rest[0] == "start": return .changesStart
        case ("openapi.json", 0): return .openAPI
        default: throw Problem(.routeUnknown)
        }
    }
}
