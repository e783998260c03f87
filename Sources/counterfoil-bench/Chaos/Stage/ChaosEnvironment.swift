// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import Rehearsal
import Synchronization

/// Everything that a scenario stands on: a private database, a simulated App Store, worker processes with a proxy of their
/// own each, and connections of the shop and of the judge that no fault of the network touches.
///
/// Whatever is started is stopped when its scope is left, in whichever way; should this process be killed, guards end what
/// it leaves behind.
struct ChaosEnvironment: Sendable {
    /// The servers and what stands before them.
    struct Servers: Sendable {
        let primary: PrivatePostgresServer
        let standby: PrivatePostgresServer?
        let pooler: Pooler?
        let disk: SmallDisk?
        let simulator: AppStoreSimulator
        /// For each worker, one before each server.
        let proxies: [[WireProxy]]
        /// The same for each deliverer.
        let delivererProxies: [[WireProxy]]

        /// What reaches the primary, whichever server that is; past every proxy and pooler.
        func url(user: String) -> String {
            guard let standby else { return primary.url(database: RehearsalDatabase.name, user: user) }
            return "postgresql://\(user)@127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)/\(RehearsalDatabase.name)"
                + "?target_session_attrs=read-write"
        }
    }

    let settings: ChaosSettings
    let servers: Servers
    let folder: RehearsalFolder
    /// The path of the workers' program.
    let program: String
    let fleet: WorkerFleet
    /// The deliverers of all shops.
    let deliverers: WorkerFleet
    /// Where the gateways listen; nowhere, if there are none.
    let site: GatewaySite
    let gateways: WorkerFleet
    /// Where webhooks arrive, if the shop wants any.
    let webhooks: WebhookSite?
    let shop: Backend
    let statuses: StatusReader
    let intake: Intake
    /// A connection with the privileges of an operator.
    let support: PostgresPool
    /// A connection that sees everything.
    let overseer: PostgresPool

    var server: PrivatePostgresServer { servers.primary }
    var standby: PrivatePostgresServer? { servers.standby }
    var pooler: Pooler? { servers.pooler }
    var disk: SmallDisk? { servers.disk }
    var simulator: AppStoreSimulator { servers.simulator }
    /// One before each worker, on the way to the first server.
    var proxies: [WireProxy] { servers.proxies.map { $0[0] } }

    /// How Apple behaves from now on; nil: well.
    func setApple(_ fault: AppleFault?) {
        for endpoint in [Endpoint.verifyReceipt, .getTransactionInfo, .finishTransaction] {
            let plan = fault?.plan(settings.latency, for: endpoint) ?? FaultPlan(latency: settings.latency)
            simulator.setFaults(plan, for: endpoint)
        }
    }

    /// - Parameter deadline: when orders that haven't come to rest are given up.
    func player(of purchase: Purchase, until deadline: ContinuousClock.Instant) -> Player {
        Player(
            purchase, shop: shop, statuses: statuses,
            shopOperator: ShopOperator(pool: support, overseer: overseer, patience: settings.patience),
            simulator: simulator, deadline: deadline)
    }

    /// Brings the schema up to this program's, and lets the workers begin that waited for it.
    ///
    /// - Returns: the names of the migrations that were applied.
    func migrate() async throws -> [String] {
        let applied = try await OlderProgram.migrate(servers.primary, with: program)
        try folder.write(Data(), to: folder.flag)
        return applied
    }

    /// Sets everything up and runs `body` with it; workers are started by running ``fleet``.
    ///
    /// - Parameters:
    ///   - program: the path of a program that has the command `worker`.
    ///   - mutant: the guard that is missing, if any.
    static func with<Success: Sendable>(
        _ settings: ChaosSettings, _ plan: PurchasePlan, program: String, mutant: Mutant?, logger: Logger,
        _ body: @Sendable (ChaosEnvironment) async throws -> Success
    ) async throws -> Success {
        let folder = try RehearsalFolder.make()
        let processGuard = ProcessGuard(folder: folder.path)
        return try await endingLast(processGuard.end) {
            try await ChaosServers(settings: settings, seed: plan.seed, mutant: mutant, logger: logger).run { servers in
                let site = try GatewaySite(gateways: settings.gateways)
                return try await WebhookSite.withSite(settings.hasWebhooks, servers.simulator.receiverIdentity, logger) { webhooks in
                    try await withPools(servers, settings, site, logger) {
                        shop, statuses, support, overseer, intake, notificationURL in
                        let setUp = ShopSetUp(plan: plan)
                        try await setUp.write(to: overseer)
                        try setUp.write(to: folder, servers.simulator, slips: false)
                        setUp.register(with: servers.simulator, notificationURL: notificationURL)
                        for shop in settings.shops { try await shop.make(overseer, url: servers.url(user: shop.role)) }
                        try await webhooks?.setUp(overseer, folder)
                        for change in mutant?.changes ?? [] { _ = try await overseer.execute(change) }
                        let launcher = try folder.writeLauncher(
                            of: program, waits: settings.olderProgram != nil || settings.shops.contains(where: \.waits))
                        let workers = try (0..<settings.workers).map { try worker($0, settings, servers, folder, launcher) }
                        let deliverers = zip(settings.allDeliverers, servers.delivererProxies).map {
                            deliverer($0, $1, servers, folder, launcher: launcher)
                        }
                        let gateways = try site.environments(
                            beside: workers[0], databaseURL: servers.url(user: "counterfoil_gateway"),
                            servers.simulator.receiverIdentity)
                        if settings.measuresStatements { _ = try await overseer.execute(ChaosSQL.alterWorkerLog) }
                        return try await body(
                            ChaosEnvironment(
                                settings: settings, servers: servers, folder: folder, program: program,
                                fleet: WorkerFleet(environments: workers, program: program, processGuard: processGuard),
                                deliverers: WorkerFleet(environments: deliverers, program: program, processGuard: processGuard),
                                site: site,
                                gateways: WorkerFleet(environments: gateways, program: program, processGuard: processGuard),
                                webhooks: webhooks, shop: shop, statuses: statuses, intake: intake, support: support,
                                overseer: overseer))
                    }
                }
            }
        }
    }

