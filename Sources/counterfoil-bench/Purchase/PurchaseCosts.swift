// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres

/// What purchases cost the server: by their parts, each measured alone, one purchase after the other, and as fast as it goes;
/// beside a bare committed insert.
struct PurchaseCosts {
    /// Purchases a second, where one comes after the other: each is settled alone.
    private static let rate = 50.0

    let plan: PurchaseBenchPlan
    let database: BenchDatabase

    /// The server's, of one purchase.
    private struct Cost {
        var microseconds: Double
        var walBytes: Double

        static func + (first: Cost, second: Cost) -> Cost {
            Cost(microseconds: first.microseconds + second.microseconds, walBytes: first.walBytes + second.walBytes)
        }
    }

    /// What is measured, in the order of the report.
    private enum Line: CaseIterable {
        case bare
        case inserts
        case settlement
        case polls
        case sum
        case single
        case idle
        case load
    }

    private typealias Costs = [Line: [Cost]]

    func measure() async throws -> Section {
        let authority = try SimulatedCertificateAuthority()
        let folder = try BenchFile.folder()
        defer { BenchFile.remove(folder) }
        try Data(authority.rootCertificateDER).write(to: URL(fileURLWithPath: folder + "/root.der"))
        _ = try await database.pool.execute(BenchStatement.makeBareRows)
        var costs: Costs = [:]
        var perSecond: [Double] = []
        for round in 1...plan.rounds {
            Progress.say("purchases, round \(round) of \(plan.rounds)")
            try await database.settle()
            try await PurchaseBackend.with(database, connections: 1) { backend in
                let bare = try await cost(of: plan.purchases) { try await backend.insertBareRows(plan.purchases) }
                costs[.bare, default: []].append(bare)
                if plan.parts.contains(.parts) { try await measureParts(backend, authority, folder, &costs) }
                if plan.parts.contains(.single) { try await measureSingle(backend, authority, folder, &costs) }
            }
            if plan.parts.contains(.load) { perSecond.append(try await measureLoad(authority, folder, &costs)) }
        }
        return Section(
            "purchase: order, proof (each committed), settlement and two polls; the server's CPU and log, middle of \(plan.rounds)",
            Line.allCases.compactMap { line in costs[line].map { measurement(line, $0, costs, Percentiles(perSecond).median) } })
    }

    private func measurement(_ line: Line, _ measured: [Cost], _ costs: Costs, _ perSecond: Double) -> Measurement {
        let bare = costs[line == .idle ? .idle : .bare, default: []].map(\.microseconds)
        let name =
            switch line {
            case .bare: "a bare committed insert"
            case .inserts: "order and proof, two commits"
            case .settlement: "settled from a full queue, by \(WorkerPlan.defaultBatch) at most"
            case .polls: "two polls"
            case .sum: "sum of these parts"
            case .single: "one by one: \(Int(Self.rate)) a second, signalled, without the idle worker's"
            case .idle: "  an idle worker, each second"
            case .load: "under load: \(plan.connections) connections, \(Int(perSecond)) a second"
            }
        let cpu = Measurement.Figure.count(Percentiles(measured.map(\.microseconds)).median, "µs server CPU")
        let wal = Measurement.Figure.count(Percentiles(measured.map(\.walBytes)).median, "B of log")
        guard line != .idle, line != .bare else { return Measurement(name, cpu, wal) }
        let ratio = Percentiles(zip(measured.map(\.microseconds), bare).map { $0 / $1 }).median
        return Measurement(name, cpu, wal, .count(ratio, "× the bare insert"))
    }

    private func measureParts(
        _ backend: PurchaseBackend, _ authority: SimulatedCertificateAuthority, _ folder: String, _ costs: inout Costs
    ) async throws {
        let purchases = try BenchPurchase.make(plan.purchases, authority)
        let inserts = try await cost(of: purchases.count) {
            for purchase in purchases { try await backend.buy(purchase) }
        }
        let settlement = try await cost(of: purchases.count, grants: purchases.count) {
            _ = try await WorkerProcess.run(worker(purchases.count, folder))
        }
        let polls = try await cost(of: purchases.count) {
            for purchase in purchases {
                for _ in 1...2 { try await backend.expectFinish(purchase) }
            }
        }
        costs[.inserts, default: []].append(inserts)
        costs[.settlement, default: []].append(settlement)
        costs[.polls, default: []].append(polls)
        costs[.sum, default: []].append(inserts + settlement + polls)
    }

