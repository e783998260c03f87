// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import EventSources
import FoundationEssentials
import Postgres
import VerificationQueue

/// Notifications verified and settled, beside the bare checks of their three signatures on the same cores; from the insert of one
/// to its effect, with little to do, and while others send what Apple didn't sign; and the reading of Apple's history.
struct NotificationsPart {
    private static let perSecond = 20.0
    private static let ignored = 20
    /// What is to be reached of the rate that the signatures alone allow.
    private static let share = 0.3
    /// Milliseconds that half of them take at most.
    private static let bound = 50.0
    private static let strangers = 8
    /// Milliseconds that no honest one takes among others.
    private static let longestDelay = 1000.0
    /// How many Apple's history holds: the simulator reads them all for each page.
    private static let history = 4000
    /// A week: as whole as it is read.
    private static let historySeconds = 7.0 * 86_400
    /// Apple's page, and Apple's limit.
    private static let perPage = 20.0
    private static let callsPerSecond = 50.0

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> [Section] {
        let authority = try SimulatedCertificateAuthority()
        let folder = try BenchFile.folder()
        defer { BenchFile.remove(folder) }
        try Data(authority.rootCertificateDER).write(to: URL(fileURLWithPath: folder + "/root.der"))
        return [
            try await drain(authority, folder), try await pickUp(authority, folder), try await flood(authority, folder),
            try await catchUp(),
        ]
    }

    private func drain(_ authority: SimulatedCertificateAuthority, _ folder: String) async throws -> Section {
        let count = plan.jobs / 10
        let cores = Double(Machine.cores)
        let bare = try BareSignatures(different: 100)
        var shares: [Double] = []
        var measurements: [Measurement] = []
        for _ in 0..<plan.rounds {
            Progress.say("\(count) notifications")
            _ = try await database.pool.execute(
                BenchStatement.insertNotifications,
                [.text(BenchDatabase.bundleIDs[0]), .textArray(try payloads(count, authority))], timeout: .seconds(120))
            try await database.settle()
            let rate = try await ProcessorTime.rate(over: .seconds(1)) { try bare.checkP256() } * cores / 3
            let (worker, cost) = try await database.cost {
                try await WorkerProcess.run(
                    WorkerPlan(
                        databaseURL: database.workerURL, verification: .signed(folder: folder), jobs: count, seconds: 120))
            }
            shares.append(worker.jobsPerSecond / rate)
            measurements.append(
                Measurement(
                    "worker", .count(worker.jobsPerSecond, "a second"), .clientCPU(worker.cpuMicrosecondsPerJob),
                    .count(cost.cpuSeconds * 1e6 / Double(count), "µs server CPU each")))
            measurements.append(Measurement("  three bare checks each, on \(Int(cores)) cores", .count(rate, "a second")))
            try await database.clear()
        }
        return Section(
            "notifications: \(count) of payments that nobody showed",
            measurements + [
                Measurement(
                    "of the bare checks' rate, middle of \(plan.rounds)", .share(Percentiles(shares).median),
                    atLeast: Self.share)
            ])
    }

    /// What Apple would send: each about a transaction of its own.
    private func payloads(_ count: Int, _ authority: SimulatedCertificateAuthority) throws -> [String] {
        try (0..<count).map { _ in
            let transaction = SimulatedTransaction(
                productId: BenchDatabase.product, bundleId: BenchDatabase.bundleIDs[0])
            return try SimulatedNotification("ONE_TIME_CHARGE", about: transaction).signedPayload(by: authority, appleID: 1)
        }
    }

