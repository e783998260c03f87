// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import Logging
import Postgres
import PrivatePostgres
import Rehearsal

/// Starts the servers of a scenario, and the proxies before them.
struct ChaosServers {
    private static let serverSettings = ["max_connections=300", "log_parameter_max_length=0"]

    let settings: ChaosSettings
    let seed: UInt64
    let mutant: Mutant?
    let logger: Logger

    /// Runs `body` with all of them; the database is made.
    func run<Success: Sendable>(
        _ body: (ChaosEnvironment.Servers) async throws -> Success
    ) async throws -> Success {
        guard let size = settings.diskSize else {
            // In memory where there is room: what is broken here is not the disk.
            return try await run(in: try DataPlace.choose(folder: nil, insistsOnMemory: false), nil, body)
        }
        return try await SmallDisk.withDisk(megabytes: size) { disk in
            try await run(in: DataPlace(parent: disk.path, isMemory: true), disk, body)
        }
    }

    private func run<Success: Sendable>(
        in place: DataPlace, _ disk: SmallDisk?, _ body: (ChaosEnvironment.Servers) async throws -> Success
    ) async throws -> Success {
        var configuration = SimulatorConfiguration()
        configuration.seed = seed
        if let hour = settings.notificationHour { configuration.notificationHour = hour }
        return try await PrivatePostgresServer.withServer(
            temporaryParent: place.parent, settings: Self.serverSettings + settings.serverSettings, loopback: .trusted,
            logger: logger
        ) { primary in
            try await makeDatabase(on: primary)
            return try await AppStoreSimulator.withRunning(configuration: configuration) { simulator in
                switch settings.database {
                case .plain:
                    try await withProxies(to: [primary.port]) { proxies in
                        try await body(
                            .init(
                                primary: primary, standby: nil, pooler: nil, disk: disk, simulator: simulator,
                                proxies: proxies.ofWorkers, delivererProxies: proxies.ofDeliverers))
                    }
                case .pooled:
                    try await Pooler.withPooler(
                        before: primary, user: "counterfoil_worker", others: settings.shops.map(\.role)
                    ) { pooler in
                        try await withProxies(to: [pooler.port]) { proxies in
                            try await body(
                                .init(
                                    primary: primary, standby: nil, pooler: pooler, disk: disk, simulator: simulator,
                                    proxies: proxies.ofWorkers, delivererProxies: proxies.ofDeliverers))
                        }
                    }
                case .replicated:
                    try await withStandby(of: primary, in: place) { standby in
                        try await withProxies(to: [primary.port, standby.port]) { proxies in
                            try await body(
                                .init(
                                    primary: primary, standby: standby, pooler: nil, disk: disk, simulator: simulator,
                                    proxies: proxies.ofWorkers, delivererProxies: proxies.ofDeliverers))
                        }
                    }
                }
            }
        }
    }

    private func makeDatabase(on server: PrivatePostgresServer) async throws {
        guard let older = settings.olderProgram else {
            return try await RehearsalDatabase.make(on: server, logger: logger)
        }
        try await RehearsalDatabase.makeEmpty(on: server, logger: logger)
        try await OlderProgram.migrate(server, with: older)
    }

    /// Proxies for each worker and each deliverer, one before each port.
    private func withProxies<Success: Sendable>(
        to ports: [Int], _ body: ((ofWorkers: [[WireProxy]], ofDeliverers: [[WireProxy]])) async throws -> Success
    ) async throws -> Success {
        try await withProxies(settings.workers, to: ports, rewriting: try mutant?.rewritten() ?? [:]) { ofWorkers in
            try await withProxies(
                settings.allDeliverers.count, to: ports, rewriting: mutant?.rewrittenForDeliverers ?? [:]
            ) { ofDeliverers in
                try await body((ofWorkers, ofDeliverers))
            }
        }
    }

    private func withProxies<Success: Sendable>(
        _ count: Int, to ports: [Int], rewriting rewritten: [String: String], _ body: ([[WireProxy]]) async throws -> Success
    ) async throws -> Success {
        try await WireProxy.withProxies(count, to: ports[0], rewriting: rewritten) { first in
            guard ports.count > 1 else { return try await body(first.map { [$0] }) }
            return try await WireProxy.withProxies(count, to: ports[1], rewriting: rewritten) { second in
                try await body(zip(first, second).map { [$0, $1] })
            }
        }
    }

    /// A standby that every commit waits for.
    private func withStandby<Success: Sendable>(
        of primary: PrivatePostgresServer, in place: DataPlace,
        _ body: (PrivatePostgresServer) async throws -> Success
    ) async throws -> Success {
        let standby = try await primary.startStandby(
            temporaryParent: place.parent, settings: Self.serverSettings)
        return try await endingLast(standby.close) {
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: primary.url()), size: 1, logger: logger)
            try await endingLast(pool.close) {
                _ = try await pool.execute(ChaosSQL.demandSynchronousStandby)
                _ = try await pool.execute(ChaosSQL.reloadSettings)
                try await before(.now + .seconds(30), waitingFor: "a synchronous standby") {
                    while try await pool.execute(ChaosSQL.countSynchronousStandbys)[0].int64(0) == 0 {
                        try await Task.sleep(for: .milliseconds(50))
                    }
                }
            }
            return try await body(standby)
        }
    }
}
