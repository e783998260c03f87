// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Gateway
import Logging
import Postgres
import PrivatePostgres
import Rehearsal
import Schema
import ServiceLifecycle
import Synchronization
import VerificationQueue

/// What one run is to be.
struct DevOptions: Sendable {
    var workers: Int
    /// The database belongs to a role that is no superuser, and which migrates it.
    var isManaged: Bool
    /// Keep everything running afterwards, to look around.
    var stays: Bool
}

/// Everything that the play stands on: a private database, a simulated App Store, workers, and connections to each.
///
/// Whatever is started is stopped when its scope is left, in whichever way; should this process be killed, a guard ends
/// what it leaves behind.
struct DevEnvironment: Sendable {
    let server: PrivatePostgresServer
    let simulator: AppStoreSimulator
    let folder: RehearsalFolder
    /// By which drivers connect over TCP; nil when nobody will look around.
    let password: DevPassword?
    let fleet: WorkerFleet
    /// The apps' real shared secrets.
    let sharedSecrets: [ShopApp: String]
    /// Connections with the privileges of a shop's backend.
    let shop: Backend
    let statuses: StatusReader
    /// A connection with the privileges of an operator.
    let support: PostgresPool
    /// A connection that sees everything.
    let overseer: PostgresPool

    /// Sets everything up for a plan and runs `body` with it; workers are started by running ``fleet``.
    ///
    /// - Parameter traces: learns which folders were made.
    static func with<Success: Sendable>(
        _ options: DevOptions, _ plan: PurchasePlan, traces: Traces, logger: Logger,
        _ body: @Sendable (DevEnvironment) async throws -> Success
    ) async throws -> Success {
        let place = TemporaryPlace()
        let folder = try RehearsalFolder.make(in: place.parent)
        if let note = place.note { Console.note(note) }
        traces.note(folder.path)
        let processGuard = ProcessGuard(folder: folder.path)
        return try await endingLast(processGuard.end) {
            try await PrivatePostgresServer.withServer(
                temporaryParent: place.serverParent, settings: ["max_connections=200"],
                loopback: options.stays ? .password : .none, logger: logger
            ) { server in
                traces.note(server.socketFolder)
                return try await AppStoreSimulator.withRunning(configuration: configuration(plan)) { simulator in
                    try await withPools(server, logger) { shop, patient, support, overseer in
                        try await withReceiver(plan, simulator, shop, logger) { notificationURL in
                            let environment = try await setUp(
                                options, plan, server, simulator, notificationURL, folder, processGuard, shop, patient, support,
                                overseer, logger)
                            return try await body(environment)
                        }
                    }
                }
            }
        }
    }

    /// Runs `body` with the address at which the shop takes Apple's notifications. One in ten is refused, and comes again.
    private static func withReceiver<Success: Sendable>(
        _ plan: PurchasePlan, _ simulator: AppStoreSimulator, _ shop: PostgresPool, _ logger: Logger,
        _ body: @Sendable (_ notificationURL: String) async throws -> Success
    ) async throws -> Success {
        let dice = DiceOfRefusals(seed: plan.seed)
        return try await NotificationReceiver.withRunning(
            pool: shop, tls: simulator.receiverTLS, logger: logger, refusal: { !plan.purchases.isEmpty && dice.refuses() }, body)
    }

