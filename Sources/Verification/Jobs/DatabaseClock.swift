// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Synchronization

/// The time of day by the database's clock, which is what all of a fleet go by, whatever their own clocks say.
///
/// Apple refuses a token that bears a wrong time, which looks like a wrong key and would close the gate for everybody: one
/// worker whose clock is off must not do that to the others.
package final class DatabaseClock: Sendable {
    /// A difference up to this is left alone: the way from the database takes time too. Default 1 second.
    package static let tolerance: TimeInterval = 1

    /// How far the database's clock is ahead of this machine's.
    private let lead = Mutex<TimeInterval>(0)

    package init() {}

    /// This machine's time until the first ``follow(_:at:)``.
    package var now: Date { time(at: Date()) }

    /// Takes note of what the database's clock says at this moment.
    ///
    /// - Parameter machineTime: what this machine's says.
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
