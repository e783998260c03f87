// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

/// The installation of a scenario, and its load.
struct ChaosSettings: Sendable {
    /// Worker processes. Default 3.
    var workers = 3
    /// Length of a lease. Default 4 s, the attempt's deadline half of it.
    var lease = Duration.seconds(4)
    /// How long a worker may drain. Default 5 s.
    var drain = Duration.seconds(5)
    /// Jobs that a worker executes at once. Default 100.
    var slots = 100
    /// How long purchases begin. Default 12 s.
    var load = Duration.seconds(12)
    /// Purchases that begin in a second. Default 30.
    var rate = 30.0
    /// How long calls to the App Store take. Default about 150 ms.
    var latency = Latency.lognormal(median: .milliseconds(150), sigma: 0.4)
    /// How long an order may take after the load has ended. Default 90 s.
    var patience = Duration.seconds(90)

    /// Purchases of the whole run.
    var purchases: Int { Int((Double(load.components.seconds) * rate).rounded()) }

    /// A worker's variables, beside those of every rehearsal.
    var variables: [String: String] {
        [
            "COUNTERFOIL_LEASE_DURATION": "\(lease.components.seconds)s",
            "COUNTERFOIL_ATTEMPT_DEADLINE": "\((lease / 2).components.seconds)s",
            "COUNTERFOIL_RESCUE_INTERVAL": "250ms",
            "COUNTERFOIL_DRAIN_DURATION": "\(drain.components.seconds)s",
            "COUNTERFOIL_SLOTS": "\(slots)",
        ]
    }
}
