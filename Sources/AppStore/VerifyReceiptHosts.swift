// SPDX-License-Identifier: Apache-2.0

import Verification

/// The two addresses of verifyReceipt.
struct VerifyReceiptHosts: Sendable {
    private let production: String
    private let sandbox: String

    /// - Throws: when an address is anything but https and a host.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        production = try SecureBaseURL(configuration.productionReceiptURL).description + "/verifyReceipt"
        sandbox = try SecureBaseURL(configuration.sandboxReceiptURL).description + "/verifyReceipt"
    }

    subscript(environment: AppStoreEnvironment) -> String {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }
}
