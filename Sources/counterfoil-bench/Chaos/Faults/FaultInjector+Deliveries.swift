// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Glibc
import Postgres
import PrivatePostgres
import Rehearsal

/// Faults of shops in the ledger's database, of their deliverers, and of others who read the feed.
extension FaultInjector {
    func killDeliverer(_ deliverer: Int, _ kind: FaultKind) {
        if environment.deliverers.killWorker(deliverer) != nil { note(kind, .none) }
    }

    func terminateDeliverers(_ kind: FaultKind) async throws {
        for shop in environment.shops {
            _ = try await patiently { try await self.environment.overseer.execute(ChaosSQL.terminateRole, [.text(shop.role)]) }
        }
        note(kind, .none)
    }

    /// Replaces the shops' functions again and again, as their owners.
    func replaceFunctions(for duration: Duration, _ kind: FaultKind) async throws {
        let replaced = try await byShops(for: duration, every: .milliseconds(100)) { $0.makeFunction }
        if replaced == 0 { complain("no function was replaced") }
        note(kind, .none, remark: "\(replaced) times")
    }

    /// The shops' own work locks balances, against the order of deliveries.
    func spend(for duration: Duration, _ kind: FaultKind) async throws {
        let spent = try await byShops(for: duration, every: .milliseconds(20)) { $0.spendBalances }
        if spent == 0 { complain("nothing was spent") }
        note(kind, .none, remark: "\(spent) times all balances of a shop")
    }

    /// Sends scripts by each shop's own role for a while.
    ///
    /// - Returns: how many were carried out.
    private func byShops(
        for duration: Duration, every interval: Duration, _ script: @escaping @Sendable (ShopSQL) -> PostgresStatement
    ) async throws -> Int {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for shop in environment.shops {
                let url = environment.servers.url(user: shop.role)
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        // Others end with a deadlock, or with the server.
                        let isDone = try? await shop.withOwnConnection(url) { connection in
                            try await connection.executeScript(script(shop.sql).sql)
                            return true
                        }
                        if isDone == true { count += 1 }
                        try await Task.sleep(for: interval)
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// Places the orders, and uploads all their proofs in one database transaction.
    func uploadInOneCommit(_ kind: FaultKind) async throws {
        let beginning = Date()
        let deadline = ContinuousClock.now + environment.settings.load + environment.settings.patience
        var payments: [Int: PlayRecord.Payment] = [:]
        var proofs: [(order: String, text: String)] = []
        for purchase in held {
            try await environment.shop.place(purchase.orders[0])
            var device = Device(purchase, simulator: environment.simulator)
            payments[purchase.number] = device.pay(0)
            proofs.append((purchase.orders[0].id, try device.text(of: .signed(transaction: 0))))
        }
        let (uploads, url) = (proofs, environment.servers.url(user: "counterfoil_backend"))
        try await patiently {
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url), logger: .bench)
            try await endingLast(connection.close) {
                try await connection.withTransaction { connection in
                    for upload in uploads {
                        _ = try await connection.execute(RehearsalSQL.uploadProof, [.text(upload.order), .text(upload.text)])
                    }
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for purchase in held {
                var rest = purchase
                // They are placed, paid and uploaded.
                rest.steps.removeFirst(3)
                let (player, payment) = (environment.player(of: rest, until: deadline), payments[purchase.number])
                group.addTask { [player] in
                    var player = player
                    var record = try await player.play()
                    record.payments[0] = payment
                    record.uploads += 1
                    self.keep(record, of: purchase)
                }
            }
            try await group.waitForAll()
        }
        note(kind, .none, since: beginning, remark: "\(uploads.count) proofs in one commit")
    }

    /// The shop's function does harm for a while; its deliverers begin with it where they waited.
    func harm(_ name: String, _ harm: ChaosShop.Harm, for duration: Duration, _ kind: FaultKind) async throws {
        guard let shop = environment.shops.first(where: { $0.name == name }) else { throw BenchError("there is no shop \(name)") }
        let beginning = Date()
        _ = try await environment.overseer.execute(shop.sql.insertHarm, [.text(harm.rawValue)])
        try environment.folder.write(Data(), to: environment.folder.flag)
        try await Task.sleep(for: duration)
        let end = Date()
        let row = try await environment.overseer.execute(shop.sql.measureHarm)[0]
        let (waiting, tries) = (try row.int64(0), try row.int64(1))
        if tries == 0 { complain("the function of \(name) did no harm") }
        try await environment.overseer.withConnection { try await $0.executeScript(shop.sql.mendFunction.sql) }
        note(
            kind, .none, since: beginning, until: end,
            remark: "\(waiting) changes of \(name) waited in the end, after \(tries) failures")
    }

    /// The primary is lost right after a change was committed that had been written minutes before, and before anybody read it.
    func failOverAfterLateCommit(_ kind: FaultKind) async throws {
        guard let standby = environment.standby else { throw BenchError("there is no standby to fail over to") }
        _ = try await environment.overseer.execute(ChaosSQL.insertLateOrder)
        // The deliverers seem to have read ten minutes earlier.
        for shop in environment.shops {
            try await environment.overseer.withConnection { try await $0.executeScript(shop.sql.ageState.sql) }
        }
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: environment.servers.url(user: "postgres")), logger: .bench)
        try await endingLast(connection.close) {
            try await connection.executeScript("begin")
            _ = try await connection.execute(ChaosSQL.insertLateChange)
            try await waitUntilDeliverersPass(Date())
            try await waitUntilWebhooksPass(try await connection.execute(ChaosSQL.readTransactionNumber)[0].string(0))
            signalReaders(SIGSTOP)
            try await connection.executeScript("commit")
        }
        try await environment.server.kill()
        try await standby.promote()
        signalReaders(SIGCONT)
        note(kind, .settlement, remark: "a change that was written five minutes before had been committed, and not read")
        try await waitUntilReadersBeginAnew()
    }

