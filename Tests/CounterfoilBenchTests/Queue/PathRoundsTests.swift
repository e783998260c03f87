// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

/// What is concluded from costs that were measured in turn.
@Suite struct PathRoundsTests {
    private static func rounds(_ costs: [PathContender: [(cpu: Double, log: Double)]]) -> PathRounds {
        var rounds = PathRounds()
        for (contender, costs) in costs {
            for cost in costs {
                rounds.add(PathCost(cpuMicroseconds: cost.cpu, logBytes: cost.log), of: contender)
            }
        }
        return rounds
    }

    @Test func theLeastOfEachCountsWhicheverRoundItIsOf() {
        let rounds = Self.rounds([
            .yardstick: [(70, 2100), (60, 2200), (66, 2150)], .statements: [(36, 1400), (48, 1300), (42, 1350)],
        ])

        #expect(rounds.least(.cpu, of: .yardstick) == 60)
        #expect(rounds.least(.log, of: .yardstick) == 2100)
        #expect(rounds.ratio(.cpu, of: .statements, to: .yardstick) == 0.6)
        #expect(rounds.ratio(.log, of: .statements, to: .yardstick) == 1300.0 / 2100)
    }

    @Test func ofWhoWasntMeasuredNothingIsKnown() {
        let rounds = Self.rounds([.leanFloor: [(20, 1000)]])

        #expect(rounds.contenders == [.leanFloor])
        #expect(rounds.least(.cpu, of: .worker) == nil)
        #expect(rounds.ratio(.cpu, of: .worker, to: .leanFloor) == nil)
        #expect(rounds.ratio(.cpu, of: .leanFloor, to: .worker) == nil)
        #expect(rounds.difference(.cpu, of: .worker) == nil)
        #expect(!rounds.agree(.cpu, of: .worker))
        #expect(PathTarget(.cpu, of: .worker, beside: .leanFloor, atMost: 2).measurement(in: rounds) == nil)
    }

    /// Processor time is known in steps of a hundredth of a second.
    @Test func aCostOfNothingIsNoMeasure() {
        let rounds = Self.rounds([.leanFloor: [(0, 1000), (0, 1000), (0, 1000)], .worker: [(50, 1000), (50, 1000), (50, 1000)]])

        #expect(rounds.ratio(.cpu, of: .worker, to: .leanFloor) == nil)
        #expect(!rounds.agree(.cpu, of: .leanFloor))
    }

    @Test(arguments: [
        ([100.0, 125, 300], true),
        ([100, 126, 300], false),
        ([300, 100, 125, 125, 100], true),
        ([100, 100], false),
        ([100], false),
    ])
    func roundsAgreeWhoseMiddleIsNearTheirLeast(_ costs: [Double], _ agree: Bool) {
        let rounds = Self.rounds([.worker: costs.map { ($0, 1) }])

        #expect(rounds.agree(.cpu, of: .worker) == agree)
    }

    @Test(arguments: [(0.62, true), (0.63, true), (0.59, false)])
    func aTargetIsMetUpToItsBound(_ bound: Double, _ isMet: Bool) throws {
        let rounds = Self.rounds([.yardstick: [(100, 1), (101, 1), (102, 1)], .statements: [(62, 1), (64, 1), (63, 1)]])

        let measured = try #require(PathTarget(.cpu, of: .statements, beside: .yardstick, atMost: bound).measurement(in: rounds))

        #expect(measured.isMet == isMet)
        #expect(measured.verdict.contains(isMet ? "met" : "MISSED"))
    }

    @Test(arguments: [PathContender.yardstick, .statements])
    func nothingIsConcludedWhereTheRoundsOfOneDiffer(_ restless: PathContender) throws {
        var costs: [PathContender: [(cpu: Double, log: Double)]] = [
            .yardstick: [(100, 2000), (100, 2000), (100, 2000)], .statements: [(50, 1000), (50, 1000), (50, 1000)],
        ]
        costs[restless] = costs[restless]?.enumerated().map { ($1.cpu * Double($0 + 1), $1.log) }
        let rounds = Self.rounds(costs)

        let cpu = try #require(PathTarget(.cpu, of: .statements, beside: .yardstick, atMost: 0.62).measurement(in: rounds))
        let log = try #require(PathTarget(.log, of: .statements, beside: .yardstick, atMost: 0.68).measurement(in: rounds))

        #expect(cpu.isMet == nil)
        #expect(cpu.verdict.contains("no conclusion"))
        // The log is as long, whatever else runs.
        #expect(log.isMet == true)
    }

    @Test func aSectionNamesTheCostsTheirRatiosAndTheTargets() throws {
        let run = try #require(PathCase.all.first { $0.batch == 100 && $0.product == .coins })
        let rounds = Self.rounds([
            .yardstick: [(60, 2000), (60, 2000), (60, 2000)], .statements: [(30, 1000), (30, 1000), (30, 1000)],
            .leanFloor: [(20, 1000), (20, 1000), (20, 1000)], .worker: [(50, 1000), (50, 1000), (50, 1000)],
        ])

        let measurements = run.measurements(of: rounds)

        #expect(measurements.prefix(4).map(\.name) == ["yardstick", "the product's statements", "lean floor", "worker"])
        #expect(measurements[1].figures.map(\.value) == [30, 1000, 0.5, 0.5, 1.5, 1, 0])
        #expect(measurements.dropFirst(4).map(\.isMet) == [true, true, true, false])
    }

    @Test func allBatchesAreMeasuredAndEachTargetOnce() {
        #expect(PathCase.all.filter { $0.product == .coins }.map(\.batch) == [1, 5, 20, 100, 500])
        #expect(PathCase.all.filter { $0.product == .map }.map(\.batch) == [100])
        let bounds = PathCase.all.flatMap { run in
            run.targets.map { "\(run.title): \($0.figure) \($0.contender) \($0.other) \($0.bound)" }
        }
        #expect(
            bounds == [
                "path of consumables by 1: cpu statements yardstick 0.6",
                "path of consumables by 100: cpu statements yardstick 0.62",
                "path of consumables by 100: log statements yardstick 0.68",
                "path of consumables by 100: cpu statements leanFloor 2.0",
                "path of consumables by 100: cpu worker leanFloor 2.3",
                "path of payments with a key by 100: cpu statements yardstick 0.7",
            ])
    }
}
