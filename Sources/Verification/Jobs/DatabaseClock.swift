// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Synchronization

/// The time of day by the database's clock, which all workers share, whatever their own clocks show.
///
/// Apple refuses a token that bears a wrong time. That looks like a wrong key, and would close the gate for all workers: one worker
/// with a wrong clock must not do that to the others.
package final class DatabaseClock: Sendable {
    /// A difference up to this is left alone: the way from the database takes time too. Default 1 second.
    package static let tolerance: TimeInterval = 1

    /// How far the database's clock is ahead of this machine's.
    private let lead = Mutex<TimeInterval>(0)

    package init() {}

    /// This machine's time until the first ``follow(_:at:)``.
    package var now: Date { time(at: Date()) }

    /// Follows the database's clock.
    ///
    /// - Parameters:
    ///   - databaseTime: the database's time at this moment.
    ///   - machineTime: this machine's time at this moment.
    package func follow(_ databaseTime: Date, at machineTime: Date = Date()) {
        let found = databaseTime.timeIntervalSince(machineTime)
        lead.withLock { lead in
            if abs(found - lead) > Self.tolerance { lead = found }
        }
    }

    func time(at machineTime: Date) -> Date {
        machineTime.addingTimeInterval(lead.withLock { $0 })
    }
}
