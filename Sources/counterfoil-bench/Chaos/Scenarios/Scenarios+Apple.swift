// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

extension Scenarios {
    /// What Apple does.
    static let apple = [
        Scenario(
            name: "apple-outage",
            summary: "nothing but errors from Apple: jobs are parked, and not charged for it",
            settings: ChaosSettings(slots: 100, load: .seconds(18), retryDelayCap: .seconds(900), rate: 40),
            schedule: { series, _ in series.once(.apple(.outage, for: .seconds(14)), at: .seconds(2)) },
            leastFaults: 1, mostFailedAttempts: 600, isDecidedBySettlement: false),
        Scenario(
            name: "apple-errors", summary: "30 % of Apple's answers are errors or broken off",
            settings: ChaosSettings(slots: 100),
            schedule: { series, settings in series.once(.apple(.errors, for: settings.load - .seconds(2))) },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "apple-stalls", summary: "Apple takes calls and never answers",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .apple(.stalls, for: .seconds(4)) } },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "apple-wrong-answers", summary: "Apple answers with pages, halves, and things that aren't JSON",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .apple(.wrongAnswers, for: .seconds(3)) } },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "apple-429", summary: "Apple asks for fewer calls, in storms",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(4)) { _, _ in .apple(.tooManyRequests, for: .seconds(2)) } },
            leastFaults: 2, isDecidedBySettlement: false),
        Scenario(
            name: "no-secret-refused",
            summary: "receipts only, and nothing is wrong: how long they take beside the next scenario's",
            settings: receipts(), schedule: { series, _ in series.once(.nothing(for: measuredFor), at: .seconds(2)) },
            leastFaults: 1, othersTarget: othersTarget, isDecidedBySettlement: false),
        Scenario(
            name: "one-secret-refused",
            summary: "Apple refuses the right secret for ten receipts, again and again, among others that pass",
            settings: receipts(refused: 10), schedule: { series, _ in series.once(.nothing(for: measuredFor), at: .seconds(2)) },
            leastFaults: 1, othersTarget: othersTarget, isDecidedBySettlement: false),
        Scenario(
            name: "secret-renewed", summary: "an app's secret is renewed at Apple, and written down some seconds later",
            settings: ChaosSettings(slots: 100, load: .seconds(20), kinds: [.receipt]),
            schedule: { series, _ in series.once(.renewSecret(.puzzle, mendedAfter: .seconds(5)), at: .seconds(3)) },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "intake-away",
            summary: "Apple tells, clients are lost, and for a while all tries are in vain: Apple's history has them",
            settings: notified(),
            schedule: { series, _ in series.once(.intakeAway(for: .seconds(8)), at: .seconds(2)) },
            leastFaults: 1, isDecidedBySettlement: false),
        Scenario(
            name: "notifications-and-kills", summary: "Apple tells, clients are lost, and workers are killed",
            settings: notified(),
            schedule: { series, settings in series.every(.seconds(2)) { number, _ in .kill(worker: number % settings.workers) } },
            leastFaults: 4),
        Scenario(
            name: "notifications-and-failover", summary: "Apple tells, clients are lost, and the primary is killed",
            settings: notified(on: .replicated),
            schedule: { series, settings in
                series.once(.failOver, at: settings.load / 2)
                // Nothing can be stored meanwhile, and all of Apple's tries are over soon.
                series.once(.intakeAway(for: .seconds(5)), at: settings.load / 2 - .seconds(1))
            },
            leastFaults: 2, recoveryTarget: .seconds(5)),
    ]

    /// What Apple tells, of customers who mostly never come back. All six tries are over after three seconds.
    private static func notified(on database: ChaosSettings.Database = .plain) -> ChaosSettings {
        ChaosSettings(
            slots: 20,
            kinds: [
                .signedTransaction, .lostWithToken, .lostThenBack, .lostOfNobody, .lostWithAccountsToken, .refundTold,
                .reversalToldFirst, .refundToldFirst, .partialRefundTold, .renewalTold,
            ] + PurchaseKind.lives, notificationHour: .milliseconds(20), database: database)
    }

    private static let measuredFor = Duration.seconds(20)
    private static let othersTarget = Duration.milliseconds(500)

    /// Quick calls and free slots, so that a receipt takes no time but for what others hold up.
    private static func receipts(refused: Int = 0) -> ChaosSettings {
        ChaosSettings(
            slots: 100, load: measuredFor + .seconds(4), latency: .fixed(.milliseconds(20)),
            kinds: [.receipt],
            extra: Array(repeating: .refusedSecret, count: refused))
    }
}
