// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

/// The installation of a scenario, and its load.
struct ChaosSettings: Sendable {
    /// Worker processes. Default 3.
    var workers = 3
    /// Length of a lease. Default 4 s, the attempt's deadline half of it.
    var lease = Duration.seconds(4)
    /// How long a lost worker's rows may be held beyond its lease, for those who judge how long clients wait. Default zero.
    var rowsAreHeld = Duration.zero
    /// Whether the length of clients' waits is judged, which a busy machine makes longer. Default true.
    var judgesWaits = true
    /// How long a worker may drain. Default 5 s.
    var drain = Duration.seconds(5)
    /// Jobs that a worker executes at once. Default 4: no worker can do all the work alone, and leave the others none by which
    /// it would show that they work.
    var slots = 4
    /// How long purchases begin. Default 12 s.
    var load = Duration.seconds(12)
    /// The longest delay after a failure of Apple's; nil: a rehearsal's two seconds.
    var retryDelayCap: Duration?
    /// Purchases that begin in a second. Default 30.
    var rate = 30.0
    /// How long calls to the App Store take. Default about 150 ms.
    var latency = Latency.lognormal(median: .milliseconds(150), sigma: 0.4)
    /// How long an order may take after the load has ended. Default 90 s.
    var patience = Duration.seconds(90)

    /// How long purchases may take to begin, when they all begin at once: ``load`` still bounds the faults.
    var isBurst = false
    /// The stories that are played. Default ``ChaosLoad/kinds``.
    var kinds = ChaosLoad.kinds
    /// Stories besides, which the plan numbers after all others.
    var extra: [ExtraStory] = []
    /// Whether the shop has an address for Apple's notifications; then Apple tries again after so long, in place of an hour.
    var notificationHour: Duration?
    /// Gateways through which the shop's orders, proofs and polls go, and Apple's notifications; 0: the shop speaks SQL.
    var gateways = 0
    /// Whether the shop has an address for webhooks.
    var hasWebhooks = false
    /// Connections of the shop. Default 8.
    var shopConnections = 8
    /// What stands between the proxies and the data.
    var database = Database.plain
    /// Size of the file system that holds the data, in MiB; nil: that of the machine.
    var diskSize: Int?
    /// Further settings of the server, as `name=value`.
    var serverSettings: [String] = []
    /// Whether the server's log tells how long statements of workers took, a sample of them; no proxies then.
    var measuresStatements = false
    /// Whether the second half of the purchases waits until all faults are over.
    var secondHalfWaits = false
    /// The path of a program that knows an older schema only.
    var olderProgram: String?
    /// The first workers run that program, if there is one; the others wait until the schema is migrated.
    var olderWorkers = 2
    /// Whether somebody ends commits' waits for the standby, as a client does that cancels what takes too long.
    var cancelsWaitingCommits = false
    /// By worker, how far its clock is off, as libfaketime takes it: `+5h`.
    var clockOffsets: [Int: String] = [:]
    /// Shops in the same database, whose functions deliverers call.
    var shops: [ChaosShop] = []

    /// Whether one proof comes for many orders at once: more than ten.
    var sharesProofs: Bool {
        extra.contains { if case .sharedProof(let orders) = $0 { orders > 10 } else { false } }
    }

    enum Database: Sendable {
        case plain
        /// PgBouncer in transaction mode.
        case pooled
        /// Two servers: commits wait for a streaming standby.
        case replicated
    }

    enum ExtraStory: Sendable {
        case poison
        /// A receipt that Apple refuses the app's secret for, although it accepts the secret for others.
        case refusedSecret
        /// One payment for so many orders at once.
        case sharedProof(orders: Int)
        /// An order that a fault holds, and plays.
        case held
    }

    /// Lets purchases come in for so long, and orders come to rest for at least as long again.
    mutating func lengthen(to load: Duration) {
        self.load = load
        patience = max(patience, load + .seconds(60))
    }

    /// Workers that can run from the beginning.
    var workersAtFirst: Int { olderProgram == nil ? workers : olderWorkers }

    /// The number of the first extra story.
    var firstExtra: Int { purchases + 1 }

    /// The numbers of the purchases that a fault plays.
    var heldPurchases: Set<Int> {
        let held = extra.indices.filter { if case .held = extra[$0] { true } else { false } }
        return Set(held.map { firstExtra + $0 })
    }

    /// Purchases of the whole run, but for the extra ones.
    var purchases: Int { Int((Double(load.components.seconds) * rate).rounded()) }

    /// A worker's variables, beside those of every rehearsal.
    var variables: [String: String] {
        let delays = retryDelayCap.map { ["COUNTERFOIL_RETRY_DELAY_CAP": "\($0.components.seconds)s"] } ?? [:]
        return [
            "COUNTERFOIL_LEASE_DURATION": "\(lease.components.seconds)s",
            "COUNTERFOIL_ATTEMPT_DEADLINE": "\((lease / 2).components.seconds)s",
            "COUNTERFOIL_DRAIN_DURATION": "\(drain.components.seconds)s",
            "COUNTERFOIL_SLOTS": "\(slots)",
        ].merging(delays) { $1 }
    }
}
