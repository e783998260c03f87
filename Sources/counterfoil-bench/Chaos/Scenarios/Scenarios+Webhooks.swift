// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

extension Scenarios {
    /// Workers tell a shop of every change by webhooks. At the end it was sent all that the feed has, each change under one id of
    /// its own, in order an order; and whoever obeys the events alone has what the ledger has.
    static let webhooks = [
        Scenario(
            name: "webhooks-and-failover",
            summary: "a sender killed, then the primary lost after a change was committed late, and before it was read",
            settings: ChaosSettings(hasWebhooks: true, database: .replicated),
            schedule: { series, settings in
                series.once(.kill(worker: 0), at: .seconds(3))
                series.once(.failOverAfterLateCommit, at: settings.load / 2)
            },
            leastFaults: 2, faultsThatMustCome: ["failed over after a late commit"], slowestRecovery: .seconds(8))
    ]
}
