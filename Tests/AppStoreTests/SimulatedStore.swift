// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import InMemoryLogging
import Logging
import Verification

/// A running simulator, and a verifier that reaches it under Apple's own names, over TLS that is verified.
struct SimulatedStore: Sendable {
    /// What the app is asked to show; no error or log may ever hold it.
    static let secret = "5ecre75ecre75ecre75ecre75ecre75e"

    static let bundleID = BundleID(rawValue: "com.example.app")

    let simulator: AppStoreSimulator
    let verifier: AppStoreVerifier
    let log: InMemoryLogHandler

    /// Runs `body` with both, then stops them.
    ///
    /// - Parameters:
    ///   - secret: what the credential of the app holds; nil for no credential.
    ///   - change: the last word on the configuration.
    static func withRunning<Result>(
        secret: String? = Self.secret, offersHTTP2: Bool = false,
        _ change: (inout AppStoreConfiguration, AppStoreSimulator) -> Void = { _, _ in },
        body: (SimulatedStore) async throws -> Result
    ) async throws -> Result {
        var simulation = SimulatorConfiguration()
        simulation.offersHTTP2 = offersHTTP2
        return try await AppStoreSimulator.withRunning(configuration: simulation) { simulator in
            simulator.registerApp(bundleID.rawValue, sharedSecret: Self.secret)
            let folder = try TemporaryFolder()
            try folder.write(Array(simulator.tlsCertificateAuthorityPEM.utf8), to: "ca.pem")
            if let secret { try folder.write(Array((secret + "\n").utf8), to: bundleID.rawValue + ".shared-secret") }
            var configuration = AppStoreConfiguration()
            configuration.productionReceiptURL = "https://buy.itunes.apple.com:\(simulator.productionPort)"
            configuration.sandboxReceiptURL = "https://sandbox.itunes.apple.com:\(simulator.sandboxPort)"
            configuration.productionAPIURL = "https://localhost:\(simulator.productionPort)"
            configuration.sandboxAPIURL = "https://localhost:\(simulator.sandboxPort)"
            try folder.write(Array(simulator.apiKey().credential.utf8), to: "default.server-api-key")
            configuration.dnsOverride = ["buy.itunes.apple.com": "127.0.0.1", "sandbox.itunes.apple.com": "127.0.0.1"]
            configuration.additionalTLSRoots = folder.path("ca.pem")
            configuration.credentialsDirectory = folder.path
            configuration.extraRoots = [
                try ExtraRoot(certificate: simulator.authority.rootCertificateDER, bundleIDs: [bundleID])
            ]
            change(&configuration, simulator)
            var log = InMemoryLogHandler()
            log.logLevel = .trace
            let verifier = try AppStoreVerifier(configuration, logger: Logger(label: "test") { [log] _ in log })
            do {
                let result = try await body(SimulatedStore(simulator: simulator, verifier: verifier, log: log))
                try await verifier.shutdown()
                return result
            } catch {
                try? await verifier.shutdown()
                throw error
            }
        }
    }

    /// What a text shows at an endpoint, in a form that can be compared.
    func finding(
        in text: String, at endpoint: Verification.Endpoint = .verifyReceipt(.production),
        within time: Duration = .seconds(20)
    ) async throws -> Finding {
        try await finding(of: try verifier.readProof(text).proof, at: endpoint, within: time)
    }

    /// As ``finding(in:at:within:)``, of a proof that was read already.
    func finding(
        of proof: Proof, at endpoint: Verification.Endpoint, within time: Duration = .seconds(20)
    ) async throws -> Finding {
        do {
            return Finding(
                try await verifier.verify(proof, bundleID: Self.bundleID, at: endpoint, deadline: .now + time)
            )
        } catch {
            return Finding(error)
        }
    }

    /// As ``finding(in:at:within:)``, for the failure itself; nil when there was none.
    func failure(in text: String, within time: Duration = .seconds(20)) async throws -> VerificationFailure? {
        let proof = try verifier.readProof(text).proof
        do {
            _ = try await verifier.verify(
                proof, bundleID: Self.bundleID, at: .verifyReceipt(.production), deadline: .now + time
            )
            return nil
        } catch {
            return error
        }
    }

    /// A receipt of coins, bought in an environment.
    static func receipt(
        in environment: SimulatedEnvironment = .production, type: SimulatedProductType = .consumable, count: Int = 1,
        signedBy authority: SimulatedCertificateAuthority? = nil
    ) -> SimulatedReceipt {
        let purchases = (0..<count).map { number in
            SimulatedTransaction(
                productId: "com.example.app.coins", bundleId: bundleID.rawValue, type: type, environment: environment,
                purchaseDate: SigningFixture.purchaseDate.addingTimeInterval(Double(number))
            )
        }
        return SimulatedReceipt(
            bundleId: bundleID.rawValue, environment: environment, transactions: purchases, signedBy: authority)
    }
}
