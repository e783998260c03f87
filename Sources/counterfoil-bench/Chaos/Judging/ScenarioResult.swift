// SPDX-License-Identifier: Apache-2.0

import Rehearsal

/// What one scenario came to.
struct ScenarioResult: Sendable {
    /// A worker may hold so much, in bytes, whatever waits for it.
    static let mostWorkerMemory = 400 << 20

    let scenario: Scenario
    let faults: [InjectedFault]
    var answers = AnswerVerdict()
    /// Jobs that were settled for good.
    let jobs: Int
    let paths: PathCounts
    let verdict: Verdict
    /// Of each fault from which something recovered, in seconds.
    let recoveries: [Double]
    /// Faults from which nothing recovered though it had to, a line each.
    let unrecovered: [String]
    /// Settlements that came too late and wrote nothing.
    let stale: Int
    /// The longest time in which nothing was settled, in seconds.
    let silence: Double
    /// Where the scenario has them measured.
    let claims: ClaimTimes?
    /// Where the scenario has them measured.
    let others: OtherOrders?
    /// In seconds, from the insert of the proof to the grant, where the scenario has it measured.
    let slowestOrder: Double?
    /// Where the scenario has them compared.
    let neighbour: NeighbourTimes?
    let seconds: Double
    /// The server's version.
    let postgres: String
    /// The most memory that a worker held which ran at the end, in bytes.
    let workerMemory: Int
    /// The attempts at the first of the orders that were lost, and at the slowest if it took too long, a line each.
    var stories: [String] = []

    /// What the run lacks to show anything, and what its workers took too much of.
    var gaps: [String] {
        var gaps: [String] = []
        if faults.count < scenario.leastFaults {
            gaps.append("only \(faults.count) faults came about, and \(scenario.leastFaults) had to")
        }
        gaps += scenario.missing(among: faults).map { "no fault came about that was \"\($0)\"" }
        gaps += unrecovered
        if scenario.isDecidedBySettlement { gaps += paths.gaps }
        if stale < scenario.leastStale {
            gaps.append("only \(stale) late settlements were refused, and \(scenario.leastStale) had to be")
        }
        if workerMemory > Self.mostWorkerMemory {
            gaps.append("a worker held \(workerMemory >> 20) MiB, and may hold \(Self.mostWorkerMemory >> 20) at most")
        }
        if scenario.othersTarget != nil { gaps += others?.complaints ?? ["no other orders were measured"] }
        if let most = scenario.slowestOrder, let slowestOrder, !(slowestOrder <= most / .seconds(1)) {
            gaps.append("the slowest order took \(ChaosReport.seconds(slowestOrder)), and may take \(most)")
        }
        if let target = scenario.claims { gaps += claims?.complaints(target) ?? ["no claims were measured"] }
        if scenario.comparesWithCalm { gaps += neighbour?.complaints ?? ["nothing was compared with a calm stretch"] }
        return gaps
    }

    /// Whether the promise held, and was put to the test.
    var isKept: Bool { verdict.isKept && gaps.isEmpty }

    /// Whether recovery was as fast as is aimed for; nil when no time is, or there was nothing to recover.
    var meetsRecoveryTarget: Bool? {
        guard let target = scenario.recoveryTarget, let worst = recoveries.max() else { return nil }
        return worst <= target / .seconds(1)
    }

    /// Whether claims were as fast as is aimed for; nil when nobody measured.
    var meetsClaimTarget: Bool? {
        guard let target = scenario.claims, let claims else { return nil }
        return claims[target.window][99] <= target.target / .milliseconds(1)
    }

    /// Whether other orders were as fast as is aimed for; nil when nobody measured.
    var meetsOthersTarget: Bool? {
        guard let target = scenario.othersTarget else { return nil }
        return others?.meets(target)
    }

    /// Whether it was as fast as is aimed for, in all that was measured.
    var meetsTargets: Bool { meetsRecoveryTarget != false && meetsClaimTarget != false && meetsOthersTarget != false }

    /// What is to be told beside the row, a line each.
    var remarks: [String] {
        faults.compactMap { fault in fault.remark.map { "\(fault.kind.label): \($0)" } } + [paths.line] + answers.lines
            + (claims?.lines ?? [])
            + (others.map { [$0.line] } ?? [])
            + (slowestOrder.map { ["slowest order: \(($0 * 100).rounded() / 100) s"] } ?? [])
            + (neighbour?.lines ?? [])
    }

    /// Everything that is wrong, a line each.
    var complaints: [String] {
        verdict.duplicates.map { "duplicate: " + $0 } + verdict.lost.map { "lost: " + $0 } + verdict.otherwise + gaps
    }

    /// How many faults of each kind came about.
    var faultCounts: [(label: String, count: Int)] {
        Dictionary(grouping: faults, by: \.kind.label).map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
    }
}
