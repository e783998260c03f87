// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One run of one scenario, as `survives.md` keeps it: a line of JSON.
struct SurvivalRun: Codable, Hashable, Sendable {
    /// The sources' commit, with `+` where they differed from it.
    let commit: String
    /// The day, in UTC: `2026-11-28`.
    let date: String
    let machine: String
    let postgres: String
    /// Scenarios that ran at the same time, at most.
    let atOnce: Int
    /// How long purchases came in, if not as long as the scenario says.
    let minutes: Int?

    let scenario: String
    let seed: UInt64
    /// Why there is no result: the run ended by an error of its own.
    let error: String?
    let faults: Int
    let jobs: Int
    let twice: Int
    let lost: Int
    /// Other differences from what was planned, and whatever the run lacks to show anything.
    let otherwise: Int
    /// In seconds, of each fault that something recovered from.
    let recoveries: [Double]
    let late: Int
    /// 99 of 100 orders that the fault didn't strike took at most so many seconds, where that is measured.
    let otherOrders: Double?
    /// 99 of 100 claims took at most so many milliseconds, where that is measured.
    let claims: Double?
    /// Each time that was aimed for and missed, by a word.
    let missed: [String]

    var isKept: Bool { error == nil && twice == 0 && lost == 0 && otherwise == 0 }
}

/// What all runs of one invocation have in common.
struct SurvivalSurroundings: Sendable {
    let commit: String
    let machine: String
    let atOnce: Int
    let minutes: Int?

    func run(_ result: ScenarioResult, seed: UInt64, at date: Date = Date()) -> SurvivalRun {
        let targets = [
            ("recovery", result.meetsRecoveryTarget), ("claims", result.meetsClaimTarget),
            ("other orders", result.meetsOthersTarget),
        ]
        return SurvivalRun(
            commit: commit, date: Self.day(date), machine: machine, postgres: result.postgres, atOnce: atOnce,
            minutes: minutes, scenario: result.scenario.name, seed: seed, error: nil, faults: result.faults.count,
            jobs: result.jobs, twice: result.verdict.duplicates.count, lost: result.verdict.lost.count,
            otherwise: result.verdict.otherwise.count + result.gaps.count,
            recoveries: result.recoveries.map(Self.rounded), late: result.stale,
            otherOrders: result.others.flatMap { Self.finite($0.seconds[99]) },
            claims: result.scenario.claims.flatMap { target in result.claims.flatMap { Self.finite($0[target.window][99]) } },
            missed: targets.filter { $0.1 == false }.map(\.0))
    }

    /// A run that ended by an error of its own.
    func run(of scenario: Scenario, seed: UInt64, endedBy error: any Error, at date: Date = Date()) -> SurvivalRun {
        SurvivalRun(
            commit: commit, date: Self.day(date), machine: machine, postgres: "unknown", atOnce: atOnce, minutes: minutes,
            scenario: scenario.name, seed: seed, error: String("\(error)".prefix(200)), faults: 0, jobs: 0, twice: 0, lost: 0,
            otherwise: 0, recoveries: [], late: 0, otherOrders: nil, claims: nil, missed: [])
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? rounded(value) : nil }

    /// To a thousandth.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    private static func day(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle().year().month().day())
    }
}
