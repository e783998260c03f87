// SPDX-License-Identifier: Apache-2.0

import Postgres

/// What a job costs the server, of the product beside a yardstick that doesn't change, and beside the lean floor: one by one, by
/// some, by many, and with a key; and what is kept of a grant for good. Where asked for, the statements taken apart, and pickup
/// beside that of an older program.
struct PathPart {
    /// Kilobytes of a grant, its order, their indexes and history.
    private static let mostKept = 0.95
    /// Before the first round, lest it finds caches and plans cold.
    private static let warmUpJobs = 2_000

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> [Section] {
        var sections = try await Yardstick.withYardstick(on: database) { yardstick in
            let runner = PathRunner(database: database, yardstick: yardstick)
            var sections: [Section] = []
            for run in PathCase.all {
                sections.append(try await measure(run, runner))
            }
            if plan.takesStatementsApart {
                sections += try await PathStatementCounts(runner: runner, jobs: plan.jobs).measure()
            }
            return sections
        }
        if let older = plan.olderBench {
            sections.append(
                try await PickupBesideOlder(older: OlderBench(path: older), rounds: plan.roundsInTurn).measure(
                    PickupPart(plan: plan, database: database)))
        }
        return sections
    }

    private func measure(_ run: PathCase, _ runner: PathRunner) async throws -> Section {
        let jobs = run.jobs(of: plan.jobs)
        for contender in run.contenders {
            _ = try await runner.run(contender, run, jobs: Self.warmUpJobs)
        }
        let yardstickBefore = try await PathRunner.kept(in: runner.yardstick.pool)
        let productBefore = try await PathRunner.kept(in: database.pool)
        var rounds = PathRounds()
        for _ in 0..<plan.roundsInTurn {
            for contender in run.contenders {
                rounds.add(try await runner.run(contender, run, jobs: jobs), of: contender)
            }
        }
        let yardstickKept = Self.kilobytes(yardstickBefore, try await PathRunner.kept(in: runner.yardstick.pool))
        let productKept = Self.kilobytes(productBefore, try await PathRunner.kept(in: database.pool))
        let figures = [Measurement.Figure.count(productKept, "kB"), .count(yardstickKept, "kB of the yardstick")]
        let kept =
            run.isKeyed
            ? Measurement("kept for good a grant", all: figures)
            : Measurement("kept for good a grant", figures[0], figures[1], atMost: Self.mostKept)
        let clients = run.clients == 1 ? "one client" : "\(run.clients) clients"
        return Section(
            "\(run.title): \(jobs) jobs of four apps, \(clients), the least of \(plan.roundsInTurn) rounds in turn",
            run.measurements(of: rounds) + [kept])
    }

    private static func kilobytes(_ before: (bytes: Int, grants: Int), _ after: (bytes: Int, grants: Int)) -> Double {
        Double(after.bytes - before.bytes) / Double(max(1, after.grants - before.grants)) / 1000
    }
}
