// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres

/// Notifications verified and settled, beside the bare checks of their three signatures on the same cores; and from the insert of one to its
/// effect, with little to do.
struct NotificationsPart {
    private static let perSecond = 20.0
    private static let ignored = 20
    /// What is to be reached of the rate that the signatures alone allow.
    private static let share = 0.3
    /// Milliseconds that half of them take at most.
    private static let bound = 50.0

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> [Section] {
        let authority = try SimulatedCertificateAuthority()
        let folder = try BenchFile.folder()
        defer { BenchFile.remove(folder) }
        try Data(authority.rootCertificateDER).write(to: URL(fileURLWithPath: folder + "/root.der"))
        return [try await drain(authority, folder), try await pickUp(authority, folder)]
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
            _ = try await database.pool.execute(BenchStatement.notify)
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
                    "notify after the commit", .milliseconds(percentiles.median, "median"), .milliseconds(percentiles[90], "90 %"),
                    .milliseconds(percentiles[99], "99 %"), .milliseconds(percentiles[100], "longest"), below: Self.bound)
            ])
    }
}
