// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

extension Scenarios {
    /// Locks of others. Orders that don't need what is locked must not wait.
    static let locks = [
        Scenario(
            name: "three-orders-held", summary: "three orders cancelled in a database transaction that a backend leaves idle",
            settings: settings(holding: 3), schedule: schedule(.cancelledOrders),
            leastFaults: 1, othersTarget: othersTarget),
        Scenario(
            name: "ten-orders-held", summary: "ten orders cancelled in a database transaction that a backend leaves idle",
            settings: settings(holding: 10), schedule: schedule(.cancelledOrders),
            leastFaults: 1, othersTarget: othersTarget),
        Scenario(
            name: "advisory-locks-held",
            summary: "advisory locks, those that the program ever took among them, held by a role that may only connect",
            settings: settings(holding: 10), schedule: schedule(.advisoryLocks),
            leastFaults: 1, othersTarget: othersTarget),
        Scenario(
            name: "migrated-meanwhile", summary: "the schema is migrated again and again, and each time nothing is missing",
            settings: settings(holding: 0),
            schedule: { series, _ in series.once(.migrateBeside(for: heldFor), at: .seconds(2)) },
            leastFaults: 1, othersTarget: othersTarget),
    ]

    private static let heldFor = Duration.seconds(20)
    private static let othersTarget = Duration.milliseconds(500)

    /// Quick calls and free slots, so that an order takes no time but for what others lock.
    private static func settings(holding orders: Int) -> ChaosSettings {
        ChaosSettings(
            slots: 100, load: heldFor + .seconds(4), latency: .fixed(.milliseconds(20)), kinds: [.signedTransaction],
            extra: Array(repeating: .held, count: orders) + ChaosLoad.sharedReceipts)
    }

    private static func schedule(_ hold: Hold) -> @Sendable (inout FaultSeries, ChaosSettings) -> Void {
        { series, _ in series.once(.hold(hold, for: heldFor), at: .seconds(2)) }
    }
}
