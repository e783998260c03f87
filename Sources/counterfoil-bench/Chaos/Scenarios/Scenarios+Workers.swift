// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator

extension Scenarios {
    /// What befalls worker processes.
    static let workers = [
        Scenario(
            name: "kill-random", summary: "SIGKILL of any worker about every second",
            schedule: { series, _ in
                series.every(.seconds(1)) { _, generator in .kill(worker: Int.random(in: 0..<3, using: &generator)) }
            },
            leastFaults: 5, recoveryTarget: .seconds(6)),
        Scenario(
            name: "kill-at-points", summary: "SIGKILL at each point between claim, verify, settle and commit",
            settings: ChaosSettings(load: .seconds(16)),
            schedule: { series, settings in
                let moments = Scenarios.kills(of: 0).count
                series.every((settings.load * 0.9 - .seconds(1)) / (moments + 1)) { number, _ in
                    Scenarios.kills(of: number % settings.workers)[number % moments]
                }
            },
            leastFaults: NamedPoint.allCases.count + 1, faultsThatMustCome: Scenarios.kills(of: 0).map(\.label),
            recoveryTarget: .seconds(6)),
        Scenario(
            name: "stop-continue", summary: "SIGSTOP for longer than a lease, then SIGCONT",
            // Calls that are long beside the time between purchases: whenever a worker is stopped, it has some under way.
            settings: ChaosSettings(
                slots: 12, latency: .fixed(.milliseconds(700)), kinds: ChaosLoad.kindsOfReceipts,
                extra: ChaosLoad.sharedReceipts),
            schedule: { series, settings in
                series.every(settings.lease + .seconds(3)) { number, _ in
                    .pause(worker: number % settings.workers, for: settings.lease + .seconds(2))
                }
            },
            leastFaults: 2, leastStale: 1),
        Scenario(
            name: "late-settlement",
            summary: "SIGSTOP for little longer than a lease: the late worker meets the one that took over",
            settings: ChaosSettings(
                slots: 60, load: .seconds(20), rate: 60, latency: .fixed(.milliseconds(1500)),
                kinds: ChaosLoad.kindsOfReceipts, extra: ChaosLoad.sharedReceipts),
            schedule: { series, settings in
                series.every(settings.lease + .seconds(2)) { number, _ in
                    .pause(worker: number % settings.workers, for: settings.lease)
                }
            },
            // Whoever goes on first ends its late attempts, and waits for calls this long: 7.5 s at worst.
            leastFaults: 2, leastStale: 1, slowestRecovery: .seconds(10)),
        Scenario(
            name: "terminate", summary: "SIGTERM of any worker under full load",
            schedule: { series, settings in
                series.every(.seconds(2)) { number, _ in .drain(worker: number % settings.workers) }
            },
            leastFaults: 4, recoveryTarget: .seconds(4)),
        Scenario(
            name: "drain", summary: "SIGTERM of a worker with a thousand jobs in flight, whose calls take 300 ms",
            // What it took before it was stopped must still be its own when it goes on.
            settings: ChaosSettings(
                workers: 1, lease: .seconds(60), slots: 2000, load: .seconds(10), rate: 180,
                latency: .fixed(.milliseconds(300)), isBurst: true, kinds: ChaosLoad.kindsOfReceipts,
                extra: ChaosLoad.sharedReceipts, shopConnections: 20),
            schedule: { series, settings in
                series.once(.drainInFlight(jobs: 1000, of: settings.purchases, worker: 0), at: .zero)
            },
            leastFaults: 1, recoveryTarget: .milliseconds(2300)),
        Scenario(
            name: "poison", summary: "a proof that ends every process which attempts it",
            settings: ChaosSettings(load: .seconds(20), extra: [.poison]),
            schedule: { series, settings in series.once(.poison(order: "\(settings.firstExtra)-1")) },
            leastFaults: 5),
        Scenario(
            name: "wrong-clock", summary: "the clock of one worker five hours ahead, of another one behind",
            // With all kinds of proofs: Apple refuses tokens of another time, and the gates would close for everybody.
            settings: ChaosSettings(clockOffsets: [0: "+5h", 1: "-5h"]),
            schedule: { series, _ in
                series.once(.wrongClock(worker: 0))
                series.once(.wrongClock(worker: 1))
            },
            leastFaults: 2, requirement: .fakeTime, isDecidedBySettlement: false),
    ]

    /// A kill at each moment between claim, verify, settle and commit.
    private static func kills(of worker: Int) -> [FaultKind] {
        let atPoints = NamedPoint.allCases.map { FaultKind.killAt($0, worker: worker) }
        return atPoints + [.killWhileAsking(worker: worker)]
    }
}
