// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import counterfoil_bench

/// What `survives.md` keeps of runs, and what it says of them.
@Suite struct SurvivalRecordTests {
    private static let sources = String(repeating: "0a", count: 32)

    private func run(
        of scenario: String = "kill-random", seed: UInt64 = 1, commit: String = "9e4c211", twice: Int = 0, lost: Int = 0,
        otherwise: Int = 0, recoveries: [Double] = [4.1, 3.9], error: String? = nil, missed: [String] = []
    ) -> SurvivalRun {
        SurvivalRun(
            commit: commit, date: "2026-11-28", machine: "2 cores, a processor, 8.2 GB, Linux 6.1", postgres: "15.20", atOnce: 2,
            minutes: nil, scenario: scenario, seed: seed, error: error, faults: 10, jobs: 617, twice: twice, lost: lost,
            otherwise: otherwise, recoveries: recoveries, late: 3, otherOrders: nil, claims: nil, missed: missed)
    }

    private func lines(_ record: SurvivalRecord) throws -> [String] {
        try record.text().split(separator: "\n").map(String.init)
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let record = SurvivalRecord(
            sources: Self.sources,
            runs: [run(), run(of: "same-proof", lost: 1), run(seed: 2, error: "no \"server\"\n```", missed: ["recovery"])])

        #expect(try SurvivalRecord(text: record.text()) == record)
        #expect(try SurvivalRecord(text: SurvivalRecord(sources: Self.sources).text()).runs == [])
    }

    @Test func runsOfOneScenarioAddUpInItsRow() throws {
        var record = try SurvivalRecord(text: SurvivalRecord(sources: Self.sources, runs: [run()]).text())

        record.add(run(seed: 3, recoveries: [7.5]))

        let row = "| `kill-random`: SIGKILL of any worker about every second | 1, 3 | 2 | 0 | 20 | 1234 | 0 | 0 | 0 "
        #expect(try lines(record).contains(row + "| 4.10 s | 7.50 s | 6 |  |  |"))
        #expect(try lines(record).contains("| in sum | 1, 3 | 2 | 0 | 20 | 1234 | 0 | 0 | 0 |  |  | 6 |  |  |"))
    }

    @Test func theHeadNamesWhatTheRunsAreOf() throws {
        let lines = try lines(SurvivalRecord(sources: Self.sources, runs: [run(), run(seed: 2, commit: "1f2b6e6")]))

        #expect(lines.contains("| Sources | `\(Self.sources)` |"))
        #expect(lines.contains("| Commit | 9e4c211; 1f2b6e6 |"))
        #expect(lines.contains("| Date | 2026-11-28 |"))
        #expect(lines.contains("| Machine | 2 cores, a processor, 8.2 GB, Linux 6.1 |"))
        #expect(lines.contains("| PostgreSQL | 15.20 |"))
        #expect(lines.contains("| Seeds | 1; 2 |"))
        #expect(lines.contains("| Failed runs | 0 of 2 |"))
    }

    @Test(arguments: ["twice", "lost", "otherwise", "error"])
    func aRunThatFailedStaysAsFailedAfterAGoodOne(what: String) throws {
        let failed = run(
            twice: what == "twice" ? 1 : 0, lost: what == "lost" ? 2 : 0, otherwise: what == "otherwise" ? 1 : 0,
            error: what == "error" ? "no server" : nil)
        var record = try SurvivalRecord(text: SurvivalRecord(sources: Self.sources, runs: [failed]).text())

        record.add(run())

        #expect(!failed.isKept)
        #expect(try lines(record).contains("| Failed runs | 1 of 2 |"))
        #expect(try lines(record).contains { $0.contains("about every second | 1 | 2 | 1 | ") })
    }

    @Test func aMissedTargetIsNamedAndIsNoFailure() throws {
        let record = SurvivalRecord(sources: Self.sources, runs: [run(missed: ["recovery"]), run(seed: 2, missed: ["recovery"])])

        #expect(try lines(record).contains { $0.hasPrefix("| `kill-random`: ") && $0.hasSuffix("| recovery, 2 times |") })
        #expect(try lines(record).contains("| Failed runs | 0 of 2 |"))
    }

    @Test func scenariosThatWereNotRunAreNamed() throws {
        let all = SurvivalRecord(sources: Self.sources, runs: Scenarios.all.map { run(of: $0.name) })

        #expect(try lines(SurvivalRecord(sources: Self.sources, runs: [run()])).contains { line in
            line.hasPrefix("Not run: ") && line.contains("`same-proof`") && !line.contains("`kill-random`")
        })
        #expect(try lines(all).contains("Not run: none."))
    }

    @Test func otherSourcesBeginANewRecord() {
        let record = SurvivalRecord(sources: Self.sources, runs: [run()])
        let others = String(repeating: "1b", count: 32)

        #expect(record.of(sources: Self.sources) == record)
        #expect(record.of(sources: others) == SurvivalRecord(sources: others))
    }

    /// It may be somebody's work, or the end of it may be missing.
    @Test func whatIsNoRecordIsRefused() throws {
        let text = try SurvivalRecord(sources: Self.sources, runs: [run(), run(seed: 2)]).text()
        let odd = [
            "", "# Notes\n", text.replacing("0a0a", with: "0a"), text.replacing("```json", with: "```"),
            text.replacing("\"jobs\":617", with: "\"jobs\":\"many\""), text.replacing("\n```\n", with: "\n"), text + text,
        ]

        for text in odd {
            #expect(throws: BenchError.self) { _ = try SurvivalRecord(text: text) }
        }
    }

    @Test func aFileIsAddedToAndBegunAnewForOtherSources() throws {
        let folder = try BenchFile.folder()
        defer { BenchFile.remove(folder) }
        let surroundings = SurvivalSurroundings(commit: "9e4c211", machine: "a machine", atOnce: 1, minutes: nil)
        func file(_ sources: String) -> SurvivalFile {
            SurvivalFile(path: folder + "/survives.md", sources: sources, surroundings: surroundings)
        }
        let others = String(repeating: "1b", count: 32)

        try file(Self.sources).add(run())
        try file(Self.sources).add(run(seed: 2))
        let both = try file(Self.sources).record()
        let begun = try file(others).record()
        try file(others).add(run(seed: 3))

        #expect(both == SurvivalRecord(sources: Self.sources, runs: [run(), run(seed: 2)]))
        #expect(begun == SurvivalRecord(sources: others))
        #expect(try file(others).record() == SurvivalRecord(sources: others, runs: [run(seed: 3)]))
    }

    @Test func aFileThatIsNoRecordIsLeftAlone() throws {
        let folder = try BenchFile.folder()
        defer { BenchFile.remove(folder) }
        let path = folder + "/notes.md"
        try BenchFile.write("# Notes\n", to: path)
        let surroundings = SurvivalSurroundings(commit: "9e4c211", machine: "a machine", atOnce: 1, minutes: nil)

        #expect(throws: BenchError.self) {
            try SurvivalFile(path: path, sources: Self.sources, surroundings: surroundings).add(run())
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "# Notes\n")
    }

    /// The file beside the README, whoever wrote it last.
    @Test func theFileOfTheRepositoryIsARecord() throws {
        let record = try SurvivalRecord(text: Repository.text("Sources/counterfoil-bench/survives.md"))

        #expect(record.runs.allSatisfy { Scenarios.named($0.scenario) != nil })
    }
}
