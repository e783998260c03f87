// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator

/// A way in which Apple fails.
enum AppleFault: String, Equatable, Sendable {
    case outage
    case errors = "30 % errors"
    case stalls
    case wrongAnswers = "wrong answers"
    case tooManyRequests = "429"

    /// What an endpoint does then.
    func plan(_ latency: Latency, for endpoint: Endpoint) -> FaultPlan {
        switch self {
        case .outage:
            FaultPlan(latency: latency, faults: [.init(.http(code: 503), probability: 1)])
        case .errors:
            FaultPlan(
                latency: latency,
                faults: [
                    .init(.http(code: 503), probability: 0.1), .init(.reset, probability: 0.1),
                    .init(.disconnect, probability: 0.1),
                ])
        case .stalls:
            FaultPlan(latency: latency, faults: [.init(.stall, probability: 1)])
        case .wrongAnswers:
            FaultPlan(
                latency: latency,
                faults: [
                    .init(.html, probability: 0.25), .init(.truncatedJSON, probability: 0.25),
                    .init(.invalidJSON, probability: 0.25),
                    // Finish Transaction answers by the status of HTTP alone: in JSON nothing could be missing.
                    .init(endpoint == .finishTransaction ? .http(code: 500) : .statusMissing, probability: 0.25),
                ])
        case .tooManyRequests:
            FaultPlan(latency: latency, faults: [.init(.http(code: 429), probability: 1)])
        }
    }
}
