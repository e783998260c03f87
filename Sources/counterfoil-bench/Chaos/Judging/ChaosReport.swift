// SPDX-License-Identifier: Apache-2.0

/// The table of a run: a row a scenario.
enum ChaosReport {
    private static let widths = [26, 4, 6, 6, 5, 4, 5, 8, 8, 5, 8]

    static let head = row([
        "scenario", "seed", "faults", "jobs", "twice", "lost", "other", "recovery", "worst", "stale", "seconds",
    ])

    static func row(_ result: ScenarioResult, seed: UInt64) -> String {
        let recoveries = Percentiles(result.recoveries)
        let target = result.meetsRecoveryTarget.map { $0 ? "" : " (target \(result.scenario.recoveryTarget ?? .zero): MISSED)" }
        let claims = result.meetsClaimTarget == false ? " (claims: MISSED)" : ""
        let others = result.meetsOthersTarget == false ? " (other orders: MISSED)" : ""
        let verdict = result.isKept ? "ok" : "FAILED"
        return row([
            result.scenario.name, "\(seed)", "\(result.faults.count)", "\(result.jobs)", "\(result.verdict.duplicates.count)",
            "\(result.verdict.lost.count)", "\(result.verdict.otherwise.count)", seconds(recoveries.median),
            seconds(recoveries[100]), "\(result.stale)", seconds(result.seconds),
        ]) + "  " + verdict + (target ?? "") + claims + others
    }

    /// In place of a row.
    static func leftOut(_ scenario: Scenario, because obstacle: String) -> String {
        "\(scenario.name): left out, \(obstacle)"
    }

    /// What was done, and what is wrong.
    static func details(_ result: ScenarioResult, limit: Int = 20) -> [String] {
        let faults = result.faultCounts.map { "\($0.count) × \($0.label)" }.joined(separator: ", ")
        let complaints = result.complaints
        let more = complaints.count > limit ? ["and \(complaints.count - limit) more"] : []
        let silence = "longest silence \(seconds(result.silence))"
        let memory = "largest worker \(result.workerMemory >> 20) MiB"
        return ["    \(result.scenario.summary): \(faults); \(silence); \(memory)"] + result.remarks.map { "    \($0)" }
            + (complaints.prefix(limit) + more).map { "    ! \($0)" }
            + result.stories.prefix(limit).map { "      " + $0 }
    }

    private static func row(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { column, cell in
            let room = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return column == 0 ? cell.0 + room : room + cell.0
        }.joined(separator: " ")
    }

    /// With two digits after the point.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "–" }
        let hundredths = Int((seconds * 100).rounded())
        let rest = String(hundredths % 100)
        return "\(hundredths / 100)." + (rest.count < 2 ? "0" : "") + rest + " s"
    }
}
