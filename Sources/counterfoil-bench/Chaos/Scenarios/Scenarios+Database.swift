// SPDX-License-Identifier: Apache-2.0

extension Scenarios {
    /// What befalls the database.
    static let database = [
        Scenario(
            name: "restart-postgres", summary: "PostgreSQL stopped as by a crash, and started again",
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .crashDatabase(away: .seconds(1)) } },
            leastFaults: 2, recoveryTarget: .seconds(2)),
        Scenario(
            name: "terminate-backends", summary: "every backend terminated, about every second",
            schedule: { series, _ in series.every(.seconds(1)) { _, _ in .terminateBackends } },
            leastFaults: 5, recoveryTarget: .seconds(2)),
    ]
}
