// SPDX-License-Identifier: Apache-2.0

extension Scenarios {
    /// What befalls the network between workers and the database.
    static let network = [
        Scenario(
            name: "commit-lost", summary: "the connection lost exactly at a commit, before and after it is carried out",
            schedule: { series, settings in
                series.every(.milliseconds(700)) { number, _ in
                    .cutAt(number % 2 == 0 ? .committed : .committing, worker: number % settings.workers)
                }
            },
            leastFaults: 8, leastStale: 1, recoveryTarget: .seconds(2)),
        Scenario(
            name: "half-open", summary: "connections go silent, and neither side is told; one in the middle of a settlement",
            // By the role's idle_in_transaction_session_timeout.
            settings: ChaosSettings(rowsAreHeld: .seconds(10)),
            schedule: { series, settings in
                series.every(settings.load / 3) { number, _ in
                    number % 2 == 0
                        ? .silenceAt(.fenced, worker: number % settings.workers) : .silence(worker: number % settings.workers)
                }
            },
            leastFaults: 2, recoveryTarget: .seconds(15)),
        Scenario(
            name: "worker-cut-off", summary: "one worker reaches no database for longer than a lease",
            schedule: { series, settings in
                series.every(settings.lease + .seconds(3)) { number, _ in
                    .cutOff(worker: number % settings.workers, for: settings.lease + .seconds(2))
                }
            },
            leastFaults: 2),
        Scenario(
            name: "slow-network", summary: "everything between a worker and the database takes 100 ms longer, each way",
            schedule: { series, settings in
                series.every(.seconds(3)) { number, _ in
                    .slowDown(worker: number % settings.workers, by: .milliseconds(100), for: .seconds(2))
                }
            },
            leastFaults: 3),
    ]
}
