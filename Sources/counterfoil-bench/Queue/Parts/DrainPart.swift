// SPDX-License-Identifier: Apache-2.0

/// A full queue emptied: first by pgbench with the worker's statements, which is the floor, then by a worker whose verifier
/// answers at once, with the batches that it has by default and with large ones. The ledger is written in all.
struct DrainPart {
    let plan: QueueBenchPlan
    let database: BenchDatabase

    /// How many jobs are claimed at once, and settled at once, beside how many slots.
    private struct Size {
        static let usual = Size(batch: 100, slots: 200)
        static let large = Size(batch: 500, slots: 1000)

        let batch: Int
        let slots: Int
    }

    private struct Floor {
        let result: Pgbench.Result
        let cost: ServerCost

        var jobsPerSecond: Double { Double(cost.granted) / result.seconds }

        var clientMicrosecondsPerJob: Double { result.clientCPUSeconds * 1e6 / Double(max(1, cost.granted)) }

        var figures: [Measurement.Figure] {
            [
                .rate(jobsPerSecond), .serverCPU(cost.microsecondsPerJob), .clientCPU(clientMicrosecondsPerJob),
                .wal(cost.walBytesPerJob),
            ]
        }
    }

    private struct Round {
        let worker: WorkerReport
        let cost: ServerCost
        /// Nil where only the lean floor is measured.
        let floor: Floor?
        let lean: LeanFloor.Result

        /// The worker's cost as a multiple of the lean floor's.
        var cpuOfLean: Double { cost.microsecondsPerJob / lean.serverMicroseconds }
        var walOfLean: Double { cost.walBytesPerJob / lean.walBytes }

        var ratio: Double? { floor.map { worker.jobsPerSecond / $0.jobsPerSecond } }

        /// What the ratio would be if both used all processors all the time.
        var ratioOfCPU: Double? {
            floor.map {
                ($0.cost.microsecondsPerJob + $0.clientMicrosecondsPerJob) / (cost.microsecondsPerJob + worker.cpuMicrosecondsPerJob)
            }
        }
    }

    func measure() async throws -> [Section] {
        var floors: [Floor] = []
        for mode in [Pgbench.Mode.extended, .prepared] {
            for clients in [1, 2, 4, 8] {
                floors.append(try await floor(clients, mode, .usual))
            }
        }
        guard let best = floors.max(by: { $0.jobsPerSecond < $1.jobsPerSecond }) else {
            preconditionFailure("there is a floor for each number of clients")
        }
        var sections = [try await drainOfKeys(), try await drainByTwo()]
        for (size, floors) in [(Size.usual, floors), (.large, [])] {
            var rounds: [Round] = []
            for _ in 0..<plan.rounds {
                let (worker, cost) = try await drain(size)
                rounds.append(
                    Round(
                        worker: worker, cost: cost, floor: try await floor(best.result.clients, best.result.mode, size),
                        lean: try await leanFloor(size)))
            }
            sections.append(
                Section(
                    "drain: \(plan.jobs) jobs of four apps, claimed and settled by \(size.batch), \(size.slots) slots, "
                        + "ledger included",
                    floors.map { Measurement("floor, pgbench \($0.result.mode), \($0.result.clients) clients", all: $0.figures) }
                        + rounds.flatMap(lines) + summary(rounds)
                        + summaryOfLeanFloor(rounds, cpuBelow: 2.1, walBelow: 1.5)))
        }
        return sections
    }

    /// Payments that have a key: each takes the lock of its original, and a third index entry.
    private func drainOfKeys() async throws -> Section {
        var rounds: [Round] = []
        for _ in 0..<plan.rounds {
            let (worker, cost) = try await drain(.usual, of: .map)
            rounds.append(Round(worker: worker, cost: cost, floor: nil, lean: try await leanFloor(.usual)))
        }
        return Section(
            "drain of payments with a key: the same jobs, of a product that is bought for good",
            rounds.flatMap(lines) + summaryOfLeanFloor(rounds, cpuBelow: 2.6, walBelow: 1.9))
    }

