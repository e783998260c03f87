// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

/// A number that rises and falls.
final class PrometheusGauge: MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(Double(0).bitPattern)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    func set(_ value: Int64) {
        set(Double(value))
    }

    func record(_ value: Double) {
        set(value)
    }

    func record(_ value: Int64) {
        set(Double(value))
    }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.compareExchange(expected: old, desired: new, ordering: .relaxed)
            guard !exchanged else { return }
            old = current
        }
    }

    func decrement(by amount: Double) {
        increment(by: -amount)
    }
}
