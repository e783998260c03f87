// SPDX-License-Identifier: Apache-2.0

import Postgres
import VerificationQueue

/// From the insert of a job to its order's fulfilment, with little to do: on this server, and on one that has a disk.
struct PickupPart {
    private static let perSecond = 20.0
    /// The first ones find caches and connections cold.
    private static let ignored = 20

    let plan: QueueBenchPlan
    let database: BenchDatabase

    private enum WakeUp: CaseIterable {
        case poll
        case signal

        /// Milliseconds that half of the orders take at most: the poll interval and 10 more, or 10.
        var bound: Double {
            switch self {
            case .poll: WorkerConfiguration().pollInterval.seconds * 1000 + 10
            case .signal: 10
            }
        }
    }

    func measure() async throws -> [Section] {
        var sections = [try await measure(on: database)]
        if database.place.isMemory {
            sections.append(
                try await BenchDatabase.withDatabase(
                    in: .disk, settings: plan.settings, logger: database.logger
                ) { try await measure(on: $0) })
        }
        return sections
    }

    /// Milliseconds in which half of the orders are fulfilled after a signal, on this server.
    func medianAfterSignal() async throws -> Double {
        try await insert(to: database, .signal).median
    }

    private func measure(on database: BenchDatabase) async throws -> Section {
        var measurements: [Measurement] = []
        if !database.place.isMemory {
            let flush = FlushProbe.milliseconds(in: database.place.parent)
            measurements.append(
                Measurement(
                    "a flush of 8 KiB, three of which are waited for", .milliseconds(flush.median, "median"),
                    .milliseconds(flush[90], "90 %")))
        }
        for wakeUp in WakeUp.allCases {
            Progress.say("pickup in \(database.place.parent), \(wakeUp)")
            let times = try await insert(to: database, wakeUp)
            let name = wakeUp == .poll ? "polling every 50 ms at most" : "signal after the commit"
            measurements.append(
                Measurement(
                    name, .milliseconds(times.median, "median"), .milliseconds(times[90], "90 %"),
                    .milliseconds(times[99], "99 %"), .milliseconds(times[100], "longest"), below: wakeUp.bound))
        }
        return Section(
            "pickup: insert sent to order fulfilled, \(Int(Self.perSecond)) inserts a second, \(plan.seconds) s, data in "
                + database.place.parent, measurements)
    }

    /// - Returns: milliseconds from the moment that an insert is sent to the end of its order's settlement.
    private func insert(to database: BenchDatabase, _ wakeUp: WakeUp) async throws -> Percentiles {
        let count = Self.ignored + Int(Self.perSecond) * plan.seconds
        let numbers = try await database.insertOrders(count)
        try await database.settle()
        async let report = WorkerProcess.run(
            WorkerPlan(
                databaseURL: database.workerURL, verification: .immediate, listens: wakeUp == .signal, jobs: count,
                seconds: Double(plan.seconds) * 2 + 30, tellsTimes: true))
        // The worker starts meanwhile; what it has missed, it finds by itself.
        try await Task.sleep(for: .seconds(1))
        var sent: [Int64: Int64] = [:]
        var generator = SystemRandomNumberGenerator()
        let start = ContinuousClock.now
        for (turn, number) in numbers.enumerated() {
            // Jittered, lest the inserts keep step with the poll timer.
            let due = (Double(turn) + .random(in: 0..<1, using: &generator)) / Self.perSecond
            try await Task.sleep(until: start + .seconds(due), clock: .continuous)
            let time = MonotonicTime.nanoseconds
            let id = try await database.insertJobs(number...number)[0]
            if wakeUp == .signal {
                _ = try await database.pool.execute(BenchStatement.signalWorkers)
            }
            if turn >= Self.ignored {
                sent[id] = time
            }
        }
        let settled = try await report.moments
        let times = settled.compactMap { moment in sent[moment.job].map { Double(moment.nanoseconds - $0) / 1e6 } }
        guard times.count == sent.count else {
            throw BenchError("\(sent.count - times.count) of \(sent.count) jobs were not settled in time")
        }
        return Percentiles(times)
    }
}
