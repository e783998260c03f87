// SPDX-License-Identifier: Apache-2.0

import Verification

/// The two hosts of verifyReceipt, and a client for each.
struct VerifyReceiptHosts: Sendable {
    private let production: AppStoreHTTPClient
    private let sandbox: AppStoreHTTPClient

    /// Clients that have to be shut down before they are let go.
    ///
    /// - Throws: when an address is anything but https and a host, or a setting of HTTP can't be worked with; then
    ///   there is nothing to shut down.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        let settings = try AppStoreHTTPSettings(configuration)
        let productionBase = try SecureBaseURL(configuration.productionReceiptURL)
        let sandboxBase = try SecureBaseURL(configuration.sandboxReceiptURL)
        production = AppStoreHTTPClient(settings, base: productionBase)
        sandbox = AppStoreHTTPClient(settings, base: sandboxBase)
    }

    subscript(environment: AppStoreEnvironment) -> AppStoreHTTPClient {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    /// Closes all connections; calls under way fail.
    func shutdown() async throws {
        try await production.shutdown()
        try await sandbox.shutdown()
    }
}
