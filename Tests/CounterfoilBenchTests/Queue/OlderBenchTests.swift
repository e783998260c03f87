// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

/// What is read of an older program's report, and concluded from it.
@Suite struct OlderBenchTests {
    /// As this program's report has it, with a figure that is none.
    private static func report(_ names: [String]) throws -> String {
        let sections = [
            Section("drain", [Measurement("signal of another part", .milliseconds(1))]),
            Section(
                "pickup: insert sent to order fulfilled",
                names.enumerated().map { Measurement($1, .milliseconds(Double($0) + 3.5, "median"), .milliseconds(.nan)) }),
        ]
        struct Written: Report {
            let machine = Machine.current
            let loadBefore = 0.0
            let loadAfter = 0.0
            let sections: [Section]
            var surroundings: [String] { [] }
        }
        return try Written(sections: sections).json()
    }

    @Test func theFirstMedianAfterASignalIsRead() throws {
        let report = try Self.report(["polling every 50 ms at most", "signal after the commit"])

        #expect(try OlderBench.medianPickup(in: report) == 4.5)
    }

    @Test func aReportWithoutOneIsRefused() throws {
        let report = try Self.report(["polling every 50 ms at most"])

        #expect(throws: BenchError.self) { try OlderBench.medianPickup(in: report) }
    }

    @Test(arguments: [
        ([3.0, 3.1, 3.2], [4.0, 4.1, 4.2], true as Bool?),
        ([3.6, 3.7, 3.8], [4.0, 4.1, 4.2], false),
        ([3.0, 3.9, 4.2], [4.0, 4.1, 4.2], nil),
        ([3.0, 3.1, 3.2], [4.0, 6, 6], nil),
        ([3.0, 3.0], [4.0, 4.0], nil),
    ])
    func theLeastMediansAreCompared(_ own: [Double], _ older: [Double], _ isMet: Bool?) {
        #expect(PickupBesideOlder.measurements(own, older).last?.isMet == isMet)
    }
}
