// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

/// One thing that is done to a running installation. Workers are named by their index.
enum FaultKind: Equatable, Sendable {
    // Processes
    case kill(worker: Int)
    /// SIGKILL while the App Store is being asked.
    case killWhileAsking(worker: Int)
    /// SIGKILL when a connection of the worker comes to a point.
    case killAt(NamedPoint, worker: Int)
    /// SIGSTOP for a while, then SIGCONT.
    case pause(worker: Int, for: Duration)
    /// SIGTERM; it has to end by itself.
    case drain(worker: Int)
    /// SIGTERM when a worker, which first finds so many orders' jobs waiting, has taken a number of them.
    case drainInFlight(jobs: Int, of: Int, worker: Int)

    // Gateways, by their index
    /// SIGKILL of a gateway, with whatever it was asked.
    case killGateway(Int)
    /// SIGTERM of a gateway, which answers what it was asked.
    case stopGateway(Int)

    // The database
    /// Stopped as by a crash, away for a while, and started again.
    case crashDatabase(away: Duration)
    case terminateBackends
    /// Jobs that grant nothing come in for a while and are settled, and one snapshot is held until the last of them is gone:
    /// what is deleted meanwhile stays in the way.
    case churnUnderSnapshot(jobs: Int, for: Duration)
    /// So many jobs more, which aren't due; taken away when all has come to rest.
    case futureJobs(Int)
    /// No byte is free where the data lies, for a while.
    case fillDisk(for: Duration)
    /// The schema is brought up to date, and workers that know only the new one begin.
    case migrate
    /// Something that some orders need is locked by somebody else for a while; their proofs come meanwhile.
    case hold(Hold, for: Duration)
    /// The schema is migrated again and again, while workers work.
    case migrateBeside(for: Duration)
    /// The primary is killed, and its standby promoted.
    case failOver
    /// The primary is stopped as an operator would, and its standby promoted.
    case switchOver
    /// The synchronous standby is stopped for a while.
    case standbyAway(for: Duration)
    case killPooler

    // Shops in the database
    /// SIGKILL of a deliverer.
    case killDeliverer(Int)
    /// The sessions of all deliverers are ended.
    case terminateDeliverers
    /// The shops' functions are replaced again and again for a while.
    case replaceFunctions(for: Duration)
    /// The shops' own work locks what deliveries lock, for a while.
    case spend(for: Duration)
    /// The proofs of the orders that are held come in one commit.
    case uploadInOneCommit
    /// A shop's function does harm for a while.
    case harm(shop: String, ChaosShop.Harm, for: Duration)
    /// The primary is lost right after the commit of a change that was written minutes before, and its standby promoted.
    case failOverAfterLateCommit

    // The network
    /// The connection that comes to a point is lost, by both sides.
    case cutAt(NamedPoint, worker: Int)
    /// The connection that comes to a point goes silent, and neither side is told.
    case silenceAt(NamedPoint, worker: Int)
    /// All connections of a worker go silent; new ones stand.
    case silence(worker: Int)
    /// A worker reaches no database for a while.
    case cutOff(worker: Int, for: Duration)
    /// Everything between a worker and its database takes longer for a while, in each direction.
    case slowDown(worker: Int, by: Duration, for: Duration)

    // Apple, proofs and clocks
    case apple(AppleFault, for: Duration)
    /// The shop's address for notifications refuses all for a while; then an operator has workers ask Apple for what was missed.
    case intakeAway(for: Duration)
    /// Nothing is broken for a while, in which orders are measured.
    case nothing(for: Duration)
    /// Apple takes another shared secret of an app, and so long after its gate has closed an operator writes it down.
    case renewSecret(ShopApp, mendedAfter: Duration)
    /// Every process that attempts this order's job is killed, until the job is given up. Counted once a process.
    case poison(order: String)
    /// The worker's clock is off, as its settings say.
    case wrongClock(worker: Int)
    /// Nothing is broken; the load itself is the strain.
    case strain
}

extension FaultKind {
    /// Whether it stops or starts a server, which is done one after the other.
    var movesTheServer: Bool {
        switch self {
        case .crashDatabase, .failOver, .failOverAfterLateCommit, .switchOver, .standbyAway, .fillDisk: true
        default: false
        }
    }

    /// What is counted under one name.
    var label: String {
        switch self {
        case .kill: "killed"
        case .killWhileAsking: "killed while Apple was asked"
        case .killAt(let point, _): "killed at: \(point.rawValue)"
        case .pause: "paused beyond the lease"
        case .drain: "drained"
        case .drainInFlight: "drained with all in flight"
        case .killGateway: "gateway killed"
        case .stopGateway: "gateway stopped"
        case .crashDatabase: "database crashed"
        case .terminateBackends: "all backends terminated"
        case .cutAt(let point, _): "connection lost at: \(point.rawValue)"
        case .silenceAt(let point, _): "connection silent at: \(point.rawValue)"
        case .silence: "connections silent"
        case .cutOff: "cut off"
        case .slowDown: "network slow"
        case .churnUnderSnapshot: "snapshot held"
        case .futureJobs: "jobs of the future"
        case .fillDisk: "disk full"
        case .migrate: "schema migrated"
        case .hold(let hold, _): hold.rawValue
        case .migrateBeside: "migrated meanwhile"
        case .failOver: "failed over"
        case .switchOver: "switched over"
        case .standbyAway: "standby away"
        case .killPooler: "pooler killed"
        case .killDeliverer: "deliverer killed"
        case .terminateDeliverers: "deliverers' sessions ended"
        case .replaceFunctions: "function replaced"
        case .spend: "balances locked"
        case .uploadInOneCommit: "uploaded in one commit"
        case .harm(let shop, let harm, _): "\(shop) \(harm.rawValue)"
        case .failOverAfterLateCommit: "failed over after a late commit"
        case .apple(let fault, _): "Apple: \(fault.rawValue)"
        case .intakeAway: "intake away"
        case .nothing: "nothing"
        case .renewSecret: "secret renewed"
        case .poison: "killed by a poison proof"
        case .wrongClock: "wrong clock"
        case .strain: "strained"
        }
    }
}

/// A fault and its moment.
struct FaultEvent: Equatable, Sendable {
    /// From the beginning of the load.
    var at: Duration
    var kind: FaultKind
}
