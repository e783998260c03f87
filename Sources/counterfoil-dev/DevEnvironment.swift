// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Gateway
import Logging
import Postgres
import PrivatePostgres
import Rehearsal
import Synchronization

/// What one run is to be.
struct DevOptions: Sendable {
    var workers: Int
    /// The database belongs to a role that is no superuser, and which migrates it.
    var isManaged: Bool
    /// Keep everything running afterwards, to look around.
    var stays: Bool
    /// Purchases are played through gateways.
    var isOverHTTP: Bool
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
    /// Where gateways run; nil where none does.
    let gateways: GatewaySite?
    /// A key of theirs, for whoever looks around.
    let gatewayKey: GatewayKey?
    /// The shop's, by statements or over HTTP.
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
                    try await withPools(server, logger) { pools in
                        let site = try options.isOverHTTP || plan.purchases.isEmpty
                            ? GatewaySite(gateways: options.isOverHTTP ? 2 : 1) : nil
                        return try await withReceiver(plan, site, simulator, pools.shop, logger) { notificationURL in
                            try await RehearsalDatabase.make(on: server, asManaged: options.isManaged, logger: logger)
                            return try await withGateway(options, site, pools.support) { keys, gateway in
                                let environment = try await setUp(
                                    options, plan, server, simulator, notificationURL, folder, processGuard, pools, site, keys,
                                    gateway, logger)
                                return try await body(environment)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Runs `body` with the address at which the shop takes Apple's notifications: the first gateway's, or a receiver's, which
    /// refuses one in ten, so that it comes again.
    private static func withReceiver<Success: Sendable>(
        _ plan: PurchasePlan, _ site: GatewaySite?, _ simulator: AppStoreSimulator, _ shop: PostgresPool, _ logger: Logger,
        _ body: @Sendable (_ notificationURL: String) async throws -> Success
    ) async throws -> Success {
        if let site { return try await body(site.notificationURL) }
        let dice = DiceOfRefusals(seed: plan.seed)
        return try await NotificationReceiver.withRunning(
            pool: shop, tls: simulator.receiverIdentity.serverConfiguration, logger: logger, refusal: { dice.refuses() }, body)
    }

    /// Runs `body` with the keys of the gateways, and with the shop's way through them, where purchases go that way.
    private static func withGateway<Success: Sendable>(
        _ options: DevOptions, _ site: GatewaySite?, _ support: PostgresPool,
        _ body: @Sendable (_ keys: [GatewayKey], _ gateway: ShopGateway?) async throws -> Success
    ) async throws -> Success {
        guard let site else { return try await body([], nil) }
        let keys = try await ShopGateway.addKeys(options.isOverHTTP ? serversOfTheShop : 1, named: "rehearsal", support)
        guard options.isOverHTTP else { return try await body(keys, nil) }
        let gateway = ShopGateway(urls: site.urls, keys: keys, patience: .seconds(30))
        return try await endingLast(gateway.close) { try await body(keys, gateway) }
    }

    /// Each has a key, which may call 200 times a second.
    private static let serversOfTheShop = 16

    private static func configuration(_ plan: PurchasePlan) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.seed = plan.seed
        // An hour between two tries to send a notification.
        configuration.notificationHour = .milliseconds(300)
        return configuration
    }

    private struct Pools: Sendable {
        let shop: PostgresPool
        let patient: PostgresPool
        let support: PostgresPool
        let overseer: PostgresPool
    }

    private static func withPools<Success: Sendable>(
        _ server: PrivatePostgresServer, _ logger: Logger, _ body: (Pools) async throws -> Success
    ) async throws -> Success {
        func pool(_ user: String, size: Int) throws -> PostgresPool {
            let url = server.url(database: RehearsalDatabase.name, user: user)
            return PostgresPool(configuration: try PostgresConfiguration(url: url), size: size, logger: logger)
        }
        let pools = Pools(
            shop: try pool("counterfoil_backend", size: 6), patient: try pool("counterfoil_backend", size: 4),
            support: try pool("counterfoil_support", size: 2), overseer: try pool("postgres", size: 2))
        return try await endingLast {
            for pool in [pools.shop, pools.patient, pools.support, pools.overseer] { await pool.close() }
        } _: {
            try await body(pools)
        }
    }

    private static func setUp(
        _ options: DevOptions, _ plan: PurchasePlan, _ server: PrivatePostgresServer, _ simulator: AppStoreSimulator,
        _ notificationURL: String, _ folder: RehearsalFolder, _ processGuard: ProcessGuard, _ pools: Pools, _ site: GatewaySite?,
        _ keys: [GatewayKey], _ gateway: ShopGateway?, _ logger: Logger
    ) async throws -> DevEnvironment {
        let password = options.stays ? DevPassword() : nil
        if let password { try await RehearsalDatabase.setPassword(password.text, on: server, logger: logger) }
        let setUp = ShopSetUp(plan: plan)
        try await setUp.write(to: pools.overseer)
        // Only a play has an operator who mends them.
        try setUp.write(to: folder, simulator, slips: !plan.purchases.isEmpty)
        setUp.register(with: simulator, notificationURL: notificationURL)
        let environment = WorkerEnvironment(
            databaseURL: server.url(database: RehearsalDatabase.name, user: "counterfoil_worker"),
            productionURL: "https://127.0.0.1:\(simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(simulator.sandboxPort)", folder: folder, signedApps: ShopApp.allCases)
        try environment.writeFile(databaseURL: server.url(database: RehearsalDatabase.name, user: "counterfoil_support"))
        let gateways = try site?.environments(
            beside: environment, databaseURL: server.url(database: RehearsalDatabase.name, user: "counterfoil_gateway"),
            simulator.receiverIdentity)
        return DevEnvironment(
            server: server, simulator: simulator, folder: folder, password: password,
            fleet: WorkerFleet(
                environments: Array(repeating: environment, count: options.workers) + (gateways ?? []),
                program: try WorkerProgram.path(), processGuard: processGuard),
            sharedSecrets: setUp.sharedSecrets, gateways: site, gatewayKey: keys.first,
            shop: Backend(pool: pools.shop, patientPool: pools.patient, gateway: gateway),
            statuses: StatusReader(pool: pools.shop, gateway: gateway), support: pools.support, overseer: pools.overseer)
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
