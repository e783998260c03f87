// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

/// A number that only rises.
final class PrometheusCounter: CounterHandler {
    private let value = Atomic<Int64>(0)

    var total: Int64 { value.load(ordering: .relaxed) }

    /// A negative amount is no count, and is passed over.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }
}
