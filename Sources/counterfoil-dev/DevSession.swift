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
    /// What it leaves until its end.
    let traces = Traces()

    init(_ options: DevOptions, plan: PurchasePlan, logger: Logger) {
        self.options = options
        self.plan = plan
        self.logger = logger
    }

    /// Plays, judges and prints; with ``DevOptions/stays``, then waits to be cancelled.
    ///
    /// - Returns: whether everything was as it has to be.
    func run() async throws -> Bool {
        let gateways = options.isOverHTTP || plan.purchases.isEmpty ? ", a gateway" : ""
        Console.note("Starting a private Postgres, a simulated App Store\(gateways) and \(options.workers) workers.")
        return try await DevEnvironment.with(options, plan, traces: traces, logger: logger) { environment in
            try await environment.fleet.run(answering: environment.statuses) { try await perform(in: environment) }
        }
    }

    private func perform(in environment: DevEnvironment) async throws -> Bool {
        try await WorkerFleet.waitForWorkers(options.workers, environment.overseer)
        try await environment.gateways?.waitUntilReady()
        var isClean = true
        if !plan.purchases.isEmpty {
            let report = try await playAndJudge(in: environment)
            Console.print(report.text)
            isClean = report.isClean
        }
        guard let password = environment.password else { return isClean }
        let look = LookAround(environment, password)
        return try await look.installation.findable(in: environment.folder) {
            Console.print("\n" + look.text)
            Console.note("Everything keeps running. Press Ctrl-C to stop it; nothing of it stays behind.")
            do {
                while true { try await Task.sleep(for: .seconds(3600)) }
            } catch {
                return isClean
            }
        }
    }

    private func playAndJudge(in environment: DevEnvironment) async throws -> DevReport {
        let orders = plan.orderCount
        Console.note(
            "Playing \(plan.purchases.count) purchases with \(orders) orders (seed \(plan.seed)).")
        let progress = Progress(total: plan.purchases.count)
        let watch = AnswerWatch(environment.overseer, statuses: environment.statuses, lease: WorkerEnvironment.lease)
        return try await progress.shown {
            try await whileRunning([{ await watch.run() }]) {
                let records = try await DevPlay(plan: plan, environment: environment).run(progress)
                return try await judge(records, by: watch, in: environment, progress)
            }
        }
    }

    private func judge(
        _ records: [Int: PlayRecord], by watch: AnswerWatch, in environment: DevEnvironment, _ progress: Progress
    ) async throws -> DevReport {
        let database = environment.overseer
        let pendingJobs = try await WorkerFleet.waitForQueue(.seconds(60), database) { progress.stage = .settling(jobs: $0) }
        progress.stage = .judging
        var observation = try await Observation.read(
            database, plan: plan, records: records, finished: environment.simulator.finishedTransactions)
        try await observation.readLives(of: plan, environment.simulator, database)
        return DevReport(
            plan, observation, checks: try await CheckResult.all(database) + [.followUps(observation)],
            measurements: try await Measurements.read(
                database, environment.simulator.statistics, kills: environment.fleet.kills),
            answers: try await watch.verdict(plan, records), pendingJobs: pendingJobs)
    }
}
