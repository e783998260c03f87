// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import Rehearsal

/// One scenario, from its set-up to its result.
struct ScenarioRun: Sendable {
    private static let storiesTold = 3
    private static let calmSeconds = 12.0

    let scenario: Scenario
    let seed: UInt64
    /// The path of a program that has the command `worker`.
    let program: String
    let logger: Logger
    /// The guard that is missing, if any.
    var mutant: Mutant?

    /// - Throws: when something of ours failed that the scenario stands on, and nothing can be said.
    func run() async throws -> ScenarioResult {
        let start = ContinuousClock.now
        let plan = ChaosLoad.plan(scenario.settings, seed: seed)
        return try await ChaosEnvironment.with(scenario.settings, plan, program: program, mutant: mutant, logger: logger) {
            environment in
            try await environment.fleet.run(answering: environment.statuses) {
                try await whileRunning([
                    { try await environment.deliverers.run() }, { try await environment.gateways.run() },
                ]) {
                    let watch = AnswerWatch(
                        environment.overseer, statuses: environment.statuses,
                        lease: scenario.settings.lease + scenario.settings.rowsAreHeld)
                    return try await whileRunning([{ await watch.run() }]) {
                        try await play(plan, by: watch, in: environment, since: start)
                    }
                }
            }
        }
    }

    private func play(
        _ plan: PurchasePlan, by watch: AnswerWatch, in environment: ChaosEnvironment, since start: ContinuousClock.Instant
    ) async throws -> ScenarioResult {
        environment.setApple(nil)
        let database = environment.overseer
        try await WorkerFleet.waitForWorkers(scenario.settings.workersAtFirst, database)
        try await environment.site.waitUntilReady()
        let injector = FaultInjector(
            environment, held: plan.purchases.filter { scenario.settings.heldPurchases.contains($0.number) })
        async let injection: Void = injector.run(scenario.events(seed: seed))
        var records = try await ChaosLoad(plan: plan, environment: environment).run(waitingFor: injector.waitForEnd)
        try await injection
        records.merge(injector.records) { $1 }
        try await injector.clearUp()
        let pendingJobs = try await WorkerFleet.waitForQueue(scenario.settings.patience, database)
        var observation = try await Observation.read(
            database, plan: plan, records: records, finished: environment.simulator.finishedTransactions)
        try await observation.readLives(of: plan, environment.simulator, database)
        observation.outcomes = observation.outcomes.filter { !FaultInjector.isOfCrowd($0.key) }
        let faults = injector.injected
        let checks =
            try await check(observation, faults, database) + [injector.findings] + environment.checkDeliveries()
            + environment.checkWebhooks()
        var answers = try await watch.verdict(plan, records)
        if !scenario.settings.judgesWaits { answers.wrong.removeAll { $0.rule == .waitTooLong } }
        let verdict = Verdict(plan, observation, checks: checks, pendingJobs: pendingJobs, answers: answers)
        let slowest = try await slowestOrder(database)
        let late = slowest.flatMap { $0.seconds > (scenario.slowestOrder ?? .zero) / .seconds(1) ? $0.order : nil }
        let told = verdict.lostOrders.prefix(Self.storiesTold) + answers.wrong.prefix(Self.storiesTold).compactMap(\.orderID)
        let stories = try await database.execute(ChaosSQL.tellStories, [.textArray(told + [late].compactMap(\.self))])
        let settled = try await database.execute(ChaosSQL.countSettledJobs)[0]
        let recovery = try await RecoveryTimes.read(faults, of: scenario, database)
        return ScenarioResult(
            scenario: scenario, faults: faults,
            answers: answers, jobs: Int(try settled.int64(0)),
            paths: PathCounts(short: Int(try settled.int64(1)), careful: Int(try settled.int64(2))), verdict: verdict,
            recoveries: recovery.seconds, unrecovered: recovery.gaps, stale: environment.staleSettlements,
            silence: try await database.execute(ChaosSQL.measureSilence)[0].double(0),
            claims: try claimTimes(faults, environment.server),
            others: try await otherOrders(faults, injector.held, database),
            slowestOrder: slowest?.seconds,
            neighbour: try await neighbourTimes(faults, database), seconds: start.duration(to: .now) / .seconds(1),
            postgres: try await database.execute(BenchStatement.readSettings, [.textArray(["server_version"])])[0].string(1),
            workerMemory: environment.workerMemory, stories: stories.map(\.summary))
    }

