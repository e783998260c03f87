// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Schema
import ServiceLifecycle
import VerificationQueue

/// Reads every view over a large past, alone and beside a worker at full rate.
struct ViewsBench: Service {
    let past: Past
    let jobs: Int
    let pairs: Int
    let place: DataPlace
    let settings: [String]
    let printsJSON: Bool
    let logger: Logger

    /// Each view is read once in that time.
    private static let period = Duration.seconds(30)

    func run() async throws {
        // Filling is not what is measured: nothing of it has to survive.
        let settings = ["fsync=off", "full_page_writes=off", "max_wal_size=8GB", "shared_buffers=1GB"] + settings
        let report = try await BenchDatabase.withDatabase(in: place, settings: settings, logger: logger) {
            database in
            let load = Machine.load
            let filling = ContinuousClock.now
            try await past.fill(database)
            let counting = try await past.count(database)
            let filled = filling.duration(to: .now).seconds
            var sections = [try await sizes(database, counting, filled), try await bytes(database)]
            sections += try await views(database)
            sections.append(try await checks(database))
            if pairs > 0 {
                sections += try await drains(database)
            }
            return try await BenchReport(settings: settings, place: place, seed: 1, database, loadBefore: load, sections)
        }
        print(printsJSON ? try report.json() : report.table())
    }

    private func sizes(
        _ database: BenchDatabase, _ counting: (attempts: Int, seconds: Double), _ filled: Double
    ) async throws -> Section {
        let row = try await database.pool.execute(BenchStatement.measureSizes, timeout: .seconds(300))[0]
        return Section(
            "Past of \(Past.days) days",
            [
                Measurement(
                    "size", .count(Double(try row.int64(0)), "orders"), .count(Double(try row.int64(1)), "attempts"),
                    .count(Double(try row.int64(3)) / 1e9, "GB"), .count(filled, "s to fill")),
                Measurement(
                    "roll-up of attempts by a worker's routine",
                    .microseconds(counting.seconds * 1e6 / Double(max(1, counting.attempts)))),
            ])
    }

    private func bytes(_ database: BenchDatabase) async throws -> Section {
        let rows = try await database.pool.execute(BenchStatement.measureBytes, timeout: .seconds(300))
        let orders = Double(past.orders)
        let lines = try rows.map { row in
            let (table, indexes) = (Double(try row.int64(1)), Double(try row.int64(2)))
            return Measurement(
                try row.string(0), .count(table / orders, "B table"), .count(indexes / orders, "B indexes"),
                .count((table + indexes) / orders, "B"))
        }
        return Section("Room, an order", lines)
    }

    /// Alone: the middle of five readings, after one that is not counted.
    private func views(_ database: BenchDatabase) async throws -> [Section] {
        Progress.say("views")
        let reader = try await ViewReader.make(database, logger: logger)
        var readings: [String: [Double]] = [:]
        for round in 0..<6 {
            for view in reader.views {
                let milliseconds = try await reader.read(view)
                if round > 0 { readings[view.name, default: []].append(milliseconds) }
            }
        }
        var plans: [Measurement] = []
        for view in reader.views {
            let plan = try await reader.explain(view)
            plans.append(
                Measurement(view.name, .milliseconds(plan.executionTime), .count(Double(plan.pages), "pages"), below: 200))
        }
        await reader.close()
        return [
            Section("Views, as counterfoil_reader, alone, until all rows are there", Self.lines(readings)),
            Section("The same by explain (analyze, buffers)", plans),
        ]
    }

    private static func lines(_ readings: [String: [Double]]) -> [Measurement] {
        readings.sorted { $0.key < $1.key }.map { name, values in
            let sorted = Percentiles(values)
            return Measurement(name, .milliseconds(sorted.median), .milliseconds(sorted[100], "at most"), below: 200)
        }
    }

    /// As a worker's role, with the time that `counterfoil check` gives them.
    private func checks(_ database: BenchDatabase) async throws -> Section {
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: database.workerURL), size: 1, logger: logger)
        var lines: [Measurement] = []
        var total = 0.0
        for check in SQLFile.checks {
            Progress.say(check.name)
            let start = ContinuousClock.now
            let found = try await pool.withTransaction { connection in
                _ = try await connection.execute(SQLFile.setCheckTimeout.statement)
                return try await connection.execute(check.statement, timeout: .seconds(600)).count
            }
            guard found == 0 else {
                throw BenchError("the check \(check.name) found something: the figures are worth nothing")
            }
            let seconds = start.duration(to: .now).seconds
            total += seconds
            lines.append(Measurement(check.name, .count(seconds, "s"), below: 10))
        }
        await pool.close()
        lines.append(Measurement("all of them", .count(total, "s"), below: 60))
        return Section("Checks, as counterfoil_worker", lines)
    }

    // MARK: Beside a worker

    private func drains(_ database: BenchDatabase) async throws -> [Section] {
        var ratios: [Double] = []
        var lines: [Measurement] = []
        var readings: [String: [Double]] = [:]
        for pair in 1...pairs {
            // In turn, so that neither comes second each time.
            var rates: [Bool: Double] = [:]
            for withViews in pair.isMultiple(of: 2) ? [true, false] : [false, true] {
                Progress.say("pair \(pair), \(withViews ? "with views" : "without")")
                let first = readings.values.reduce(0) { $0 + $1.count }
                rates[withViews] = try await drain(
                    database, first, withViews ? { readings[$0, default: []].append($1) } : nil)
            }
            guard let with = rates[true], let without = rates[false] else { continue }
            ratios.append(1 - with / without)
            lines.append(Measurement("pair \(pair)", .rate(without), .rate(with), .percent(1 - with / without)))
        }
        lines.append(
            Measurement("throughput lost to the views, middle", .percent(Percentiles(ratios).median), below: 5))
        return [
            Section("Worker at full rate, without views and with each once in 30 s", lines),
            Section("Views beside it", Self.lines(readings)),
        ]
    }

    /// - Parameters:
    ///   - first: which view is read first.
    ///   - note: is told of each reading; nil: no view is read.
    /// - Returns: jobs a second.
    private func drain(
        _ database: BenchDatabase, _ first: Int, _ note: ((String, Double) -> Void)?
    ) async throws -> Double {
        try await database.fill(jobs)
        let reader = try await ViewReader.make(database, logger: logger)
        let plan = WorkerPlan(databaseURL: database.workerURL, verification: .immediate, jobs: jobs, seconds: 600)
        async let report = WorkerProcess.run(plan)
        var readings: [(String, Double)] = []
        if note != nil {
            readings = try await reader.readInTurn(
                from: first, every: Self.period, while: { try await database.hasJobs() })
        }
        let rate = try await report.jobsPerSecond
        await reader.close()
        for (name, milliseconds) in readings { note?(name, milliseconds) }
        return rate
    }
}
