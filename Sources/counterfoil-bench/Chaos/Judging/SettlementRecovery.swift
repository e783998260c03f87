// SPDX-License-Identifier: Apache-2.0

import Rehearsal

/// What came after a fault whose recovery shows in settlements. A value without I/O.
struct SettlementRecovery: Sendable {
    /// So many claims for each worker, whoever made them, show that there was work for all.
    private static let claimsOfOneWorker: Int64 = 10

    /// Its number among the faults that came about, from 1.
    let number: Int
    let fault: InjectedFault
    /// Seconds until something was settled that shows recovery; nil when nothing ever was.
    var time: Double?
    /// Claims that came when recovery should have been over, whoever made them.
    var laterClaims: Int64 = 0
    /// Jobs that nobody had settled when the run ended.
    var jobsLeft: Int64 = 0

    /// That nothing recovered; nil when something did, or there was too little left to do for showing it.
    func gap(workers: Int) -> String? {
        guard time == nil, jobsLeft > 0 || laterClaims >= Self.claimsOfOneWorker * Int64(workers) else { return nil }
        let missing =
            switch fault.recovery {
            case .settlementOf(let worker): "\(WorkerFleet.name(ofWorker: worker)) never settled anything"
            case .verdictOfApple: "no receipt was ever verified"
            case .settlement, .none, .leasesOf, .ended: "nothing was ever settled"
            }
        return "\(missing) after fault \(number) (\(fault.kind.label)): "
            + "\(laterClaims) jobs were claimed later, and \(jobsLeft) were left"
    }
}
