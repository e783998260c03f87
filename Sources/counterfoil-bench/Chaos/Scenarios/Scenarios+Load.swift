// SPDX-License-Identifier: Apache-2.0

import Rehearsal

extension Scenarios {
    /// What customers do, in numbers.
    static let load = [
        Scenario(
            name: "burst", summary: "ten thousand purchases at once",
            settings: ChaosSettings(
                slots: 400, load: .seconds(10), rate: 1000, patience: .seconds(180), isBurst: true,
                kinds: [.signedTransaction, .receipt, .receiptOfSilentApp], shopConnections: 20),
            schedule: { series, _ in series.once(.strain) },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "snapshot-held",
            summary: "an analyst's snapshot is held while 200000 jobs come and go, so that nothing is vacuumed",
            // 400 jobs a second, which take less than half of two cores, in a cache that holds the queue: what claims take is
            // measured, not what they wait for.
            settings: ChaosSettings(
                workers: 2, slots: 200, load: .seconds(500), rate: 5, patience: .seconds(300),
                serverSettings: ["shared_buffers=512MB"], measuresStatements: true),
            schedule: { series, settings in
                series.once(.churnUnderSnapshot(jobs: 200_000, for: settings.load), at: .seconds(5))
            },
            leastFaults: 1, claims: ClaimTarget(window: .during), isDecidedBySettlement: false),
        Scenario(
            name: "future-jobs", summary: "five million jobs wait for tomorrow",
            settings: ChaosSettings(
                slots: 100, load: .seconds(40), serverSettings: ["max_wal_size=4GB", "maintenance_work_mem=256MB"],
                measuresStatements: true, secondHalfWaits: true),
            schedule: { series, settings in series.once(.futureJobs(5_000_000), at: settings.load / 2) },
            leastFaults: 1, claims: ClaimTarget(window: .after), isDecidedBySettlement: false),
        Scenario(
            name: "same-proof", summary: "one proof uploaded by a hundred connections at once, for a hundred orders, five times",
            // Settlements of one payment follow one another: none of them loses its lease by that.
            settings: ChaosSettings(
                lease: .seconds(15), slots: 100, extra: Array(repeating: .sharedProof(orders: 100), count: 5), shopConnections: 100),
            schedule: { series, _ in series.once(.strain) },
            leastFaults: 1),
    ]
}
