// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import VerificationQueue

/// What a worker tells of the webhooks that it sends, and of all endpoints.
package struct WebhookMetrics: Sendable {
    private let endpoints: [WebhookReading.State: Meter]
    private let waiting: Meter
    private let givenUp: Meter
    private let lag: Meter
    private let calls: [String: Counter]

    package init(factory: any MetricsFactory) {
        endpoints = Dictionary(
            uniqueKeysWithValues: WebhookReading.State.allCases.map { ($0, Metric.webhookEndpoints.gauge(factory, $0.rawValue)) })
        waiting = Metric.webhookEvents.gauge(factory, "waiting")
        givenUp = Metric.webhookEvents.gauge(factory, "given_up")
        lag = Metric.webhookLag.gauge(factory)
        let results = ["handled", "failed", "slow", "gone", "released"]
        calls = Dictionary(uniqueKeysWithValues: results.map { ($0, Metric.webhookCalls.counter(factory, $0)) })
    }

    func count(_ result: WebhookResult) { calls[result.name]?.increment() }

    func set(_ reading: WebhookReading) {
        for (state, meter) in endpoints { meter.set(reading.endpoints[state] ?? 0) }
        waiting.set(reading.waiting)
        givenUp.set(reading.givenUp)
        lag.set(reading.lag)
    }
}
