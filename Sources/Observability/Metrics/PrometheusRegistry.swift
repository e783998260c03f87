// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import Synchronization

/// Makes the handles that metrics are recorded by, and renders all of them as text for Prometheus.
///
/// A name that wasn't described beforehand gets handles that do nothing: what is exposed is a closed list. The same
/// name and labels always give the same member. Nothing is ever taken out.
package final class PrometheusRegistry: MetricsFactory {
    private struct Series {
        var counters: [PrometheusLabels: PrometheusCounter] = [:]
        var gauges: [PrometheusLabels: PrometheusGauge] = [:]
        var histograms: [PrometheusLabels: PrometheusHistogram] = [:]
    }

    private let families: [String: PrometheusFamily]
    private let series = Mutex<[String: Series]>([:])

    package init(_ families: [PrometheusFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: Handles

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter = families[label]?.kind else { return nothing }
        let labels = PrometheusLabels(dimensions)
        return series.withLock { series in
            let counter = series[label]?.counters[labels] ?? PrometheusCounter()
            series[label, default: Series()].counters[labels] = counter
            return counter
        }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions) ?? nothing
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            histogram(label, dimensions) ?? nothing
        } else {
            gauge(label, dimensions) ?? nothing
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? nothing
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private var nothing: NOOPMetricsHandler { .instance }

    private func gauge(_ name: String, _ dimensions: [(String, String)]) -> PrometheusGauge? {
        guard case .gauge = families[name]?.kind else { return nil }
        let labels = PrometheusLabels(dimensions)
        return series.withLock { series in
            let gauge = series[name]?.gauges[labels] ?? PrometheusGauge()
            series[name, default: Series()].gauges[labels] = gauge
            return gauge
        }
    }

    private func histogram(_ name: String, _ dimensions: [(String, String)]) -> PrometheusHistogram? {
        guard case .histogram(let bounds) = families[name]?.kind else { return nil }
        let labels = PrometheusLabels(dimensions)
        return series.withLock { series in
            let histogram = series[name]?.histograms[labels] ?? PrometheusHistogram(bounds: bounds)
            series[name, default: Series()].histograms[labels] = histogram
            return histogram
        }
    }

    // MARK: Text

    /// Every family that has members, in the order of their names, in the text format 0.0.4.
    package func text() -> String {
        let all = series.withLock { $0 }
        var text = ""
        for (name, series) in all.sorted(by: { $0.key < $1.key }) {
            guard let family = families[name] else { continue }
            text += PrometheusText.header(family)
            for (labels, counter) in series.counters.sorted(by: { $0.key.key < $1.key.key }) {
                text += "\(name)\(labels.text()) \(counter.total)\n"
            }
            for (labels, gauge) in series.gauges.sorted(by: { $0.key.key < $1.key.key }) {
                text += "\(name)\(labels.text()) \(PrometheusText.number(gauge.value))\n"
            }
            for (labels, histogram) in series.histograms.sorted(by: { $0.key.key < $1.key.key }) {
                text += Self.text(name, labels, histogram)
            }
        }
        return text
    }

    /// Buckets are told cumulatively.
    private static func text(_ name: String, _ labels: PrometheusLabels, _ histogram: PrometheusHistogram) -> String {
        let state = histogram.current
        var text = ""
        var count: Int64 = 0
        for (bound, number) in zip(histogram.bounds + [.infinity], state.counts) {
            count += number
            text += "\(name)_bucket\(labels.text(bound: PrometheusText.number(bound))) \(count)\n"
        }
        text += "\(name)_sum\(labels.text()) \(PrometheusText.number(state.sum))\n"
        text += "\(name)_count\(labels.text()) \(count)\n"
        return text
    }
}
