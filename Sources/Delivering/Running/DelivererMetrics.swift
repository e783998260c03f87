// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import FoundationEssentials
import VerificationQueue

/// What a deliverer tells of itself.
package struct DelivererMetrics: Sendable {
    private let ready: Meter
    private let waiting: Meter
    private let oldestWaiting: Meter
    private let paused: Meter
    private let lag: Meter
    private let delivered: Counter
    private let failed: Counter

    /// - Parameter factory: makes the handles for ``Metric/ofDeliverers``.
    package init(factory: any MetricsFactory, version: String) {
        ready = Metric.delivererReady.gauge(factory)
        waiting = Metric.waitingChanges.gauge(factory)
        oldestWaiting = Metric.oldestWaitingChange.gauge(factory)
        paused = Metric.deliveriesPaused.gauge(factory)
        lag = Metric.deliveryLag.gauge(factory)
        delivered = Metric.deliveries.counter(factory, "delivered")
        failed = Metric.deliveries.counter(factory, "failed")
        Metric.buildInfo.gauge(factory, version).set(1)
    }

    func count(delivered changes: Int) { delivered.increment(by: changes) }

    func countFailure() { failed.increment() }

    func set(_ snapshot: DelivererSnapshot) {
        let progress = snapshot.progress
        ready.set(snapshot.isReady ? 1 : 0)
        waiting.set(progress.waiting)
        oldestWaiting.set(progress.oldestWaiting)
        paused.set(progress.isPaused ? 1 : 0)
        let now = Date().timeIntervalSince1970
        lag.set(progress.oldestInHand.map { max(0, now - Double($0) / 1_000_000) } ?? 0)
    }
}