    /// Two workers on the same queue: claims of one meet settlements of the other.
    private func drainByTwo() async throws -> Section {
        var reports: [WorkerReport] = []
        for _ in 0..<plan.rounds {
            Progress.say("two workers, \(2 * WorkerPlan.defaultConnections) connections")
            try await database.fill(plan.jobs)
            let worker = WorkerPlan(databaseURL: database.workerURL, verification: .immediate, seconds: Self.secondsOfTwo)
            async let one = WorkerProcess.run(worker)
            async let two = WorkerProcess.run(worker)
            let both = try await [one, two]
            let settled = both.map(\.settled).reduce(0, +)
            guard settled == plan.jobs else { throw BenchError("two workers settled \(settled) of \(plan.jobs) jobs") }
            reports += both
        }
        return Section(
            "drain by two workers with \(2 * WorkerPlan.defaultConnections) connections",
            [
                Measurement(
                    "batches that fell apart, of \(plan.rounds) drains",
                    .count(Double(reports.map(\.fellApart).reduce(0, +)), "batches"), below: 1)
            ])
    }

    /// Long enough for any number of jobs that is measured.
    private static let secondsOfTwo = 15.0

    private func leanFloor(_ size: Size) async throws -> LeanFloor.Result {
        try await LeanFloor(database: database).measure(plan.jobs, batch: size.batch, clients: WorkerPlan.defaultConnections)
    }

    private func summaryOfLeanFloor(_ rounds: [Round], cpuBelow: Double, walBelow: Double) -> [Measurement] {
        [
            Measurement(
                "server CPU of the worker / of the lean floor", .share(Percentiles(rounds.map(\.cpuOfLean)).median), below: cpuBelow),
            Measurement("log of the worker / of the lean floor", .share(Percentiles(rounds.map(\.walOfLean)).median), below: walBelow),
        ]
    }

    private func lines(of round: Round) -> [Measurement] {
        let worker = Measurement(
            "worker, \(WorkerPlan.defaultConnections) connections", .rate(round.worker.jobsPerSecond),
            .serverCPU(round.cost.microsecondsPerJob), .clientCPU(round.worker.cpuMicrosecondsPerJob),
            .count(round.worker.allocationsPerJob, "allocations a job"), .wal(round.cost.walBytesPerJob),
            .count(round.cost.jobsPerClaim, "jobs a claim"),
            .count(round.cost.jobsPerSettlement, "a settlement"),
            .memory(round.worker.peakResidentBytes))
        let floors = [
            round.floor.map { Measurement("  floor right after it", all: $0.figures) },
            Measurement("  lean floor", all: round.lean.figures),
        ]
        return [worker] + floors.compactMap(\.self)
    }

    private func summary(_ rounds: [Round]) -> [Measurement] {
        [
            Measurement("worker / floor, middle of \(rounds.count)", .share(Percentiles(rounds.compactMap(\.ratio)).median), atLeast: 0.5),
            Measurement("  CPU a job of the floor / of the worker", .share(Percentiles(rounds.compactMap(\.ratioOfCPU)).median)),
            Measurement(
                "client CPU, middle", .clientCPU(Percentiles(rounds.map(\.worker.cpuMicrosecondsPerJob)).median), below: 10),
        ]
    }

    private func floor(_ clients: Int, _ mode: Pgbench.Mode, _ size: Size) async throws -> Floor {
        Progress.say("floor: pgbench \(mode), \(clients) clients, by \(size.batch)")
        try await database.fill(plan.jobs)
        let script = FloorScript(lanes: try await database.openLanes(), batch: size.batch)
        let (result, cost) = try await database.cost {
            try await Pgbench(server: database.server).run(
                script.text, clients: clients, mode: mode, transactions: (plan.jobs + size.batch - 1) / size.batch)
        }
        // The last claims of several clients may come back short; they leave a few jobs to nobody.
        try await database.clear()
        guard cost.granted > plan.jobs * 9 / 10 else {
            throw BenchError("the floor granted \(cost.granted) of \(plan.jobs) jobs")
        }
        return Floor(result: result, cost: cost)
    }

    private func drain(_ size: Size, of product: BenchProduct = .coins) async throws -> (WorkerReport, ServerCost) {
        Progress.say("worker, by \(size.batch), \(product)")
        try await database.fill(plan.jobs, of: product)
        let (report, cost) = try await database.cost {
            try await WorkerProcess.run(
                WorkerPlan(
                    databaseURL: database.workerURL, verification: .immediate, slots: size.slots, batch: size.batch,
                    jobs: plan.jobs, seconds: 120))
        }
        guard report.settled == plan.jobs, cost.granted == plan.jobs else {
            throw BenchError("the worker settled \(report.settled) and granted \(cost.granted) of \(plan.jobs) jobs")
        }
        return (report, cost)
    }
}
