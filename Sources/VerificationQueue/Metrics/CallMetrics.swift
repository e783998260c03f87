// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Verification

/// How long calls to Apple took, by endpoint, environment and how they ended.
struct CallMetrics: Sendable {
    /// How a call ended; the words are labels.
    enum Result: String, CaseIterable {
        case answered, failed, limited, misconfigured
    }

    private struct Key: Hashable {
        let endpoint: Endpoint
        let result: Result
    }

    private let timers: [Key: Timer]

    init(factory: any MetricsFactory) {
        var timers: [Key: Timer] = [:]
        for route in Route.allCases where route != .local {
            for environment in AppStoreEnvironment.allCases {
                for result in Result.allCases {
                    let key = Key(endpoint: Endpoint(route: route, environment: environment), result: result)
                    timers[key] = Metric.appStoreCalls.timer(
                        factory, route.rawValue, environment.rawValue, result.rawValue)
                }
            }
        }
        self.timers = timers
    }

    /// - Parameter failure: nil when the call was answered. A late call was none.
    func called(_ endpoint: Endpoint, since start: ContinuousClock.Instant, _ failure: VerificationFailure?) {
        if failure?.isLate == true { return }
        called(endpoint, since: start, failure.map(Result.init) ?? .answered)
    }

    func called(_ endpoint: Endpoint, since start: ContinuousClock.Instant, _ result: Result) {
        timers[Key(endpoint: endpoint, result: result)]?.recordNanoseconds(start.duration(to: .now).nanoseconds)
    }
}

extension CallMetrics.Result {
    fileprivate init(_ failure: VerificationFailure) {
        switch failure.kind {
        case .transient: self = .failed
        case .rateLimited: self = .limited
        case .configuration, .credentialRefused: self = .misconfigured
        case .uncertain, .needsAPerson: self = .answered
        }
    }
}
