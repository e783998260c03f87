// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Verification

/// A folder that holds what a caller of the simulator's App Store Server API needs: both roots and a key.
enum ServerAPIFolder {
    static func write(_ simulator: AppStoreSimulator, to folder: String) throws {
        try BenchFile.write(simulator.tlsCertificateAuthorityPEM, to: folder + "/roots.pem")
        try Data(simulator.authority.rootCertificateDER).write(to: URL(fileURLWithPath: folder + "/root.der"))
        try BenchFile.write(simulator.apiKey().credential, to: folder + "/default.server-api-key")
    }

    static func configuration(_ folder: String, port: Int) throws -> AppStoreConfiguration {
        var configuration = AppStoreConfiguration()
        configuration.productionAPIURL = "https://localhost:\(port)"
        configuration.additionalTLSRoots = folder + "/roots.pem"
        configuration.credentialsDirectory = folder
        configuration.extraRoots = [try root(in: folder)]
        return configuration
    }

    /// The root of what the simulator signs.
    static func root(in folder: String) throws -> ExtraRoot {
        try ExtraRoot(file: folder + "/root.der", bundleIDs: Set(BenchDatabase.bundleIDs.map(BundleID.init(rawValue:))))
    }
}
