// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct GateStatementsTests {
    /// `state closed_by closed_for` of the gate for jobs that are verified locally.
    private func gate(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select state, closed_by, closed_for from counterfoil.gates where route = 'local'")
    }

    private func close(_ shop: Shop, by closer: String, probeAfter seconds: Double? = 0) async throws -> Bool {
        let parameters: [PostgresParameter] = [
            .int4(try await shop.lane()), .text(closer), .text("me"), .text("a reason"), .double(seconds),
        ]
        return try await !shop.worker.execute(SQLFile.closeGate.statement, parameters).isEmpty
    }

    private func open(_ shop: Shop, alsoOperators: Bool) async throws -> Bool {
        let parameters = GateStore.opening(LaneID(rawValue: try await shop.lane()), byOperator: alsoOperators)
        return try await !shop.worker.execute(SQLFile.openGate.statement, parameters).isEmpty
    }

    private func takeProbes(_ shop: Shop, lasting seconds: Double = 60) async throws -> Int {
        try await shop.worker.execute(SQLFile.takeProbes.statement, [.double(seconds)]).count
    }

    @Test func everyAppHasAGateForEachOfItsLanes() async throws {
        try await Shop.open { shop in
            let gates = try await shop.rows("select route, environment, state from counterfoil.gates order by lane")

            #expect(
                gates == [
                    "(local,,open)", "(verify_receipt,production,open)", "(verify_receipt,sandbox,open)",
                    "(server_api,production,open)", "(server_api,sandbox,open)", "(finish_transaction,production,open)",
                    "(finish_transaction,sandbox,open)",
                ])
        }
    }

    @Test func aGateIsClosedOnceAndAnOperatorsHandGoesOverOthers() async throws {
        try await Shop.open { shop in
            let closed = try await [close(shop, by: "breaker"), close(shop, by: "budget")]
            #expect(closed == [true, false])
            #expect(try await gate(shop) == ["(closed,breaker,me)"])

            #expect(try await close(shop, by: "operator"))
            #expect(try await !close(shop, by: "operator"))
            #expect(try await gate(shop) == ["(closed,operator,me)"])
            #expect(try await !close(shop, by: "configuration"))
        }
    }

    /// The one passes by itself, the other waits for a person.
    @Test(arguments: ["breaker", "budget"])
    func aFaultOfConfigurationGoesOverWhatPassesByItself(closer: String) async throws {
        try await Shop.open { shop in
            let closed = try await [
                close(shop, by: closer), close(shop, by: "configuration"), close(shop, by: "configuration"),
                close(shop, by: closer),
            ]
            #expect(closed == [true, true, false, false])
            #expect(try await gate(shop) == ["(closed,configuration,me)"])
        }
    }

    @Test func onlyAnOperatorOpensWhatAnOperatorClosed() async throws {
        try await Shop.open { shop in
            _ = try await close(shop, by: "operator")

            #expect(try await !open(shop, alsoOperators: false))
            #expect(try await open(shop, alsoOperators: true))
            #expect(try await !open(shop, alsoOperators: true))

            #expect(try await gate(shop) == ["(open,,)"])
        }
    }

    @Test func anOpenedGateSaysWhatItWasClosedFor() async throws {
        try await Shop.open { shop in
            _ = try await close(shop, by: "operator")
            let parameters = GateStore.opening(LaneID(rawValue: try await shop.lane()), byOperator: true)

            let opened = try await shop.worker.execute(SQLFile.openGate.statement, parameters)

            #expect(try opened.map { row in try (1...3).map { try row.string($0) } } == [["operator", "me", "a reason"]])
        }
    }

    @Test func aDueGateWithADueJobIsProbedByOneWorkerAtATime() async throws {
        try await Shop.open { shop in
            _ = try await close(shop, by: "breaker")
            #expect(try await takeProbes(shop) == 0)
            try await shop.order("a")
            try await shop.upload("a")

            #expect(try await takeProbes(shop) == 1)
            #expect(try await takeProbes(shop) == 0)
        }
    }

    @Test func aDeadProbersRightLapses() async throws {
        try await Shop.open { shop in
            _ = try await close(shop, by: "breaker")
            try await shop.order("a")
            try await shop.upload("a")

            #expect(try await takeProbes(shop, lasting: 0) == 1)
            #expect(try await takeProbes(shop) == 1)
        }
    }

    @Test(arguments: [("breaker", 1), ("configuration", 1), ("operator", 0)])
    func aGateThatAnOperatorClosedIsNotProbed(closer: String, probes: Int) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            _ = try await close(shop, by: closer)

            #expect(try await takeProbes(shop) == probes)
        }
    }

    @Test(arguments: [60.0, nil])
    func aGateIsNotProbedBeforeItsTime(firstProbe: Double?) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            _ = try await close(shop, by: "breaker", probeAfter: firstProbe)

            #expect(try await takeProbes(shop) == 0)
        }
    }

    @Test(arguments: ["probe_at = now() + interval '5 hours'", "probe_until = now() + interval '5 hours'"])
    func aTimeThatAClockWroteBeforeItWasPutBackHoldsNothingUp(_ time: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            _ = try await close(shop, by: "breaker")
            try await shop.run("update counterfoil.gates set \(time) where route = 'local'")

            #expect(try await takeProbes(shop) == 1)
        }
    }

    @Test func aJobThatWaitsForLaterIsNothingToProbeWith() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            try await shop.run("update counterfoil.jobs set run_at = now() + interval '1 hour'")
            _ = try await close(shop, by: "breaker")

            #expect(try await takeProbes(shop) == 0)
        }
    }

    @Test(arguments: [(true, 1), (false, 0)])
    func aProbeThatWasGivenUpPutsTheNextOneOff(counts: Bool, failures: Int) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            _ = try await close(shop, by: "breaker")
            #expect(try await takeProbes(shop) == 1)

            _ = try await shop.worker.execute(
                SQLFile.failProbe.statement, [.int4(try await shop.lane()), .double(60), .bool(counts)])

            #expect(try await takeProbes(shop) == 0)
            #expect(
                try await shop.rows("select failed_probes, probe_until is null from counterfoil.gates where route = 'local'")
                    == ["(\(failures),t)"]
            )
        }
    }

    /// A row a lane: `lane`, the priorities that are in use, and how many seconds ago each of its marks is.
    private func laneHeads(_ shop: Shop, _ lanes: [Int32], marks: [PostgresTimestamp]) async throws -> [String] {
        let now = try await shop.admin.execute("select now()")[0].timestamp(0).microsecondsSince1970
        return try await shop.worker.execute(
            SQLFile.findLaneHeads.statement, [.int4Array(lanes), .timestampArray(marks)]
        ).map { row in
            let ages = try row.timestampArray(1).map { (now - $0.microsecondsSince1970 + 500_000) / 1_000_000 }
            let inUse = try row.boolArray(2)
            return "\(try row.int32(0)) \(inUse.indices.filter { inUse[$0] }) \(ages)"
        }.sorted()
    }

    @Test func firstJobsAreThoseThatAreDueBehindTheMarks() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 100, orders: 100, lanes: 8)
            try await shop.run(
                """
                update counterfoil.jobs set priority = lane % 4, run_at = now() - interval '60 s';
                update counterfoil.jobs set run_at = now() - interval '90 s'
                where id = (select min(id) from counterfoil.jobs where lane = 2);
                update counterfoil.jobs set run_at = now() + interval '0.8 s' where lane = 4;
                delete from counterfoil.jobs where lane = 3;
                update counterfoil.jobs set state = 'discarded', reason = 'x' where lane = 5;
                update counterfoil.jobs set run_at = now() + interval '1 hour' where lane = 6;
                """)
            let now = try await shop.admin.execute("select now()")[0].timestamp(0)
            // The seventh lane is marked, at every priority, beyond what it holds.
            let marks = Array(repeating: PostgresTimestamp.distantPast, count: 28) + Array(repeating: now, count: 4)

            let found = try await laneHeads(shop, [1, 2, 3, 4, 5, 6, 8, 7], marks: marks)

            #expect(
                found == [
                    "1 [1] [0, 60, 0, 0]", "2 [2] [0, 0, 90, 0]", "3 [] [0, 0, 0, 0]", "4 [0] [0, 0, 0, 0]",
                    "5 [] [0, 0, 0, 0]", "6 [] [0, 0, 0, 0]", "7 [] [0, 0, 0, 0]", "8 [0] [60, 0, 0, 0]",
                ])
        }
    }

    @Test func whatARunningJobOfItsOrderHoldsUpIsNoFirstJob() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "eyJ runs")
            let running = try #require(try await shop.claim().first)
            try await shop.upload("a", "eyJ waits")
            try await shop.run("update counterfoil.jobs set run_at = now() - interval '60 s' where state = 'available'")
            let lanes = [running.lane]
            let marks = Array(repeating: PostgresTimestamp.distantPast, count: 4)

            #expect(try await laneHeads(shop, lanes, marks: marks) == ["\(running.lane) [] [0, 0, 0, 0]"])

            #expect(try await shop.fence([running]) == ["a"])
            #expect(try await laneHeads(shop, lanes, marks: marks) == ["\(running.lane) [1] [0, 0, 0, 0]"])
        }
    }

    /// The end of the running job doesn't call it. A claim tries it, and corrects the hint.
    @Test func whatSeemsAloneIsAFirstJobThoughAnotherOfItsOrderRuns() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "eyJ runs")
            let running = try #require(try await shop.claim().first)
            try await shop.upload("a", "eyJ waits")
            try await shop.run(
                """
                update counterfoil.jobs set run_at = now() - interval '60 s', is_alone = true where state = 'available'
                """)

            let found = try await laneHeads(shop, [running.lane], marks: Array(repeating: .distantPast, count: 4))

            #expect(found == ["\(running.lane) [1] [0, 60, 0, 0]"])
        }
    }

    @Test func aWorkerThatStartsTakesThePlaceOfItsSilentNamesake() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at) values
                    ('w', 'host', 1, '1', 1, now() - interval '61 s'), ('w', 'host', 2, '1', 1, now() - interval '30 s'),
                    ('w', 'other', 3, '1', 1, now() - interval '61 s'), ('x', 'host', 4, '1', 1, now() - interval '61 s')
                """)

            _ = try await shop.worker.execute(
                SQLFile.registerWorker.statement, [.text("w"), .text("host"), .int4(5), .text("1.0"), .int4(200)])

            #expect(try await shop.rows("select pid from counterfoil.workers order by 1") == ["(2)", "(3)", "(4)", "(5)"])
        }
    }

    @Test func workersAreSeenWhileTheyLive() async throws {
        try await Shop.open { shop in
            let identity: [PostgresParameter] = [.text("w"), .text("host"), .int4(77), .text("1.0"), .int4(200)]
            let id = try await shop.worker.execute(SQLFile.registerWorker.statement, identity)[0].int64(0)
            _ = try await shop.worker.execute(SQLFile.beatWorker.statement, [.int8(id)] + identity + [.int4(5)])
            #expect(try await shop.rows("select id, running from counterfoil.workers") == ["(\(id),5)"])

            // Taken for dead by another, it comes back with its next beat.
            try await shop.run("update counterfoil.workers set heartbeat_at = now() - interval '2 days'")
            _ = try await shop.worker.execute(SQLFile.removeWorker.statement, [.int8(nil)])
            #expect(try await shop.count("counterfoil.workers") == 0)
            _ = try await shop.worker.execute(SQLFile.beatWorker.statement, [.int8(id)] + identity + [.int4(6)])
            #expect(try await shop.rows("select id, running from counterfoil.workers") == ["(\(id),6)"])

            _ = try await shop.worker.execute(SQLFile.removeWorker.statement, [.int8(id)])
            #expect(try await shop.count("counterfoil.workers") == 0)
        }
    }
}
