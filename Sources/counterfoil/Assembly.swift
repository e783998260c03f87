// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import FoundationEssentials
import Logging
import Observability
import Postgres
import Schema
import Verification
import VerificationQueue
import Webhooks

/// Makes the parts of the program from its settings.
struct Assembly: Sendable {
    static let passwordFile = "postgres-password"

    /// Where backends signal new jobs to workers.
    static let channel = "counterfoil_jobs"

    let settings: Settings
    let logger: Logger

    /// The time of day, as far as the database told it.
    let clock = DatabaseClock()

    /// Reads the environment.
    ///
    /// - Parameter logLevel: what is logged unless a variable says otherwise.
    init(logLevel: Logger.Level = .warning) throws {
        let settings = try Settings.read()
        self.init(settings: settings, logLevel: logLevel)
    }

    init(settings: Settings, logLevel: Logger.Level) {
        self.settings = settings
        logger = settings.makeLogger(level: logLevel)
    }

    /// The name for what is done by hand.
    var operatorName: String { OperatorName.current(sudoUser: settings.sudoUser) }

    // MARK: Database

    /// - Parameter direct: by the URL that goes around a pooler, where there is one.
    func makeDatabaseConfiguration(direct: Bool = false) throws -> PostgresConfiguration {
        guard let url = settings.databaseURL else {
            throw CommandFailure(
                .configuration,
                "\(Variable.databaseURL) isn't set; it must be a connection URI of libpq, postgresql://user@host/database")
        }
        let passwordFile = try findPasswordFile()
        do {
            if direct, let listenURL = settings.listenURL {
                return try PostgresConfiguration(url: listenURL, passwordFile: passwordFile)
            }
        } catch {
            throw CommandFailure(.configuration, "\(Variable.listenURL): \(error)")
        }
        do {
            return try PostgresConfiguration(url: url, passwordFile: passwordFile)
        } catch {
            throw CommandFailure(.configuration, "\(Variable.databaseURL): \(error)")
        }
    }