    /// Signals all that read the feed: deliverers, and workers where they send webhooks.
    private func signalReaders(_ signal: CInt) {
        for deliverer in environment.settings.allDeliverers.indices { environment.deliverers.signalWorker(deliverer, signal) }
        guard environment.webhooks != nil else { return }
        for worker in 0..<environment.fleet.count { environment.fleet.signalWorker(worker, signal) }
    }

    private func waitUntilReadersBeginAnew() async throws {
        for shop in environment.shops {
            try await waitUntilOneBeginsAnew((1...shop.deliverers).map(shop.delivererName), "deliverer of \(shop.name)")
        }
        guard environment.webhooks != nil else { return }
        try await waitUntilOneBeginsAnew((0..<environment.fleet.count).map { environment.fleet.name(of: $0) }, "worker's webhooks")
    }

    private func waitUntilOneBeginsAnew(_ names: [String], _ what: String) async throws {
        let deadline = ContinuousClock.now + Self.patience * 2
        func haveBegun() -> Bool { names.contains { environment.folder.lines(of: $0, containing: "begins anew") > 0 } }
        while !haveBegun(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(200)) }
        if !haveBegun() { complain("no \(what) began anew") }
    }

    /// Waits until the feed was read past a database transaction that isn't over. The endpoints seem to have read ten minutes
    /// earlier; later reads leave that alone while the transaction lasts.
    private func waitUntilWebhooksPass(_ transaction: String) async throws {
        guard environment.webhooks != nil else { return }
        let database = environment.overseer
        _ = try await database.execute(ChaosSQL.ageWebhooks)
        try await before(.now + Self.patience, waitingFor: "webhooks after the late change") {
            while try await !database.execute(ChaosSQL.haveWebhooksPassed, [.text(transaction)])[0].bool(0) {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func waitUntilDeliverersPass(_ moment: Date) async throws {
        let (shops, database) = (environment.shops, environment.overseer)
        try await before(.now + Self.patience, waitingFor: "a delivery after the late change") {
            for shop in shops {
                let parameters = [PostgresParameter.double(moment.timeIntervalSince1970)]
                while try await !database.execute(shop.sql.hasPassedLateChange, parameters)[0].bool(0) {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    /// Tries again while the database is away.
    @discardableResult
    private func patiently<Success: Sendable>(_ body: () async throws -> Success) async throws -> Success {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await body()
            } catch let error as PostgresError where error.isPassing && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
