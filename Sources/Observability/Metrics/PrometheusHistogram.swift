// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

/// Observations by size. Durations are taken in nanoseconds and told in seconds.
final class PrometheusHistogram: TimerHandler, RecorderHandler {
    struct State: Sendable, Equatable {
        /// Of each bucket alone; the last has no bound.
        var counts: [Int64]
        var sum = 0.0
    }

    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var current: State { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) {
        record(Double(duration) / 1e9)
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        // An observation belongs to the first bucket whose bound it doesn't exceed.
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }
}