    /// The credential with the database's password; nil when there is none.
    private func findPasswordFile() throws -> String? {
        guard let directory = settings.credentialsDirectory else { return nil }
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory,
            FileManager.default.isReadableFile(atPath: directory)
        else {
            throw CommandFailure(
                .configuration, "\(Variable.credentialsDirectory) must be a folder that can be read, and \(directory) isn't")
        }
        guard let path = CredentialStore.path(of: Self.passwordFile, in: directory) else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandFailure(.configuration, "the credential \(path) can't be read by this user")
        }
        return path
    }

    /// Runs a command's work on a connection of its own.
    ///
    /// - Parameters:
    ///   - writing: the command changes something, which no superuser may do: ``SchemaMigrator/refuseSuperuser(_:)``.
    ///   - direct: by the URL that goes around a pooler, where there is one.
    ///   - timeout: of each statement.
    func withConnection<Success: Sendable>(
        writing: Bool = false, direct: Bool = false, timeout: Duration = .seconds(30),
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        var configuration = try makeDatabaseConfiguration(direct: direct)
        configuration.statementTimeout = timeout
        let connection = try await explainingRefusals { try await PostgresConnection.connect(configuration, logger: logger) }
        return try await endingLast(connection.close) {
            try await explainingRefusals(asking: { try await connection.execute($0) }) {
                if writing { try await SchemaMigrator.refuseSuperuser(connection) }
                return try await body(connection)
            }
        }
    }

    /// Runs a statement that changes something, on a connection of its own.
    ///
    /// - Parameter missing: the failure's words where it returns no row.
    /// - Returns: its first row.
    func write(_ file: SQLFile, _ parameters: [PostgresParameter], orSay missing: String) async throws -> OutputValue {
        let rows = try await withConnection(writing: true) { connection in
            try await connection.execute(file.statement, parameters).map { OutputValue($0) }
        }
        guard let row = rows.first else { throw CommandFailure(.failure, missing) }
        return row
    }

    /// Runs a command's work on a pool of one connection, for what is written with the worker's own parts.
    ///
    /// - Throws: ``SchemaMigrator/Problem`` before anything is done when the schema isn't this program's.
    func withPool(_ body: (PostgresPool) async throws -> Void) async throws {
        let pool = try makePool(size: 1)
        try await endingLast(pool.close) {
            try await explainingRefusals(asking: { try await pool.execute($0) }) {
                try await pool.withConnection(timeout: .seconds(30)) { connection in
                    try await SchemaMigrator.refuseSuperuser(connection)
                    try await SchemaMigrator(logger: logger).check(connection)
                }
                try await body(pool)
            }
        }
    }

    /// - Parameter name: in `pg_stat_activity`; nil: the program's.
    func makePool(size: Int, named name: String? = nil) throws -> PostgresPool {
        var configuration = try makeDatabaseConfiguration()
        if let name { configuration.applicationName = name }
        return PostgresPool(configuration: configuration, size: size, logger: logger)
    }

    // MARK: App Store

    /// - Parameter connections: calls to one of Apple's hosts at a time.
    func makeVerifier(connections: Int) throws -> AppStoreVerifier {
        var configuration = settings.appStore
        configuration.connections = connections
        configuration.credentialsDirectory = settings.credentialsDirectory
        configuration.extraRoots = try readFurtherRoots()
        configuration.now = { [clock] in clock.now }
        do {
            return try AppStoreVerifier(configuration, logger: logger)
        } catch {
            // Addresses and numbers were checked before; what is left is the file.
            throw CommandFailure(.configuration, "\(Variable.tlsRoots): \(error)")
        }
    }

    /// What looks at proofs without asking anybody.
    func makeInspector() throws -> ProofInspector {
        ProofInspector(limits: settings.appStore.limits, anchors: try makeTrustAnchors())
    }

    func makeTrustAnchors() throws -> TrustAnchors { TrustAnchors(further: try readFurtherRoots()) }

    private func readFurtherRoots() throws -> [ExtraRoot] {
        do {
            return try settings.extraRoots.map { try ExtraRoot(file: $0.path, bundleIDs: $0.bundleIDs) }
        } catch {
            throw CommandFailure(.configuration, "\(Variable.extraRoots): \(error)")
        }
    }

    // MARK: Worker

    /// Settlements, claims and chores have a connection each; more would only wait for the same rows.
    var workerConnections: Int { settings.worker.settlers + 2 }

    var workerIdentity: WorkerIdentity {
        let host = HostName.current
        return WorkerIdentity(
            name: settings.workerName ?? host, host: host, processID: ProcessInfo.processInfo.processIdentifier,
            version: Version.current)
    }

    /// - Parameter registry: what it counts into; nil where nobody can read that.
    func makeWorker(pool: PostgresPool, verifier: AppStoreVerifier, registry: PrometheusRegistry? = nil) -> Worker {
        let isolated = AttemptProcess(attemptDeadline: settings.worker.attemptDeadline, logger: logger)
        let metrics = registry.map {
            WorkerMetrics(factory: $0, version: Version.current, leaseDuration: settings.worker.leaseDuration)
        }
        return Worker(
            pool: pool, verifier: verifier, configuration: settings.worker, identity: workerIdentity, clock: clock,
            logger: logger, placement: AttemptPlacement(callExecutors: verifier.callExecutors),
            isolate: { job in await isolated.attempt(job) }, metrics: metrics)
    }

    /// What sends webhooks beside a worker.
    ///
    /// - Parameter pool: its own.
    func makeWebhookSender(
        pool: PostgresPool, secrets: WebhookSecretFiles, registry: PrometheusRegistry?
    ) throws -> WebhookSender {
        do {
            return try WebhookSender(
                pool: pool, secrets: secrets, configuration: settings.webhooks, logger: logger,
                metrics: registry.map { WebhookMetrics(factory: $0) }, now: { [clock] in clock.now })
        } catch {
            throw CommandFailure(.configuration, "\(Variable.webhookTLSRoots): \(error)")
        }
    }

    /// Nil unless metrics can be read.
    func makeRegistry(_ metrics: [Metric]) -> PrometheusRegistry? {
        settings.metricsAddress.map { _ in PrometheusRegistry(metrics.map(PrometheusFamily.init)) }
    }

    /// Who is told how a worker is doing; nil unless a service manager started us.
    var manager: ServiceManager? { ServiceManager(socketPath: settings.notifySocket) }

    /// Wakes a worker before its poll would; nil when the worker shall not listen.
    func makeJobSignals(for worker: Worker) throws -> JobSignals? {
        guard settings.listens else { return nil }
        return JobSignals(listener: try makeSignalListener(), worker: worker)
    }

    /// Receives the signals of backends, by a connection that goes around a pooler where one is named.
    func makeSignalListener() throws -> PostgresListener {
        PostgresListener(
            configuration: try makeDatabaseConfiguration(direct: true), channels: [Self.channel], logger: logger)
    }
}
