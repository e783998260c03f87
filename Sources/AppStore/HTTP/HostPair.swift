// SPDX-License-Identifier: Apache-2.0

import Verification

/// The two hosts of one of Apple's services, and a client for each.
struct HostPair: Sendable {
    /// Where the two are.
    struct Bases {
        let production: SecureBaseURL
        let sandbox: SecureBaseURL

        /// - Throws: when an address is anything but https and a host.
        init(production: String, sandbox: String) throws(AppStoreConfigurationError) {
            self.production = try SecureBaseURL(production)
            self.sandbox = try SecureBaseURL(sandbox)
        }
    }

    private let production: AppStoreHTTPClient
    private let sandbox: AppStoreHTTPClient

    /// Clients that have to be shut down before they are let go.
    init(_ settings: AppStoreHTTPSettings, bases: Bases, loops: CallEventLoops) {
        production = AppStoreHTTPClient(settings, base: bases.production, loops: loops)
        sandbox = AppStoreHTTPClient(settings, base: bases.sandbox, loops: loops)
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
