// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Synchronization

/// A time of day that only moves when told to.
package final class ManualTime: Sendable {
    private let value: Mutex<Date>

    package init(_ date: Date) {
        value = Mutex(date)
    }

    package var now: Date { value.withLock { $0 } }

    package func set(_ date: Date) {
        value.withLock { $0 = date }
    }

    package func advance(by seconds: Double) {
        value.withLock { $0 = $0.addingTimeInterval(seconds) }
    }
}
