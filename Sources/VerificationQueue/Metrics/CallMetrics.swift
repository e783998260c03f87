// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Verification

/// How long calls to Apple took, by endpoint, environment and how they ended.
package struct CallMetrics: Sendable {
    /// How a call ended; the words are labels.
    enum Result: String, CaseIterable {
        case answered, failed, limited, misconfigured
    }

    private struct Key: Hashable {
        let endpoint: Endpoint
        let result: Result
    }

    private let timers: [Key: Timer]

    /// Where nobody reads metrics.
    package static let unread = CallMetrics(timers: [:])

    private init(timers: [Key: Timer]) {
        self.timers = timers
    }

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

    /// Makes a call and measures it. What is verified here, by its signature, is no call, and neither is a late one.
    ///
    /// - Parameter isRefusal: whether Apple refuses our key by its answer.
    func measure<Answer>(
        _ endpoint: Endpoint, isRefusal: (Answer) -> Bool = { _ in false },
        _ call: () async throws(VerificationFailure) -> Answer
    ) async throws(VerificationFailure) -> Answer {
        guard endpoint.route != .local else { return try await call() }
        let start = ContinuousClock.now
        do {
            let answer = try await call()
            ended(endpoint, since: start, isRefusal(answer) ? .misconfigured : .answered)
            return answer
        } catch {
            if !error.isLate { ended(endpoint, since: start, Result(error)) }
            throw error
        }
    }

    private func ended(_ endpoint: Endpoint, since start: ContinuousClock.Instant, _ result: Result) {
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
