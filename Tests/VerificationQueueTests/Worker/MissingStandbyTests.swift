// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// The synchronous standby is away: nothing that workers do may become visible, and nothing may be lost.
@Suite struct MissingStandbyTests {
    private static let workers = 10
    private static let connections = 3
    /// More than all slots and connections can hold: a worker without an order to claim has nothing to commit, and stays ready.
    private static let orders = 400

    private static func setUp(_ admin: PostgresConnection) async throws {
        _ = try await SchemaMigrator(logger: .test).migrate(admin)
        try await admin.executeScript(
            """
            insert into counterfoil.apps (bundle_id, sandbox_policy) values ('com.example.game', 'deny');
            insert into counterfoil.products (bundle_id, product_id, kind) values ('com.example.game', 'coins', 'consumable');
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            select 'order-' || n, 'com.example.game', 'coins', 'ann' from generate_series(1, \(orders)) n;
            insert into counterfoil.jobs (order_id, proof) select 'order-' || n, 'eyJ ' || n from generate_series(1, \(orders)) n
            """)
    }

    private static func setStandby(_ name: String, _ admin: PostgresConnection) async throws {
        _ = try await admin.execute("alter system set synchronous_standby_names = '\(name)'")
        _ = try await admin.execute("select pg_reload_conf()")
        try await admin.waitUntil("current_setting('synchronous_standby_names') = '\(name)'")
    }

    private static func count(_ rows: String, _ admin: PostgresConnection) async throws -> Int64 {
        try await admin.execute("select count(*) from \(rows)")[0].int64(0)
    }

    private static func makeWorker(_ url: String, _ events: EventLog<WorkerEvent>) throws -> (Worker, PostgresPool) {
        var database = try PostgresConfiguration(url: url)
        database.statementTimeout = .milliseconds(500)
        database.cancellationGrace = .milliseconds(100)
        database.inspectionInterval = .seconds(1)
        let pool = PostgresPool(configuration: database, size: connections, logger: .test)
        var configuration = WorkerConfiguration()
        configuration.slots = 5
        configuration.pollInterval = .milliseconds(20)
        configuration.gateInterval = .milliseconds(50)
        configuration.rescueInterval = .milliseconds(50)
        configuration.leaseDuration = .seconds(3)
        configuration.attemptDeadline = .seconds(1)
        let worker = Worker(
            pool: pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test, logger: .test,
            observe: { events.append($0) })
        return (worker, pool)
    }

    @Test(.timeLimit(.minutes(3))) func nothingIsVisibleAndNothingIsLostWhileTheStandbyIsAway() async throws {
        let settings = ["fsync=off", "max_connections=40"]
        try await PrivatePostgresServer.withServer(settings: settings, logger: .test) { server in
            try await PostgresConnection.withConnection(to: server.url()) { admin in
                try await Self.setUp(admin)
                let events = EventLog<WorkerEvent>()
                var workers: [Worker] = []
                var pools: [PostgresPool] = []
                for _ in 1...Self.workers {
                    let (worker, pool) = try Self.makeWorker(server.url(user: "counterfoil_worker"), events)
                    workers.append(worker)
                    pools.append(pool)
                }
                // They come to work before the standby goes away.
                try await admin.executeScript("update counterfoil.gates set state = 'closed', closed_by = 'operator'")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in workers { group.addTask { try await worker.run() } }
                    for worker in workers {
                        for await _ in worker.readiness { break }
                    }
                    try await admin.executeScript("update counterfoil.gates set state = 'open', closed_by = null")
                    try await Self.setStandby("missing", admin)

                    try await Self.watch(workers, events, server.url(), admin)

                    try await Self.setStandby("", admin)
                    try await admin.waitUntil(
                        "(select count(*) = \(Self.orders) from counterfoil.orders where state = 'fulfilled')", timeout: .seconds(60))
                    for worker in workers { worker.drain() }
                    try await group.waitForAll()
                }
                #expect(try await Self.count("counterfoil.grants", admin) == Self.orders)
                #expect(try await Self.count("counterfoil.jobs", admin) == 0)
                for pool in pools { await pool.close() }
            }
        }
    }

    /// For longer than several leases.
    private static func watch(
        _ workers: [Worker], _ events: EventLog<WorkerEvent>, _ url: String, _ admin: PostgresConnection
    ) async throws {
        // What was committed before, the workers may still say.
        try await Task.sleep(for: .seconds(1))
        let fulfilled = try await count("counterfoil.orders where state = 'fulfilled'", admin)
        let settled = settledCount(events)
        try #require(fulfilled < orders)
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            // A client polls, by a session of its own.
            try await PostgresConnection.withConnection(to: url) { client in
                let states = try await client.execute("select count(*) from counterfoil.order_status where client_action = 'finish'")
                #expect(try states[0].int64(0) == fulfilled)
            }
            let sessions = try await count("pg_stat_activity where usename = 'counterfoil_worker'", admin)
            // And one each, for a moment, that asks for lost answers.
            #expect(sessions <= workers.count * (connections + 1))
            #expect(workers.allSatisfy { $0.snapshot().health.isAlive })
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(settledCount(events) == settled)
        #expect(workers.allSatisfy { !$0.snapshot().health.isReady })
        #expect(try await count("pg_stat_activity where wait_event = 'SyncRep'", admin) > 0)
    }

    private static func settledCount(_ events: EventLog<WorkerEvent>) -> Int {
        events.all.filter { event in
            if case .settled(let result) = event { result.result != .leaseLost } else { false }
        }.count
    }
}
