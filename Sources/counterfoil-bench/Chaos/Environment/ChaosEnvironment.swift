// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Logging
import Postgres
import PrivatePostgres
import Rehearsal

/// Everything that a scenario stands on: a private database, a simulated App Store, worker processes with a proxy of their
/// own each, and connections of the shop and of the judge that no fault of the network touches.
///
/// Whatever is started is stopped when its scope is left, in whichever way; should this process be killed, guards end what
/// it leaves behind.
struct ChaosEnvironment: Sendable {
    let settings: ChaosSettings
    let server: PrivatePostgresServer
    let simulator: AppStoreSimulator
    let folder: RehearsalFolder
    let fleet: WorkerFleet
    /// One before each worker.
    let proxies: [WireProxy]
    let shop: Backend
    let statuses: StatusReader
    /// A connection that sees everything.
    let overseer: PostgresPool

    /// Sets everything up and runs `body` with it; workers are started by running ``fleet``.
    ///
    /// - Parameter program: the path of a program that has the command `worker`.
    static func with<Success: Sendable>(
        _ settings: ChaosSettings, _ plan: PurchasePlan, program: String, logger: Logger,
        _ body: @Sendable (ChaosEnvironment) async throws -> Success
    ) async throws -> Success {
        let folder = try RehearsalFolder.make()
        let processGuard = ProcessGuard(folder: folder.path)
        return try await endingLast(processGuard.end) {
            try await withServers(settings, seed: plan.seed, logger) { server, simulator, proxies in
                try await withPools(server, settings, logger) { shop, statuses, overseer in
                    try await RehearsalDatabase.make(on: server, logger: logger)
                    let setUp = ShopSetUp(plan: plan)
                    try await setUp.write(to: overseer)
                    try setUp.write(to: folder, simulator, slips: false)
                    setUp.register(with: simulator)
                    let workers = proxies.map { worker(settings, simulator, folder, behind: $0) }
                    return try await body(
                        ChaosEnvironment(
                            settings: settings, server: server, simulator: simulator, folder: folder,
                            fleet: WorkerFleet(environments: workers, program: program, processGuard: processGuard),
                            proxies: proxies, shop: shop, statuses: statuses, overseer: overseer))
                }
            }
        }
    }

    private static func withServers<Success: Sendable>(
        _ settings: ChaosSettings, seed: UInt64, _ logger: Logger,
        _ body: (PrivatePostgresServer, AppStoreSimulator, [WireProxy]) async throws -> Success
    ) async throws -> Success {
        var configuration = SimulatorConfiguration()
        configuration.seed = seed
        // In memory where there is room: what is broken here is not the disk.
        let place = try DataPlace.choose(folder: nil, insistsOnMemory: false)
        return try await PrivatePostgresServer.withServer(
            temporaryParent: place.parent, settings: ["max_connections=200"], loopback: .trusted, logger: logger
        ) { server in
            try await AppStoreSimulator.withRunning(configuration: configuration) { simulator in
                try await WireProxy.withProxies(settings.workers, to: server.port) { proxies in
                    try await body(server, simulator, proxies)
                }
            }
        }
    }

    private static func withPools<Success: Sendable>(
        _ server: PrivatePostgresServer, _ settings: ChaosSettings, _ logger: Logger,
        _ body: (_ shop: Backend, _ statuses: StatusReader, _ overseer: PostgresPool) async throws -> Success
    ) async throws -> Success {
        func pool(_ user: String, size: Int) throws -> PostgresPool {
            let url = server.url(database: RehearsalDatabase.name, user: user)
            return PostgresPool(configuration: try PostgresConfiguration(url: url), size: size, logger: logger)
        }
        let shop = try pool("counterfoil_backend", size: 8)
        let overseer = try pool("postgres", size: 2)
        return try await endingLast {
            await shop.close()
            await overseer.close()
        } _: {
            let backend = Backend(
                pool: shop, patientPool: shop, channel: "counterfoil_jobs", patience: settings.patience)
            return try await body(backend, StatusReader(pool: shop, patience: settings.patience), overseer)
        }
    }

    private static func worker(
        _ settings: ChaosSettings, _ simulator: AppStoreSimulator, _ folder: RehearsalFolder, behind proxy: WireProxy
    ) -> WorkerEnvironment {
        var environment = WorkerEnvironment(
            databaseURL:
                "postgresql://counterfoil_worker@127.0.0.1:\(proxy.port)/\(RehearsalDatabase.name)?sslmode=disable",
            productionURL: "https://127.0.0.1:\(simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(simulator.sandboxPort)", folder: folder, signedApps: ShopApp.allCases)
        environment.changes = settings.variables
        return environment
    }
}
