// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A time of day that only moves when told to.
final class ManualTime: Sendable {
    private let value: Mutex<Date>

    init(_ date: Date) {
        value = Mutex(date)
    }

    var now: Date { value.withLock { $0 } }

    func advance(by seconds: Double) {
        value.withLock { $0 = $0.addingTimeInterval(seconds) }
    }
}
