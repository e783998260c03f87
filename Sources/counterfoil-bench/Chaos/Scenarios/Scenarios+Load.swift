// SPDX-License-Identifier: Apache-2.0

import Rehearsal

extension Scenarios {
    /// What customers do, in numbers.
    static let load = [
        Scenario(
            name: "burst", summary: "ten thousand purchases at once",
            settings: ChaosSettings(
                slots: 400, load: .seconds(10), rate: 1000, patience: .seconds(180), isBurst: true,
                kinds: [.signedTransaction, .receipt, .oldReceipt, .receiptOfSilentApp], shopConnections: 20),
            schedule: { series, _ in series.once(.strain) },
            leastFaults: 1),
        Scenario(
            name: "snapshot-held", summary: "a query holds a snapshot for the whole run, so that nothing is vacuumed",
            settings: ChaosSettings(load: .seconds(20), rate: 60),
            schedule: { series, settings in series.once(.holdSnapshot(for: settings.load), at: .zero) },
            leastFaults: 1),
        Scenario(
            name: "same-proof", summary: "one proof uploaded by a hundred connections at once, for a hundred orders, five times",
            settings: ChaosSettings(
                extra: Array(repeating: .sharedProof(orders: 100), count: 5), shopConnections: 100),
            schedule: { series, _ in series.once(.strain) },
            leastFaults: 1),
    ]
}
