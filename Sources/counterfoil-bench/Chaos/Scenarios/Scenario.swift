// SPDX-License-Identifier: Apache-2.0

/// One row of the table: an installation, a load, what is done to it, and what is expected beside the promise itself.
struct Scenario: Sendable {
    let name: String
    /// What happens, for a person.
    let summary: String
    var settings = ChaosSettings()
    /// Writes the schedule of faults.
    let schedule: @Sendable (inout FaultSeries, ChaosSettings) -> Void
    /// So many faults must have come about, or the run has shown nothing.
    let leastFaults: Int
    /// Labels of faults, of each of which one must have come about.
    var faultsThatMustCome: [String] = []
    /// So many settlements that came too late must have been refused.
    var leastStale = 0
    /// So many attempts may have been charged because Apple failed.
    var mostFailedAttempts: Int?
    /// The time to recovery that is aimed for. A command that runs scenarios fails when one misses it; the promise is kept
    /// all the same.
    var recoveryTarget: Duration?
    /// When recovery must be over, where that is neither the time that is aimed for nor 3 s.
    var slowestRecovery: Duration?
    /// How long claims may take while its first fault lasts, or after it; nil: nobody measures.
    var claims: ClaimTarget?
    /// How long 99 of 100 orders that its first fault doesn't hold are aimed to take meanwhile, from the insert of the proof to the
    /// grant; nil: nobody measures. A command that runs scenarios fails when one misses it.
    var othersTarget: Duration?
    /// How long the slowest of all orders may take, from the insert of the proof to the grant; nil: nobody measures.
    var slowestOrder: Duration?
    /// Whether orders, and the first shop's deliveries, may take little longer while its first fault lasts than before it.
    var comparesWithCalm = false
    /// Whether each worker must complete something after the first fault is over.
    var everyWorkerCompletes = false
    /// What it needs, or is left out.
    var requirement: Requirement?
    /// Whether its fault strikes claims, settlements, commits, rows of the ledger, or the database. Not where it is an answer of
    /// Apple's, a clock, or the number of jobs.
    var isDecidedBySettlement = true

    /// Whether nothing may run beside it: it measures how long orders or claims take, or brings many purchases at once.
    var runsAlone: Bool {
        othersTarget != nil || slowestOrder != nil || claims != nil || comparesWithCalm || settings.isBurst || settings.sharesProofs
    }

    /// Why it can't be run here; nil when it can.
    var obstacle: String? { requirement?.obstacle(settings) }

    /// Who settles nothing any more, though there is work later than this after a fault, hasn't recovered from it.
    var recoveryLimit: Duration { slowestRecovery ?? recoveryTarget ?? .seconds(3) }

    func events(seed: UInt64) -> [FaultEvent] {
        var series = FaultSeries(seed: seed, load: settings.load, workers: settings.workers)
        schedule(&series, settings)
        return series.events
    }

    /// The labels of ``faultsThatMustCome`` of which no fault came about.
    func missing(among faults: [InjectedFault]) -> [String] {
        let labels = Set(faults.map(\.kind.label))
        return faultsThatMustCome.filter { !labels.contains($0) }
    }
}

/// How long claims may take while a fault lasts, or after it.
struct ClaimTarget: Sendable {
    let window: ClaimTimes.Window
    /// What 99 of 100 are aimed to stay under, as a time to recovery is.
    var target = Duration.milliseconds(3)
    /// When 99 of 100 don't stay under that, the scenario has failed, on however busy a machine: a claim that walks over
    /// rows in its way takes longer the more there are.
    var limit = Duration.milliseconds(50)
}

/// All scenarios, in the order in which they are run.
enum Scenarios {
    static let all = workers + gateways + database + deliveries + webhooks + locks + network + apple + load

    static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// The scenarios that a name stands for: `all`, `settlement` for those that settlement decides, or one; nil: for none.
    static func group(_ name: String) -> [Scenario]? {
        switch name {
        case "all": all
        case "settlement": all.filter(\.isDecidedBySettlement)
        default: named(name).map { [$0] }
        }
    }

    /// Those that every test run plays, with leases of 2 s.
    static let short = [
        "kill-random", "kill-at-points", "stop-continue", "terminate", "restart-postgres", "commit-lost", "half-open",
        "worker-cut-off",
    ]
}
