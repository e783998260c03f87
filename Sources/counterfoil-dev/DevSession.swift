// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import Logging
import Postgres
import Rehearsal

/// One run of the play, from the set-up to the last word.
struct DevSession: Sendable {
    private let options: DevOptions
    private let plan: PurchasePlan
    private let logger: Logger

    init(_ options: DevOptions, plan: PurchasePlan, logger: Logger) {
        self.options = options
        self.plan = plan
        self.logger = logger
    }

    /// Plays, judges and prints; with ``DevOptions/stays``, then waits to be cancelled.
    ///
    /// - Returns: whether everything was as it has to be.
    func run() async throws -> Bool {
        Console.note("Starting a private Postgres, a simulated App Store and \(options.workers) workers.")
        return try await DevEnvironment.with(options, plan, logger: logger) { environment in
            try await withThrowingTaskGroup(of: Bool?.self) { group in
                group.addTask {
                    try await environment.fleet.run()
                    return nil
                }
                group.addTask {
                    await environment.statuses.run()
                    return nil
                }
                group.addTask { try await perform(in: environment) }
                defer { group.cancelAll() }
                // Workers and polls only end by an error, or when they are stopped.
                while let result = try await group.next() {
                    if let isClean = result { return isClean }
                }
                throw CancellationError()
            }
        }
    }

    private func perform(in environment: DevEnvironment) async throws -> Bool {
        try await before(.now + .seconds(60), waitingFor: "a sign of life of every worker") {
            try await environment.wait { database in
                try await database.execute(RehearsalSQL.countWorkers)[0].int64(0) >= options.workers
            }
        }
        var isClean = true
        if !plan.purchases.isEmpty {
            let report = try await playAndJudge(in: environment)
            Console.print(report.text)
            isClean = report.isClean
        }
        guard options.stays else { return isClean }
        Console.note("Everything keeps running. Press Ctrl-C to stop it; nothing of it stays behind.")
        Console.print("\n" + LookAround(environment).text)
        do {
            while true { try await Task.sleep(for: .seconds(3600)) }
        } catch {
            return isClean
        }
    }

    private func playAndJudge(in environment: DevEnvironment) async throws -> DevReport {
        let orders = plan.orderCount
        Console.note(
            "Playing \(plan.purchases.count) purchases with \(orders) orders (seed \(plan.seed)).")
        let records = try await DevPlay(plan: plan, environment: environment).run()
        let pendingJobs = try await waitForQueue(environment)
        let database = environment.overseer
        let observation = try await Observation.read(
            database, plan: plan, records: records, finished: environment.simulator.finishedTransactions)
        return DevReport(
            plan, observation, checks: try await CheckResult.all(database) + [.followUps(observation)],
            measurements: try await Measurements.read(
                database, environment.simulator.statistics, kills: environment.fleet.kills),
            pendingJobs: pendingJobs)
    }

    /// Returns when no job is available or running, or with those that are when a minute has passed.
    private func waitForQueue(_ environment: DevEnvironment) async throws -> [String] {
        do {
            try await before(.now + .seconds(60), waitingFor: "the end of the queue") {
                try await environment.wait { database in
                    try await database.execute(RehearsalSQL.countUnsettled)[0].int64(0) == 0
                }
            }
            return []
        } catch is DeadlinePassed {
            return try await environment.overseer.execute(RehearsalSQL.showPendingJobs).map(\.summary)
        }
    }
}