    /// Each purchase is polled at once, and when its answer has long come.
    private func measureSingle(
        _ backend: PurchaseBackend, _ authority: SimulatedCertificateAuthority, _ folder: String, _ costs: inout Costs
    ) async throws {
        let count = Int(Self.rate) * plan.seconds
        let purchases = try BenchPurchase.make(count, authority)
        async let report = WorkerProcess.run(worker(count, folder, listens: true))
        try await Task.sleep(for: .seconds(2))
        let idleSeconds = 5.0
        let idle = try await cost(of: 1) { try await Task.sleep(for: .seconds(idleSeconds)) }
        let start = ContinuousClock.now
        var total = try await cost(of: 1, grants: count) {
            for (number, purchase) in purchases.enumerated() {
                try await Task.sleep(until: start + .seconds(Double(number) / Self.rate), clock: .continuous)
                try await backend.buy(purchase)
                try await backend.signalWorkers()
                _ = try await backend.poll(purchase)
                if number >= Self.lag { try await backend.expectFinish(purchases[number - Self.lag]) }
            }
            try await waitForEmptyQueue()
            for purchase in purchases.suffix(Self.lag) { try await backend.expectFinish(purchase) }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        _ = try await report
        total.microseconds -= idle.microseconds * seconds / idleSeconds
        total.walBytes -= idle.walBytes * seconds / idleSeconds
        costs[.single, default: []].append(
            Cost(microseconds: total.microseconds / Double(count), walBytes: total.walBytes / Double(count)))
        costs[.idle, default: []].append(
            Cost(microseconds: idle.microseconds / idleSeconds, walBytes: idle.walBytes / idleSeconds))
    }

    /// How many purchases later the second poll comes.
    private static let lag = Int(rate)

    /// - Returns: purchases a second.
    private func measureLoad(
        _ authority: SimulatedCertificateAuthority, _ folder: String, _ costs: inout Costs
    ) async throws -> Double {
        let purchases = try BenchPurchase.make(plan.purchases, authority)
        return try await PurchaseBackend.with(database, connections: plan.connections) { backend in
            async let report = WorkerProcess.run(worker(purchases.count, folder))
            try await Task.sleep(for: .seconds(2))
            let start = ContinuousClock.now
            let load = try await cost(of: purchases.count, grants: purchases.count) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for connection in 0..<plan.connections {
                        group.addTask {
                            for number in stride(from: connection, to: purchases.count, by: plan.connections) {
                                try await backend.buy(purchases[number])
                                _ = try await backend.poll(purchases[number])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try await waitForEmptyQueue()
                for purchase in purchases { try await backend.expectFinish(purchase) }
            }
            let seconds = start.duration(to: .now) / .seconds(1)
            _ = try await report
            costs[.load, default: []].append(load)
            return Double(purchases.count) / seconds
        }
    }

    private func waitForEmptyQueue() async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try await database.hasJobs() {
            guard ContinuousClock.now < deadline else { throw BenchError("the worker didn't settle all purchases") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func worker(_ jobs: Int, _ folder: String, listens: Bool = false) -> WorkerPlan {
        WorkerPlan(
            databaseURL: database.workerURL, verification: .signed(folder: folder), listens: listens, jobs: jobs,
            seconds: 120 + Double(plan.seconds))
    }

    /// - Parameter grants: how many are made meanwhile: else the figures are worth nothing.
    private func cost(of count: Int, grants: Int = 0, _ body: () async throws -> Void) async throws -> Cost {
        let (_, cost) = try await database.cost(body)
        guard cost.granted == grants else { throw BenchError("\(cost.granted) payments were granted of \(grants)") }
        return Cost(microseconds: cost.cpuSeconds * 1e6 / Double(count), walBytes: Double(cost.walBytes) / Double(count))
    }
}
