// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

extension Scenarios {
    /// Faults of shops in the ledger's database, whose functions `counterfoil deliver` calls. At the end each shop's goods are
    /// those of the feed, each change called for once, in order an order.
    static let deliveries = [
        Scenario(
            name: "neighbour-raises",
            summary: "a shop's function raises errors of every class; workers and another shop's deliverer don't notice",
            settings: besideANeighbour, schedule: harm(.raises), leastFaults: 1, comparesWithCalm: true),
        Scenario(
            name: "neighbour-sleeps",
            summary: "a shop's function sleeps; workers and another shop's deliverer don't notice",
            settings: besideANeighbour, schedule: harm(.sleeps), leastFaults: 1, comparesWithCalm: true),
        Scenario(
            name: "deliveries-and-kills",
            summary: "deliverers killed, sessions ended, the server crashed, the function replaced; many proofs, few balances",
            settings: ChaosSettings(
                slots: 60, load: .seconds(24), extra: Array(repeating: .held, count: 300),
                shops: [ChaosShop(name: "shop", deliverers: 2)]),
            schedule: { series, settings in
                series.every(.milliseconds(600)) { number, generator in
                    number % 3 == 2 ? .terminateDeliverers : .killDeliverer(Int.random(in: 0..<2, using: &generator))
                }
                series.once(.uploadInOneCommit, at: .seconds(3))
                series.once(.replaceFunctions(for: settings.load / 3), at: .seconds(2))
                series.once(.spend(for: settings.load - .seconds(4)), at: .seconds(2))
                series.once(.crashDatabase(away: .seconds(1)), at: settings.load / 3)
                series.once(.crashDatabase(away: .seconds(1)), at: settings.load * 2 / 3)
            },
            leastFaults: 20,
            faultsThatMustCome: ["uploaded in one commit", "function replaced", "balances locked", "database crashed"],
            slowestRecovery: .seconds(5)),
        Scenario(
            name: "deliveries-and-pooler",
            summary: "deliverers behind PgBouncer in transaction mode, which is killed now and then, as their sessions are",
            settings: ChaosSettings(database: .pooled, shops: [ChaosShop(name: "shop", deliverers: 2)]),
            schedule: { series, _ in
                series.every(.seconds(1)) { number, generator in
                    switch number % 3 {
                    case 0: .killPooler
                    case 1: .terminateDeliverers
                    default: .killDeliverer(Int.random(in: 0..<2, using: &generator))
                    }
                }
            },
            leastFaults: 6, slowestRecovery: .seconds(5), requirement: .pgBouncer),
        Scenario(
            name: "deliveries-and-failover",
            summary: "the primary lost after a change was committed late, and before it was read: deliverers begin anew",
            settings: ChaosSettings(database: .replicated, shops: [ChaosShop(name: "shop", deliverers: 2)]),
            schedule: { series, settings in
                series.once(.killDeliverer(0), at: .seconds(2))
                series.once(.failOverAfterLateCommit, at: settings.load / 2)
                series.once(.killDeliverer(1), at: settings.load * 0.9)
            },
            leastFaults: 3, faultsThatMustCome: ["failed over after a late commit"], slowestRecovery: .seconds(8)),
    ]

    private static let calmFor = Duration.seconds(14)
    private static let harmFor = Duration.seconds(20)
    private static let neighbour = "neighbour"

    /// Quick calls and free slots, so that an order takes no time but for what others do to it.
    private static let besideANeighbour = ChaosSettings(
        slots: 100, load: calmFor + harmFor + .seconds(2), latency: .fixed(.milliseconds(20)), kinds: [.signedTransaction],
        extra: ChaosLoad.sharedReceipts, shops: [ChaosShop(name: "shop"), ChaosShop(name: neighbour, waits: true)])

    private static func harm(_ harm: ChaosShop.Harm) -> @Sendable (inout FaultSeries, ChaosSettings) -> Void {
        { series, _ in series.once(.harm(shop: neighbour, harm, for: harmFor), at: calmFor) }
    }
}
