// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The contents of `survives.md`: all runs of chaos scenarios over the same sources. A value without I/O.
///
/// The runs stand in it as lines of JSON, and are read from there. All else is written anew from them.
struct SurvivalRecord: Hashable, Sendable {
    private static let begin = "```json"
    private static let end = "```"
    private static let sum = "in sum"

    /// SHA-256 of what decides, as `deploy/survives.sh` computes it.
    let sources: String
    private(set) var runs: [SurvivalRun] = []

    init(sources: String, runs: [SurvivalRun] = []) {
        self.sources = sources
        self.runs = runs
    }

    /// - Throws: where the text is no record, or a line of it can't be read: such a file is nobody's to overwrite.
    init(text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let sums = lines.compactMap { $0.wholeMatch(of: /\| Sources \| `([0-9a-f]{64})` \|/)?.output.1 }
        guard sums.count == 1 else { throw BenchError("it names \(sums.count) checksums of sources") }
        guard let first = lines.firstIndex(of: Self.begin[...]),
            let last = lines[first...].firstIndex(of: Self.end[...])
        else { throw BenchError("it has no list of runs") }
        sources = String(sums[0])
        runs = try lines[(first + 1)..<last].enumerated().map { number, line in
            do {
                return try JSONDecoder().decode(SurvivalRun.self, from: Data(line.utf8))
            } catch {
                throw BenchError("run \(number + 1) can't be read")
            }
        }
    }

    mutating func add(_ run: SurvivalRun) { runs.append(run) }

    /// The same record; of other sources a new one without runs.
    func of(sources: String) -> SurvivalRecord {
        sources == self.sources ? self : SurvivalRecord(sources: sources)
    }

    /// The file. Rows of scenarios stand in the order of ``Scenarios/all``.
    func text() throws -> String {
        let names = Scenarios.all.map(\.name)
        let groups = Dictionary(grouping: runs, by: \.scenario)
        let shown = names.filter { groups[$0] != nil } + groups.keys.filter { !names.contains($0) }.sorted()
        let missing = names.filter { groups[$0] == nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try runs.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        return ([
            "# What Counterfoil survives", "",
            "`counterfoil-bench chaos --survives FILE` writes this file, and adds to it. [README](README.md#survives) explains it.",
            "A run that broke a promise stays in it as failed. Runs of other sources are dropped: `deploy/survives.sh` computes",
            "the checksum, `deploy/test` prints whether it still is the tree's, and `deploy/build-deb` builds no tagged version",
            "where it isn't.", "",
        ] + head + [""] + Self.table(shown.map { name in Self.row(name, groups[name] ?? []) } + [Self.row(Self.sum, runs)]) + [
            "", "Not run: " + (missing.isEmpty ? "none." : missing.map { "`\($0)`" }.joined(separator: ", ") + "."), "",
            "## Runs", "", "The program reads these lines.", "", Self.begin,
        ] + json + [Self.end, ""]).joined(separator: "\n")
    }

    /// Of everything that several runs differ in, each value.
    private var head: [String] {
        func each(_ values: [String]) -> String {
            var seen = Set<String>()
            return values.isEmpty ? "–" : values.filter { seen.insert($0).inserted }.joined(separator: "; ")
        }
        let failed = runs.count { !$0.isKept }
        return [
            "| | |", "|---|---|",
            "| Sources | `\(sources)` |",
            "| Commit | \(each(runs.map(\.commit))) |",
            "| Date | \(each(runs.map(\.date).sorted())) |",
            "| Machine | \(each(runs.map(\.machine))) |",
            "| PostgreSQL | \(each(runs.filter { $0.error == nil }.map(\.postgres))) |",
            "| Seeds | \(each(runs.map(\.seed).sorted().map(String.init))) |",
            "| Scenarios at once | \(each(runs.map(\.atOnce).sorted().map(String.init))) |",
            "| Granted twice | \(runs.map(\.twice).reduce(0, +)) |",
            "| Lost | \(runs.map(\.lost).reduce(0, +)) |",
            "| Failed runs | \(failed) of \(runs.count) |",
        ]
    }

    private static func table(_ rows: [[String]]) -> [String] {
        [
            "| Scenario | Seeds | Runs | Failed | Faults | Jobs | Twice | Lost | Otherwise | Recovery, middle | worst | Late "
                + "| 99 of 100 | Targets missed |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        ] + rows.map { "| " + $0.joined(separator: " | ") + " |" }
    }

    private static func row(_ name: String, _ runs: [SurvivalRun]) -> [String] {
        let scenario = Scenarios.named(name)
        func sum(_ value: KeyPath<SurvivalRun, Int>) -> String { "\(runs.map { $0[keyPath: value] }.reduce(0, +))" }
        let isSum = name == Self.sum
        let recoveries = Percentiles(isSum ? [] : runs.flatMap(\.recoveries))
        let slowest =
            isSum
            ? []
            : [
                runs.compactMap(\.otherOrders).max().map { "other orders \(seconds($0))" },
                runs.compactMap(\.claims).max().map { "claims \(Measurement.Figure.milliseconds($0))" },
            ].compactMap(\.self)
        let missed = Dictionary(grouping: runs.flatMap(\.missed), by: \.self).sorted { $0.key < $1.key }
            .map { $0.value.count > 1 ? "\($0.key), \($0.value.count) times" : $0.key }
        return [
            isSum ? name : "`\(name)`" + (scenario.map { ": \($0.summary)" } ?? ""),
            Set(runs.map(\.seed)).sorted().map(String.init).joined(separator: ", "),
            "\(runs.count)", "\(runs.count { !$0.isKept })", sum(\.faults), sum(\.jobs), sum(\.twice), sum(\.lost),
            sum(\.otherwise), seconds(recoveries.median), seconds(recoveries[100]), sum(\.late),
            slowest.joined(separator: ", "), missed.joined(separator: "; "),
        ]
    }

    private static func seconds(_ value: Double) -> String {
        value.isFinite ? Measurement.Figure(value: value, unit: "s").description : ""
    }
}
