// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import ServiceLifecycle
import VerificationQueue

/// Everything that the play stands on: a private database, a simulated App Store, workers, and connections to each.
///
/// Whatever is started is stopped when its scope is left, in whichever way; should this process be killed, a guard ends
/// what it leaves behind.
struct DevEnvironment: Sendable {
    static let database = "counterfoil"

    let server: PrivatePostgresServer
    let simulator: AppStoreSimulator
    let folder: DevFolder
    let fleet: WorkerFleet
    /// The apps' real shared secrets.
    let sharedSecrets: [DevApp: String]
    /// Connections with the privileges of a shop's backend.
    let shop: Backend
    let statuses: StatusReader
    /// A connection that sees everything.
    let overseer: PostgresPool

    /// Sets everything up for a plan and runs `body` with it; workers are started by running ``fleet``.
    static func with<Success: Sendable>(
        _ options: DevOptions, _ plan: PurchasePlan, logger: Logger,
        _ body: @Sendable (DevEnvironment) async throws -> Success
    ) async throws -> Success {
        let folder = try DevFolder.make()
        let processGuard = ProcessGuard(folder: folder.path)
        return try await endingLast(processGuard.end) {
            try await PrivatePostgresServer.withServer(settings: ["max_connections=200"], logger: logger) { server in
                try await AppStoreSimulator.withRunning(configuration: configuration(plan)) { simulator in
                    try await withPools(server, logger) { shop, patient, overseer in
                        let environment = try await setUp(
                            options, plan, server, simulator, folder, processGuard, shop, patient, overseer, logger)
                        return try await body(environment)
                    }
                }
            }
        }
    }

    private static func configuration(_ plan: PurchasePlan) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.seed = plan.seed
        return configuration
    }

    private static func withPools<Success: Sendable>(
        _ server: PrivatePostgresServer, _ logger: Logger,
        _ body: (_ shop: PostgresPool, _ patient: PostgresPool, _ overseer: PostgresPool) async throws -> Success
    ) async throws -> Success {
        func pool(_ user: String, size: Int) throws -> PostgresPool {
            let url = server.url(database: database, user: user)
            return PostgresPool(configuration: try PostgresConfiguration(url: url), size: size, logger: logger)
        }
        let shop = try pool("counterfoil_backend", size: 6)
        let patient = try pool("counterfoil_backend", size: 4)
        let overseer = try pool("postgres", size: 2)
        return try await endingLast {
            await shop.close()
            await patient.close()
            await overseer.close()
        } _: {
            try await body(shop, patient, overseer)
        }
    }

    private static func setUp(
        _ options: DevOptions, _ plan: PurchasePlan, _ server: PrivatePostgresServer, _ simulator: AppStoreSimulator,
        _ folder: DevFolder, _ processGuard: ProcessGuard, _ shop: PostgresPool, _ patient: PostgresPool,
        _ overseer: PostgresPool, _ logger: Logger
    ) async throws -> DevEnvironment {
        try await migrate(server, logger)
        let setUp = DevSetUp(plan: plan)
        try await setUp.write(to: overseer)
        try setUp.write(to: folder, simulator)
        setUp.register(with: simulator)
        let environment = WorkerEnvironment(
            databaseURL: server.url(database: database, user: "counterfoil_worker"),
            productionURL: "https://127.0.0.1:\(simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(simulator.sandboxPort)", folder: folder, signedApps: DevApp.allCases)
        return DevEnvironment(
            server: server, simulator: simulator, folder: folder,
            fleet: WorkerFleet(count: options.workers, environment: environment, processGuard: processGuard),
            sharedSecrets: setUp.sharedSecrets, shop: Backend(pool: shop, patientPool: patient),
            statuses: StatusReader(pool: shop), overseer: overseer)
    }

    private static func migrate(_ server: PrivatePostgresServer, _ logger: Logger) async throws {
        try await withConnection(server.url(), logger) { connection in
            _ = try await connection.execute(DevSQL.createDatabase)
        }
        try await withConnection(server.url(database: database), logger) { connection in
            _ = try await SchemaMigrator(logger: logger).migrate(connection)
        }
    }

    private static func withConnection(
        _ url: String, _ logger: Logger, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url), logger: logger)
        try await endingLast(connection.close) { try await body(connection) }
    }

    /// Runs `body`, then `end`, also after an error.
    private static func endingLast<Success: Sendable>(
        _ end: () async -> Void, _ body: () async throws -> Success
    ) async throws -> Success {
        do {
            let success = try await body()
            await end()
            return success
        } catch {
            await end()
            throw error
        }
    }
}
