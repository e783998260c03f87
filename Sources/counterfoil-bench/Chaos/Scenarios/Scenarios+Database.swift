// SPDX-License-Identifier: Apache-2.0

extension Scenarios {
    /// What befalls the database.
    static let database = [
        Scenario(
            name: "restart-postgres", summary: "PostgreSQL stopped as by a crash, and started again",
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .crashDatabase(away: .seconds(1)) } },
            leastFaults: 2, recoveryTarget: .seconds(2)),
        Scenario(
            name: "postgres-away",
            summary: "PostgreSQL away for two minutes, or for as long as purchases come in: every lease runs out",
            settings: ChaosSettings(load: .seconds(20), patience: .seconds(240)),
            schedule: { series, settings in
                series.once(.crashDatabase(away: max(.seconds(120), settings.load)), at: .seconds(4))
            },
            leastFaults: 1, recoveryTarget: .seconds(2)),
        Scenario(
            name: "terminate-backends", summary: "every backend terminated, about every second",
            schedule: { series, _ in series.every(.seconds(1)) { _, _ in .terminateBackends } },
            leastFaults: 5, recoveryTarget: .seconds(2)),
        Scenario(
            name: "failover", summary: "the primary killed, its synchronous standby promoted, workers with both hosts go on",
            settings: ChaosSettings(database: .replicated),
            schedule: { series, settings in series.once(.failOver, at: settings.load / 2) },
            leastFaults: 1, recoveryTarget: .seconds(5)),
        Scenario(
            name: "switchover",
            summary: "the primary stopped, its synchronous standby promoted: a lost claim doesn't wait for the end of its lease of a minute",
            settings: ChaosSettings(lease: .seconds(60), slots: 30, load: .seconds(20), database: .replicated),
            schedule: { series, settings in series.once(.switchOver, at: settings.load / 2) },
            leastFaults: 1, recoveryTarget: .seconds(5), slowestOrder: .seconds(5)),
        Scenario(
            name: "standby-away",
            summary: "the synchronous standby away for two minutes: no commit becomes visible, and no order is lost by the wait",
            settings: ChaosSettings(workers: 10, patience: .seconds(240), database: .replicated),
            schedule: { series, _ in series.once(.standbyAway(for: .seconds(120)), at: .seconds(4)) },
            leastFaults: 1, recoveryTarget: .seconds(5)),
        Scenario(
            name: "pgbouncer", summary: "PgBouncer in transaction mode in front, killed now and then",
            settings: ChaosSettings(database: .pooled),
            schedule: { series, _ in
                series.every(.seconds(2)) { number, _ in number % 2 == 0 ? .killPooler : .terminateBackends }
            },
            leastFaults: 4, recoveryTarget: .seconds(2), requirement: .pgBouncer),
        Scenario(
            name: "disk-full", summary: "the database's disk is full for some seconds, again and again",
            settings: ChaosSettings(
                load: .seconds(20), diskSize: 400, serverSettings: ["max_wal_size=64MB", "min_wal_size=32MB"]),
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .fillDisk(for: .seconds(4)) } },
            leastFaults: 2, requirement: .root),
        Scenario(
            name: "old-and-new-workers",
            summary: "the schema is migrated under workers of an older one, newer ones join them, and both are killed",
            settings: ChaosSettings(workers: 4, load: .seconds(24)),
            schedule: { series, settings in
                series.once(.migrate, at: .seconds(5))
                for worker in 0..<settings.workers {
                    series.once(.kill(worker: worker), at: .seconds(10 + 3 * worker))
                }
            },
            leastFaults: 5, recoveryTarget: .seconds(6), everyWorkerCompletes: true, requirement: .olderWorker),
    ]
}