    private static func withPools<Success: Sendable>(
        _ servers: Servers, _ settings: ChaosSettings, _ site: GatewaySite, _ logger: Logger,
        _ body:
            @Sendable (
                _ shop: Backend, _ statuses: StatusReader, _ support: PostgresPool, _ overseer: PostgresPool, _ intake: Intake,
                _ notificationURL: String?
            ) async throws -> Success
    ) async throws -> Success {
        func pool(_ user: String, size: Int) throws -> PostgresPool {
            PostgresPool(
                configuration: try PostgresConfiguration(url: servers.url(user: user)), size: size, logger: logger)
        }
        let shop = try pool("counterfoil_backend", size: settings.shopConnections)
        let support = try pool("counterfoil_support", size: 2)
        let overseer = try pool("postgres", size: 4)
        return try await endingLast {
            await shop.close()
            await support.close()
            await overseer.close()
        } _: {
            guard settings.gateways == 0 else {
                let keys = try await ShopGateway.addKeys(4, named: "shop", support)
                let gateway = ShopGateway(urls: site.urls, keys: keys, patience: settings.patience)
                return try await endingLast(gateway.close) {
                    try await body(
                        Backend(pool: shop, patientPool: shop, patience: settings.patience, gateway: gateway),
                        StatusReader(pool: shop, patience: settings.patience, gateway: gateway), support, overseer, Intake(),
                        site.notificationURL)
                }
            }
            let backend = Backend(pool: shop, patientPool: shop, patience: settings.patience)
            let statuses = StatusReader(pool: shop, patience: settings.patience)
            let intake = Intake()
            guard settings.notificationHour != nil else {
                return try await body(backend, statuses, support, overseer, intake, nil)
            }
            return try await NotificationReceiver.withRunning(
                pool: shop, tls: servers.simulator.receiverIdentity.serverConfiguration, logger: logger, refusal: { intake.isAway }
            ) { url in
                try await body(backend, statuses, support, overseer, intake, url)
            }
        }
    }

    private static func worker(
        _ index: Int, _ settings: ChaosSettings, _ servers: Servers, _ folder: RehearsalFolder, _ launcher: String
    ) throws -> WorkerEnvironment {
        let hosts = servers.proxies[index].map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        let attributes = servers.standby == nil ? "" : "&target_session_attrs=read-write"
        var environment = WorkerEnvironment(
            // Where the server's times count, no proxy takes the processors from it.
            databaseURL: settings.measuresStatements
                ? servers.url(user: "counterfoil_worker")
                : "postgresql://counterfoil_worker@\(hosts)/\(RehearsalDatabase.name)?sslmode=disable\(attributes)",
            productionURL: "https://127.0.0.1:\(servers.simulator.productionPort)",
            sandboxURL: "https://127.0.0.1:\(servers.simulator.sandboxPort)", folder: folder,
            signedApps: ShopApp.allCases)
        environment.changes = settings.variables
        if settings.hasWebhooks { environment.changes.merge(WebhookSite.variables(folder)) { $1 } }
        // A pooler in transaction mode can't listen.
        if servers.pooler != nil { environment.changes["COUNTERFOIL_LISTEN_URL"] = servers.url(user: "counterfoil_worker") }
        if let older = settings.olderProgram {
            // A newer worker waits for the newer schema.
            environment.program = index < settings.olderWorkers ? older : launcher
        }
        if let offset = settings.clockOffsets[index] {
            environment.changes.merge(try FakeTime.variables(offset: offset)) { $1 }
            // libfaketime adds a variable at its start, after which Swift doesn't find the program's arguments; a process
            // that inherits that variable does.
            environment.program = launcher
        }
        return environment
    }
}

/// The shop's address for notifications, as the App Store finds it.
final class Intake: Sendable {
    private let away = Mutex(false)

    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }
}