    private static func configuration(_ plan: PurchasePlan) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.seed = plan.seed
        // An hour between two tries to send a notification.
        configuration.notificationHour = .milliseconds(300)
        return configuration
    }

    private static func withPools<Success: Sendable>(
        _ server: PrivatePostgresServer, _ logger: Logger,
        _ body: (_ shop: PostgresPool, _ patient: PostgresPool, _ support: PostgresPool, _ overseer: PostgresPool) async throws ->
            Success
    ) async throws -> Success {
        func pool(_ user: String, size: Int) throws -> PostgresPool {
            let url = server.url(database: RehearsalDatabase.name, user: user)
            return PostgresPool(configuration: try PostgresConfiguration(url: url), size: size, logger: logger)
        }
        let shop = try pool("counterfoil_backend", size: 6)
        let patient = try pool("counterfoil_backend", size: 4)
        let support = try pool("counterfoil_support", size: 2)
        let overseer = try pool("postgres", size: 2)
        return try await endingLast {
            await shop.close()
            await patient.close()
            await support.close()
            await overseer.close()
        } _: {
            try await body(shop, patient, support, overseer)
        }
    }

    /// A gateway beside the workers, for who looks around.
    private static func gateway(_ environment: WorkerEnvironment, _ server: PrivatePostgresServer) -> WorkerEnvironment {
        var gateway = environment
        gateway.databaseURL = server.url(database: RehearsalDatabase.name, user: "counterfoil_gateway")
        gateway.name = "gateway"
        gateway.arguments = ["gateway", "--listen", "unix:" + gatewaySocket(server), "--connections", "200"]
        return gateway
    }

    /// Beside the server's own socket: a path may be too long for one elsewhere.
    private static func gatewaySocket(_ server: PrivatePostgresServer) -> String { server.socketFolder + "/gateway.sock" }

    /// Where the gateway is reached.
    var gatewaySocket: String { Self.gatewaySocket(server) }

    /// Makes a key of the gateway's for everything; nil where none runs.
    func addGatewayKey(_ plan: PurchasePlan) async throws -> String? {
        guard plan.purchases.isEmpty else { return nil }
        let key = GatewayKey()
        _ = try await support.execute(
            SQLFile.insertKey.statement,
            [
                .bytes(key.hash), .text(key.prefix), .text("up"), .textArray(["feed", "orders", "read"]), .typedNull(.textArray),
                .text("counterfoil-dev"), .typedNull(.float8), .bool(false),
            ])
        return key.text
    }

    private static func setUp(
        _ options: DevOptions, _ plan: PurchasePlan, _ server: PrivatePostgresServer, _ simulator: AppStoreSimulator,
        _ notificationURL: String, _ folder: RehearsalFolder, _ processGuard: ProcessGuard, _ shop: PostgresPool,
        _ patient: PostgresPool,
        _ support: PostgresPool, _ overseer: PostgresPool, _ logger: Logger
    ) async throws -> DevEnvironment {
        try await RehearsalDatabase.make(on: server, asManaged: options.isManaged, logger: logger)
        let password = options.stays ? DevPassword() : nil
        if let password { try await RehearsalDatabase.setPassword(password.text, on: server, logger: logger) }
        let setUp = ShopSetUp(plan: plan)
        try await setUp.write(to: overseer)
        // Only a play has an operator who mends them.
        try setUp.write(to: folder, simulator, slips: !plan.purchases.isEmpty)
        setUp.register(with: simulator, notificationURL: notificationURL)
        let environment = WorkerEnvironment(
            databaseURL: server.url(database: RehearsalDatabase.name, user: "counterfoil_worker"),
            productionURL: "https://127.0.0.1:\(simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(simulator.sandboxPort)", folder: folder, signedApps: ShopApp.allCases)
        try environment.writeFile(databaseURL: server.url(database: RehearsalDatabase.name, user: "counterfoil_support"))
        return DevEnvironment(
            server: server, simulator: simulator, folder: folder, password: password,
            fleet: WorkerFleet(
                environments: Array(repeating: environment, count: options.workers)
                    + (plan.purchases.isEmpty ? [gateway(environment, server)] : []), program: try WorkerProgram.path(),
                processGuard: processGuard),
            sharedSecrets: setUp.sharedSecrets, shop: Backend(pool: shop, patientPool: patient),
            statuses: StatusReader(pool: shop), support: support, overseer: overseer)
    }
}

/// Which notifications the shop's receiver refuses: one in ten.
private final class DiceOfRefusals: Sendable {
    private let generator: Mutex<PlanGenerator>

    init(seed: UInt64) {
        generator = Mutex(PlanGenerator(seed: seed))
    }

    func refuses() -> Bool {
        generator.withLock { $0.oneIn(10) }
    }
}