    private func check(
        _ observation: Observation, _ faults: [InjectedFault], _ database: PostgresPool
    ) async throws -> [CheckResult] {
        var checks = try await CheckResult.all(database) + [.followUps(observation)]
        for check in ChaosSQL.checks { checks.append(try await .of(check, database)) }
        if let most = scenario.mostFailedAttempts {
            let failed = try await database.execute(ChaosSQL.countFailedAttempts)[0].int64(0)
            let rows = failed > most ? ["\(failed) attempts were charged because Apple failed, and at most \(most) may be"] : []
            checks.append(CheckResult(name: "attempts_charged_in_an_outage", rows: rows))
        }
        if scenario.everyWorkerCompletes, let fault = faults.first {
            let moment = fault.healedAt.timeIntervalSince1970
            let rows = try await database.execute(ChaosSQL.listSettlingWorkers, [.double(moment)])
            let names = Set(try rows.map { try $0.string(0) })
            let idle = (0..<scenario.settings.workers).map(WorkerFleet.name).filter { !names.contains($0) }
            checks.append(CheckResult(name: "workers_that_completed_nothing", rows: idle))
        }
        return checks
    }

    private func otherOrders(
        _ faults: [InjectedFault], _ held: [Purchase], _ database: PostgresPool
    ) async throws -> OtherOrders? {
        guard scenario.othersTarget != nil, let fault = faults.first else { return nil }
        return OtherOrders(
            seconds: try await orderTimes(
                from: fault.begunAt, to: fault.healedAt, without: held.flatMap(\.orders).map(\.id), database))
    }

    private func slowestOrder(_ database: PostgresPool) async throws -> (order: String, seconds: Double)? {
        guard scenario.slowestOrder != nil else { return nil }
        let rows = try await measureOrders(from: .distantPast, to: .distantFuture, without: [], database)
        return try rows.map { (try $0.string(1), try $0.double(0)) }.max { $0.1 < $1.1 }
    }

    /// Seconds from the insert of an order's first proof to its grant, of the proofs that came between two moments.
    private func orderTimes(
        from begin: Date, to end: Date, without held: [String], _ database: PostgresPool
    ) async throws -> Percentiles {
        Percentiles(try await measureOrders(from: begin, to: end, without: held, database).map { try $0.double(0) })
    }

    private func measureOrders(
        from begin: Date, to end: Date, without held: [String], _ database: PostgresPool
    ) async throws -> PostgresResult {
        try await database.execute(ChaosSQL.measureOrders, from: begin, to: end, [.textArray(held)])
    }

    private func neighbourTimes(_ faults: [InjectedFault], _ database: PostgresPool) async throws -> NeighbourTimes? {
        guard scenario.comparesWithCalm, let fault = faults.first, let shop = scenario.settings.shops.first else { return nil }
        // Not the first orders, which met with workers that had just begun.
        let calm = fault.begunAt.addingTimeInterval(-Self.calmSeconds)...fault.begunAt
        return try await .read(calm: calm, fault: fault.begunAt...fault.healedAt, shop: shop, database)
    }

    private func claimTimes(_ faults: [InjectedFault], _ server: PrivatePostgresServer) throws -> ClaimTimes? {
        guard scenario.claims != nil, let fault = faults.first else { return nil }
        return ClaimTimes(
            log: try String(contentsOfFile: server.logFile, encoding: .utf8), fault: fault.begunAt...fault.healedAt)
    }
}

extension ChaosEnvironment {
    /// Of the worker that held most, in bytes; of those that run.
    fileprivate var workerMemory: Int {
        (0..<fleet.count).compactMap { fleet.process(ofWorker: $0).map { ProcessUsage.residentBytes(of: $0).most } }.max() ?? 0
    }

    /// Settlements that found their lease lost, as the workers' logs tell.
    fileprivate var staleSettlements: Int {
        (0..<fleet.count).reduce(0) { $0 + folder.lines(of: fleet.name(of: $1), containing: "lease lost") }
    }
}