    private func pickUp(_ authority: SimulatedCertificateAuthority, _ folder: String) async throws -> Section {
        let count = Self.ignored + Int(Self.perSecond) * plan.seconds
        let payloads = try payloads(count, authority)
        try await database.settle()
        async let report = WorkerProcess.run(
            WorkerPlan(
                databaseURL: database.workerURL, verification: .signed(folder: folder), listens: true, jobs: count,
                seconds: Double(plan.seconds) * 2 + 30, tellsTimes: true))
        try await Task.sleep(for: .seconds(1))
        var sent: [Int64: Int64] = [:]
        var generator = SystemRandomNumberGenerator()
        let start = ContinuousClock.now
        for (turn, payload) in payloads.enumerated() {
            let due = (Double(turn) + .random(in: 0..<1, using: &generator)) / Self.perSecond
            try await Task.sleep(until: start + .seconds(due), clock: .continuous)
            let time = MonotonicTime.nanoseconds
            let id = try await database.pool.execute(
                BenchStatement.insertNotifications, [.text(BenchDatabase.bundleIDs[0]), .textArray([payload])])[0].int64(0)
            _ = try await database.pool.execute(BenchStatement.signalWorkers)
            if turn >= Self.ignored { sent[id] = time }
        }
        let times = try await report.moments.compactMap { moment in sent[moment.job].map { Double(moment.nanoseconds - $0) / 1e6 } }
        guard times.count == sent.count else {
            throw BenchError("\(sent.count - times.count) of \(sent.count) notifications were not settled in time")
        }
        let percentiles = Percentiles(times)
        return Section(
            "notifications: insert sent to effect, \(Int(Self.perSecond)) inserts a second, \(plan.seconds) s",
            [
                Measurement(
                    "signal after the commit", .milliseconds(percentiles.median, "median"), .milliseconds(percentiles[90], "90 %"),
                    .milliseconds(percentiles[99], "99 %"), .milliseconds(percentiles[100], "longest"), below: Self.bound)
            ])
    }

    /// Honest notifications while strangers send, on as many connections as there are, texts of Apple's chain and with a wrong
    /// signature.
    private func flood(_ authority: SimulatedCertificateAuthority, _ folder: String) async throws -> Section {
        let count = Int(Self.perSecond) * plan.seconds
        let honest = try payloads(count, authority)
        let forged = try forgedPayloads(authority)
        let strangers = PostgresPool(
            configuration: try PostgresConfiguration(url: database.workerURL), size: Self.strangers, logger: database.logger)
        try await database.settle()
        let since = try await database.pool.execute(BenchStatement.readTime)[0].timestamp(0)
        async let report = WorkerProcess.run(
            WorkerPlan(
                databaseURL: database.workerURL, verification: .signed(folder: folder), listens: true, warmUpSeconds: 1,
                seconds: Double(plan.seconds) + 3))
        try await Task.sleep(for: .seconds(1))
        let start = ContinuousClock.now
        let end = start + .seconds(plan.seconds)
        let (taken, refused, honestRefused) = try await endingLast(strangers.close) {
            try await withThrowingTaskGroup(of: (taken: Int, refused: Int).self) { group in
                for stranger in 0..<Self.strangers {
                    group.addTask { try await Self.send(forged[stranger], by: strangers, until: end) }
                }
                var honestRefused = 0
                for (turn, payload) in honest.enumerated() {
                    try await Task.sleep(until: start + .seconds(Double(turn) / Self.perSecond), clock: .continuous)
                    if try await !Self.take(payload, by: database.pool) { honestRefused += 1 }
                }
                let sums = try await group.reduce((0, 0)) { ($0.0 + $1.taken, $0.1 + $1.refused) }
                return (sums.0, sums.1, honestRefused)
            }
        }
        _ = try await report
        let row = try await database.pool.execute(BenchStatement.measureNotifications, [.timestamp(since)])[0]
        try await database.clear()
        return Section(
            "notifications: \(Self.strangers) connections send what Apple didn't sign, \(Int(Self.perSecond)) honest ones a second, "
                + "\(plan.seconds) s",
            [
                Measurement(
                    "what Apple didn't sign", .count(Double(taken) / Double(plan.seconds), "a second taken"),
                    .count(Double(refused) / Double(plan.seconds), "a second refused at the bound")),
                Measurement(
                    "honest ones of \(count)", .count(Double(try row.int64(0)), "had their effect"),
                    .count(Double(honestRefused), "are to come again")),
                Measurement(
                    "from their insert to their effect", .milliseconds(try row.double(3), "longest"),
                    .milliseconds(try row.double(1), "median"), .milliseconds(try row.double(2), "99 %"), below: Self.longestDelay),
            ])
    }

