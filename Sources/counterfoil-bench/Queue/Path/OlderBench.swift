// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess

/// The benchmark of an older commit, whose worker is measured in turn with this one's.
struct OlderBench: Sendable {
    /// Of the older program `counterfoil-bench`.
    let path: String

    /// What is read of the older program's report; whatever else it holds may have changed.
    private struct Report: Decodable {
        struct Section: Decodable {
            let title: String
            let measurements: [Measurement]
        }

        struct Measurement: Decodable {
            let name: String
            let figures: [Figure]
        }

        struct Figure: Decodable {
            let value: Double
        }

        let sections: [Section]
    }

    /// Milliseconds in which half of the orders are fulfilled after a signal, on a server of the older program's own.
    func medianPickup(seconds: Int, in parent: String) async throws -> Double {
        let (status, output) = try await BenchProcess.run(
            path, ["queue", "--only", "pickup", "--seconds", "\(seconds)", "--folder", parent, "--json"])
        guard status.isSuccess else { throw BenchError("the older program failed (\(status))") }
        return try Self.medianPickup(in: output)
    }

    /// The first median of a pickup after a signal in a report.
    static func medianPickup(in report: String) throws -> Double {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "none")
        let sections = try decoder.decode(Report.self, from: Data(report.utf8)).sections
        let medians = sections.filter { $0.title.hasPrefix("pickup") }.flatMap(\.measurements)
            .filter { $0.name.hasPrefix("signal") }.compactMap(\.figures.first?.value)
        guard let median = medians.first else { throw BenchError("the older program's report has no pickup after a signal") }
        return median
    }
}

/// From the insert of a job to its order's fulfilment after a signal, of this program's worker and an older one's in turn.
struct PickupBesideOlder {
    private static let most = 0.85

    let older: OlderBench
    let rounds: Int

    func measure(_ part: PickupPart) async throws -> Section {
        var (own, others): ([Double], [Double]) = ([], [])
        for round in 1...rounds {
            Progress.say("pickup beside the older program, round \(round)")
            own.append(try await part.medianAfterSignal())
            others.append(try await older.medianPickup(seconds: part.plan.seconds, in: part.database.place.parent))
        }
        return Section("pickup after a signal: the least median of \(rounds) rounds in turn", Self.measurements(own, others))
    }

    /// - Parameters: the medians of the rounds, in milliseconds.
    static func measurements(_ own: [Double], _ others: [Double]) -> [Measurement] {
        let (ownTimes, otherTimes) = (Percentiles(own), Percentiles(others))
        let (ownLeast, otherLeast) = (ownTimes[0], otherTimes[0])
        let isClear = [ownTimes, otherTimes].allSatisfy { times in
            times.count >= PathRounds.fewest && times.median <= times[0] * (1 + PathRounds.mostDifference)
        }
        return [
            Measurement("this program", .milliseconds(ownLeast), .milliseconds(ownTimes.median, "in the middle round")),
            Measurement("the older program", .milliseconds(otherLeast), .milliseconds(otherTimes.median, "in the middle round")),
            Measurement("this / the older", .share(ownLeast / otherLeast), atMost: most, isClear: isClear),
        ]
    }
}
