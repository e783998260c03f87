// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import InMemoryLogging
import Logging
import TestSupport
import Verification

@testable import AppStore

/// A running simulator, and a client of the App Store Server API that reaches it under Apple's own names, over TLS that
/// is verified, with a key that the simulator gave out.
struct SimulatedAPI: Sendable {
    static let bundleID = BundleID(rawValue: "com.example.app")

    let simulator: AppStoreSimulator
    let client: AppStoreServerClient
    let credentials: CredentialStore
    let folder: TemporaryFolder
    let log: InMemoryLogHandler

    /// The time of day for tokens, for signatures and for the simulator.
    let time: ManualTime

    /// Runs `body` with all of it, then stops it.
    ///
    /// - Parameters:
    ///   - credential: what the file for all apps holds; the simulator's own key when not given.
    ///   - change: the last word on the configuration.
    static func withRunning<Result>(
        credential: String? = nil, isReleased: Bool = true, offersHTTP2: Bool = false,
        _ change: (inout AppStoreConfiguration, AppStoreSimulator) -> Void = { _, _ in },
        body: (SimulatedAPI) async throws -> Result
    ) async throws -> Result {
        let time = ManualTime(SigningFixture.purchaseDate.addingTimeInterval(60))
        var simulation = SimulatorConfiguration()
        simulation.offersHTTP2 = offersHTTP2
        simulation.now = { time.now }
        return try await AppStoreSimulator.withRunning(configuration: simulation) { simulator in
            simulator.registerApp(bundleID.rawValue, isReleased: isReleased)
            let folder = try TemporaryFolder()
            try folder.write(Array(simulator.tlsCertificateAuthorityPEM.utf8), to: "ca.pem")
            let credential = credential ?? simulator.apiKey().credential
            try folder.write(Array(credential.utf8), to: "default.server-api-key")
            var configuration = configuration(for: simulator, folder: folder)
            configuration.extraRoots = [
                try ExtraRoot(certificate: simulator.authority.rootCertificateDER, bundleIDs: [bundleID])
            ]
            configuration.now = { time.now }
            change(&configuration, simulator)
            let api = try SimulatedAPI(simulator, configuration, folder: folder, time: time)
            return try await api.use(body)
        }
    }

    private static func configuration(
        for simulator: AppStoreSimulator, folder: TemporaryFolder
    ) -> AppStoreConfiguration {
        var configuration = AppStoreConfiguration()
        configuration.productionAPIURL = "https://api.storekit.apple.com:\(simulator.productionPort)"
        configuration.sandboxAPIURL = "https://api.storekit-sandbox.apple.com:\(simulator.sandboxPort)"
        configuration.dnsOverride = [
            "api.storekit.apple.com": "127.0.0.1", "api.storekit-sandbox.apple.com": "127.0.0.1",
        ]
        configuration.additionalTLSRoots = folder.path("ca.pem")
        configuration.credentialsDirectory = folder.path
        return configuration
    }

    private let hosts: AppStoreHosts

    private init(
        _ simulator: AppStoreSimulator, _ configuration: AppStoreConfiguration, folder: TemporaryFolder,
        time: ManualTime
    ) throws {
        var log = InMemoryLogHandler()
        log.logLevel = .trace
        self.log = log
        self.simulator = simulator
        self.folder = folder
        self.time = time
        credentials = CredentialStore(directory: configuration.credentialsDirectory)
        let tokens = try BearerTokens(configuration)
        hosts = try AppStoreHosts(configuration)
        client = AppStoreServerClient(
            hosts: hosts, credentials: credentials, tokens: tokens,
            signedTransactions: SignedTransactionVerifier(anchors: TrustAnchors(further: configuration.extraRoots)),
            logger: Logger(label: "test") { [log] _ in log }, now: configuration.now
        )
    }

    private func use<Result>(_ body: (SimulatedAPI) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            try await hosts.shutdown()
            return result
        } catch {
            try? await hosts.shutdown()
            throw error
        }
    }

    /// What Get Transaction Info says, in a form that can be compared.
    func info(
        _ id: String, of bundleID: BundleID = Self.bundleID, in environment: AppStoreEnvironment = .production,
        within time: Duration = .seconds(20)
    ) async -> APIFinding {
        await APIFinding { () async throws(VerificationFailure) in
            try await client.transactionInfo(
                TransactionID(rawValue: id), of: bundleID, in: environment, deadline: .now + time)
        }
    }

    /// As ``info(_:of:in:within:)``, for the failure itself; nil when there was none.
    func failure(about id: String = "1", within time: Duration = .seconds(20)) async -> VerificationFailure? {
        do {
            _ = try await client.transactionInfo(
                TransactionID(rawValue: id), of: Self.bundleID, in: .production, deadline: .now + time)
            return nil
        } catch {
            return error
        }
    }

    /// A transaction that the simulator knows.
    func bought(
        in environment: SimulatedEnvironment = .production, _ change: (inout SimulatedTransaction) -> Void = { _ in }
    ) -> SimulatedTransaction {
        var transaction = SimulatedTransaction(
            productId: "com.example.app.coins", bundleId: Self.bundleID.rawValue, environment: environment,
            purchaseDate: SigningFixture.purchaseDate
        )
        change(&transaction)
        simulator.remember([transaction])
        return transaction
    }

    /// Transactions of one customer, bought one second after the other, whom the simulator knows.
    func bought(
        _ count: Int, in environment: SimulatedEnvironment = .production,
        _ change: (Int, inout SimulatedTransaction) -> Void = { _, _ in }
    ) -> [SimulatedTransaction] {
        var all: [SimulatedTransaction] = []
        for number in 0..<count {
            var transaction = SimulatedTransaction(
                productId: "com.example.app.coins", bundleId: Self.bundleID.rawValue, environment: environment,
                purchaseDate: SigningFixture.purchaseDate.addingTimeInterval(Double(number))
            )
            transaction.appTransactionId = all.first?.appTransactionId ?? transaction.appTransactionId
            change(number, &transaction)
            all.append(transaction)
        }
        simulator.remember(all)
        return all
    }
}