    /// A share for each stranger: the signature of each is another one's.
    private func forgedPayloads(_ authority: SimulatedCertificateAuthority) throws -> [[String]] {
        let genuine = try payloads(Self.strangers * 500, authority)
        let parts = genuine.map { $0.split(separator: ".") }
        let forged = zip(parts, parts.dropFirst() + parts.prefix(1)).map { "\($0[0]).\($0[1]).\($1[2])" }
        return (0..<Self.strangers).map { Array(forged[($0 * 500)..<(($0 + 1) * 500)]) }
    }

    private static func send(
        _ texts: [String], by pool: PostgresPool, until end: ContinuousClock.Instant
    ) async throws -> (taken: Int, refused: Int) {
        var sums = (taken: 0, refused: 0)
        while true {
            for text in texts {
                guard ContinuousClock.now < end else { return sums }
                if try await take(text, by: pool) { sums.taken += 1 } else { sums.refused += 1 }
            }
        }
    }

    /// - Returns: false at the bound of those that wait to be verified.
    private static func take(_ text: String, by pool: PostgresPool) async throws -> Bool {
        do throws(PostgresError) {
            _ = try await pool.execute(BenchStatement.takeNotification, [.text(text)])
            return true
        } catch {
            guard error.constraint == "at_most_2000_unverified_notifications" else { throw error }
            return false
        }
    }

    /// All that Apple sent, while a worker verifies it.
    private func catchUp() async throws -> Section {
        let bundleID = BenchDatabase.bundleIDs[0]
        let count = Self.history
        let pages = Double(count) / Self.perPage
        let seconds = try await AppStoreSimulator.withRunning { simulator in
            for bundle in BenchDatabase.bundleIDs { simulator.registerApp(bundle) }
            for number in 0..<count {
                let date = Date().addingTimeInterval(-Self.historySeconds * Double(number) / Double(count))
                let transaction = SimulatedTransaction(productId: BenchDatabase.product, bundleId: bundleID)
                try simulator.addNotification(SimulatedNotification("ONE_TIME_CHARGE", about: transaction, date: date))
            }
            let folder = try BenchFile.folder()
            defer { BenchFile.remove(folder) }
            try ServerAPIFolder.write(simulator, to: folder)
            var configuration = try ServerAPIFolder.configuration(folder, port: simulator.productionPort)
            configuration.sandboxAPIURL = "https://localhost:\(simulator.sandboxPort)"
            let verifier = try AppStoreVerifier(configuration, logger: database.logger)
            _ = try await database.pool.execute(BenchStatement.makeCatchUpDue, [.text(bundleID), .double(Self.callsPerSecond)])
            let start = ContinuousClock.now
            return try await endingLast {
                try? await verifier.shutdown()
            } _: {
                // A worker without a key has nobody to ask.
                async let report = WorkerProcess.run(
                    WorkerPlan(databaseURL: database.workerURL, verification: .signed(folder: folder), jobs: count, seconds: 300))
                try await NotificationCatchUp(pool: database.pool, verifier: verifier, logger: database.logger).run()
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                _ = try await report
                return seconds
            }
        }
        let taken = try await database.pool.execute(ChaosSQL.countFromHistory)[0].int64(0)
        guard taken == count else { throw BenchError("\(taken) of \(count) notifications were taken from the history") }
        return Section(
            "notifications: \(count) from Apple's history, \(Int(pages)) calls, \(Int(Self.callsPerSecond)) a second allowed",
            [
                Measurement("read and taken", .count(Double(count) / seconds, "a second")),
                Measurement("time / that of the budget", .share(seconds / (pages / Self.callsPerSecond)), below: 1.1001),
            ])
    }
}
