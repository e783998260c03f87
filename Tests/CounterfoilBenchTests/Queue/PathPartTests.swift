// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil_bench

@Suite struct PathPartTests {
    /// With few jobs: what they cost is the benchmark's business.
    @Test(.timeLimit(.minutes(5))) func everyContenderIsMeasuredByEachBatch() async throws {
        let sections = try await BenchDatabase.withDatabase(
            in: .disk, settings: PathStatementCounts.serverSettings + ["fsync=off"], logger: .bench
        ) { database in
            let sections = try await Yardstick.withYardstick(on: database) { yardstick in
                let runner = PathRunner(database: database, yardstick: yardstick)
                for run in PathCase.all {
                    for contender in run.contenders where contender != .worker {
                        let cost = try await runner.run(contender, run, jobs: 1_000)
                        #expect(cost.logBytes > 100)
                    }
                }
                return try await PathStatementCounts(runner: runner, jobs: 1_000).measure()
            }
            try await database.checkInvariants()
            return sections
        }

        #expect(sections.count == 3)
        let names = sections.map { Set($0.measurements.map(\.name)) }
        #expect(names[0].isSuperset(of: ["yardstick_claim_jobs", "yardstick_insert_grants", "yardstick_append_attempts"]))
        #expect(names[1].isSuperset(of: ["claim_jobs", "grant_first_payments"]))
        #expect(names[2].isSuperset(of: ["lean_claim", "lean_settlement"]))
        // A job is updated by its claim and deleted; its payment is inserted, and its order updated.
        let rows = try sections.map { section in
            try #require(section.measurements.first { $0.name == "rows a job" }).figures.map(\.value)
        }
        #expect(rows.allSatisfy { $0[0] >= 1 && $0[1] >= 2 && $0[3] >= 1 })
        // Beside its payment, the yardstick inserts an attempt and a change for each.
        #expect(rows[0][0] >= 2.9)
    }
}
