// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Rehearsal

/// What a run came to, as text. A value without I/O.
struct DevReport: Sendable {
    let summaries: [KindSummary]
    let differences: [Difference]
    let checks: [CheckResult]
    let measurements: Measurements
    let answers: AnswerVerdict
    /// Jobs that were pending when the time was up, in words.
    let pendingJobs: [String]

    init(
        _ plan: PurchasePlan, _ observation: Observation, checks: [CheckResult], measurements: Measurements,
        answers: AnswerVerdict = AnswerVerdict(), pendingJobs: [String] = []
    ) {
        differences = Comparison(plan, observation).differences
        summaries = KindSummary.summaries(plan, observation, differences)
        self.checks = checks
        self.measurements = measurements
        self.answers = answers
        self.pendingJobs = pendingJobs
    }

    /// Whether everything is as it has to be.
    var isClean: Bool {
        differences.isEmpty && answers.wrong.isEmpty && pendingJobs.isEmpty && checks.allSatisfy(\.rows.isEmpty)
    }

    var text: String {
        [table, invariants, figures, told, faults, verdict].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    // MARK: Sections

    private var table: String {
        let heading = Self.row("kind of purchase", "purchases", "uploads", "")
        let rows = summaries.flatMap { summary in
            [
                Self.row(
                    summary.kind.title, "\(summary.purchases)", "\(summary.uploads)",
                    summary.differences == 0 ? "ok" : "\(summary.differences) DIFFERENT")
            ] + summary.lines.map(Self.outcome)
        }
        return ([heading] + rows).joined(separator: "\n")
    }

    private static func row(_ kind: String, _ purchases: String, _ uploads: String, _ judgement: String) -> String {
        func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
        let columns = kind + right(purchases, 49 - kind.count) + right(uploads, 9)
        return judgement.isEmpty ? columns : columns + "  " + judgement
    }

    private static func outcome(_ line: KindSummary.Line) -> String {
        "    \(line.expected) × \(line.outcome)" + (line.got == line.expected ? "" : ", got \(line.got)")
    }

    private var invariants: String {
        "invariants\n"
            + checks.map { check in
                check.rows.isEmpty
                    ? "  ok    \(check.name)"
                    : "  FAIL  \(check.name)\n"
                        + check.rows.prefix(10).flatMap { WrappedText($0, indent: 10).lines }.joined(separator: "\n")
            }.joined(separator: "\n")
    }

    private var figures: String {
        let done = measurements
        var lines = [
            "\(done.jobs) jobs in \(Self.rounded(done.seconds)) s: \(Self.rounded(done.jobsPerSecond)) a second",
            "\(done.followUps) of them reported a grant to Apple",
            "\(done.duplicates) duplicates prevented, \(done.rescues) rescues after \(done.kills) kills",
            "\(done.retries) retries, \(done.snoozes) snoozes, \(done.releases) releases",
            "",
        ]
        let latencies = done.latencies.map { latency in
            Self.object([
                ("insert to fulfilled", .text(latency.proofKind ?? "all")),
                ("orders", .integer(Int64(latency.orders))),
                ("p50 ms", .integer(Int64(latency.percentiles[0].rounded()))),
                ("p95 ms", .integer(Int64(latency.percentiles[1].rounded()))),
                ("p99 ms", .integer(Int64(latency.percentiles[2].rounded()))),
            ])
        }
        if !latencies.isEmpty { lines += [TextTable(latencies).text, ""] }
        let calls = done.calls.map { call in
            Self.object([
                ("calls to", .text(call.endpoint)), ("environment", .text(call.environment)), ("answer", .text(call.outcome)),
                ("calls", .integer(Int64(call.count))),
            ])
        }
        if !calls.isEmpty { lines.append(TextTable(calls).text) }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// A calm wait is aimed to last a second, on a machine that has nothing else to do.
    private var told: String {
        (["what clients were told"] + answers.lines.flatMap { WrappedText($0, indent: 2).lines }).joined(separator: "\n")
    }

    private var faults: String {
        var lines: [String] = []
        if !answers.wrong.isEmpty {
            lines.append("wrong answers")
            lines += answers.wrong.prefix(Self.shownDifferences).flatMap { WrappedText($0.line, indent: 2).lines }
            if answers.wrong.count > Self.shownDifferences {
                lines.append("  and \(answers.wrong.count - Self.shownDifferences) more")
            }
        }
        if !differences.isEmpty {
            lines.append("differences")
            lines += differences.prefix(Self.shownDifferences).flatMap { WrappedText($0.line, indent: 2).lines }
            if differences.count > Self.shownDifferences {
                lines.append("  and \(differences.count - Self.shownDifferences) more")
            }
        }
        if !pendingJobs.isEmpty {
            lines.append("jobs that never came to rest")
            lines += pendingJobs.flatMap { WrappedText($0, indent: 2).lines }
        }
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        let failed = checks.count { !$0.rows.isEmpty }
        return isClean
            ? "no difference"
            : "\(differences.count) differences, \(answers.wrong.count) wrong answers, \(failed) failed invariants, "
                + "\(pendingJobs.count) pending jobs"
    }

    private static let shownDifferences = 100

    private static func object(_ fields: [(String, OutputValue)]) -> OutputValue {
        .object(fields.map { OutputValue.Field(name: $0.0, value: $0.1) })
    }

    /// With one digit after the point.
    private static func rounded(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}
