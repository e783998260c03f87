// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Observability
import Testing

@Suite struct PrometheusRegistryTests {
    /// Lines of one family, without the descriptions.
    private func samples(_ registry: PrometheusRegistry, _ name: String) -> [Substring] {
        registry.text().split(separator: "\n").filter { $0.hasPrefix(name) }
    }

    private func fresh() -> PrometheusRegistry {
        PrometheusRegistry([
            PrometheusFamily(name: "shop_calls_total", kind: .counter, help: "Calls, \\ and\nlines."),
            PrometheusFamily(name: "shop_depth", kind: .gauge, help: "Depth."),
            PrometheusFamily(name: "shop_wait_seconds", kind: .histogram(bounds: [0.1, 1]), help: "Waits."),
        ])
    }

    @Test func aFamilyIsDescribedAndItsTextEscaped() {
        let registry = fresh()
        Counter(label: "shop_calls_total", dimensions: [("to", "a\"b\\c\nd")], factory: registry).increment(by: 3)

        #expect(
            registry.text() == """
                # HELP shop_calls_total Calls, \\\\ and\\nlines.
                # TYPE shop_calls_total counter
                shop_calls_total{to="a\\"b\\\\c\\nd"} 3

                """)
    }

    @Test func aGaugeTellsItsLastValue() {
        let registry = fresh()
        let gauge = Meter(label: "shop_depth", factory: registry)

        gauge.set(7)
        gauge.set(0.25)
        gauge.increment(by: 2)

        #expect(samples(registry, "shop_depth") == ["shop_depth 2.25"])
    }

    @Test func aHistogramsBucketsHoldAllThatIsSmaller() {
        let registry = fresh()
        let timer = Timer(label: "shop_wait_seconds", dimensions: [("kind", "x")], factory: registry)

        for nanoseconds in [50_000_000, 100_000_000, 500_000_000, 30_000_000_000] {
            timer.recordNanoseconds(Int64(nanoseconds))
        }

        #expect(
            samples(registry, "shop_wait_seconds") == [
                "shop_wait_seconds_bucket{kind=\"x\",le=\"0.1\"} 2",
                "shop_wait_seconds_bucket{kind=\"x\",le=\"1\"} 3",
                "shop_wait_seconds_bucket{kind=\"x\",le=\"+Inf\"} 4",
                "shop_wait_seconds_sum{kind=\"x\"} 30.65",
                "shop_wait_seconds_count{kind=\"x\"} 4",
            ])
    }

    @Test func theSameNameAndLabelsAreTheSameMember() {
        let registry = fresh()

        Counter(label: "shop_calls_total", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
        Counter(label: "shop_calls_total", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()

        #expect(samples(registry, "shop_calls_total") == ["shop_calls_total{a=\"1\",b=\"2\"} 2"])
    }

    @Test func whatWasNotDescribedIsNotTold() {
        let registry = fresh()

        Counter(label: "shop_secrets_total", factory: registry).increment()
        Meter(label: "shop_calls_total", factory: registry).set(5)
        Timer(label: "shop_depth", factory: registry).recordNanoseconds(1)

        #expect(registry.text() == "")
    }

    @Test func aCounterNeverFalls() {
        let registry = fresh()
        let counter = Counter(label: "shop_calls_total", factory: registry)

        counter.increment(by: 2)
        counter.increment(by: -5)

        #expect(samples(registry, "shop_calls_total") == ["shop_calls_total 2"])
    }

    @Test func nothingIsLostBetweenThreads() async {
        let registry = fresh()
        let counter = Counter(label: "shop_calls_total", factory: registry)
        let timer = Timer(label: "shop_wait_seconds", factory: registry)
        let gauge = Meter(label: "shop_depth", factory: registry)

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<5000 {
                        counter.increment()
                        timer.recordNanoseconds(1_000_000)
                        gauge.increment(by: 1)
                    }
                }
            }
        }

        #expect(samples(registry, "shop_calls_total") == ["shop_calls_total 40000"])
        #expect(samples(registry, "shop_wait_seconds_count") == ["shop_wait_seconds_count 40000"])
        #expect(samples(registry, "shop_depth") == ["shop_depth 40000"])
    }

    @Test func theProcessTellsOfItself() {
        let names = ProcessStatistics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.prefix { $0 != " " }
        }

        #expect(
            names.map(String.init) == [
                "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes",
                "process_start_time_seconds", "process_virtual_memory_bytes",
            ])
    }
}
